// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchLoop: waits for the processes of a launched cluster, for what they
// print and for signals, restarts what may be restarted and ends it all. One
// thread, which nothing but the kernel makes wait. Takes SIGCHLD and the ending
// signals of its process.
#ifndef LEAT_TOOLS_LAUNCH_LOOP_H_
#define LEAT_TOOLS_LAUNCH_LOOP_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "leat/tools/child_process.h"
#include "leat/tools/file_descriptor.h"
#include "leat/tools/launched_task.h"
#include "leat/tools/live_view.h"

namespace leat {

struct LaunchLoopOptions {
  std::optional<size_t> main = {};              // the task with which all ends
  int max_restarts = 0;                         // of each task
  std::chrono::nanoseconds restart_delay = {};  // doubled each time
  std::chrono::nanoseconds grace = {};  // from the first signal to SIGKILL
};

class LaunchLoop {
 public:
  // `view` and `tasks`, which have not been started, are borrowed and outlive
  // this.
  LaunchLoop(LaunchLoopOptions options, std::vector<LaunchedTask>& tasks,
             LiveView& view);

  // Returns when no process is left. The error says which task has failed for
  // good, which process did not end when it was killed, or what the kernel
  // refuses; code() is what the program should end with.
  absl::Status Run();
  int code() const { return code_; }

 private:
  using Clock = LaunchedTask::Clock;

  absl::Status TakeSignals();
  void StartTasks();  // those that are due
  void Wait();
  int PollTimeout() const;  // milliseconds
  void ReadSignals();
  void OnSignal(int signal);
  void OnEnded(const EndedChild& child);
  void OnFailed(LaunchedTask& task, const EndedChild& child);
  bool AllHaveEnded() const;

  // Tells all to end, once.
  void End(int code, int signal);
  void Fail(absl::Status why, int code);
  void SignalStrays(int signal) const;
  void Kill();

  const LaunchLoopOptions options_;
  std::vector<LaunchedTask>& tasks_;
  LiveView& view_;
  FileDescriptor signals_;

  bool is_ending_ = false;
  bool is_killing_ = false;
  int signal_ = 0;  // that ends this program, or 0
  // When those that are to end are killed, then given up.
  Clock::time_point patience_ = {};
  int code_ = 0;
  absl::Status status_ = absl::OkStatus();
};

}  // namespace leat

#endif  // LEAT_TOOLS_LAUNCH_LOOP_H_
