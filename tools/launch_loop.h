// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchLoop is the loop of `leat launch`. It waits for the processes of a
// launched cluster, for their output and for signals. It also restarts tasks,
// and ends the cluster.
#ifndef LEAT_TOOLS_LAUNCH_LOOP_H_
#define LEAT_TOOLS_LAUNCH_LOOP_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/threads/notice_times.h"
#include "leat/tools/child_process.h"
#include "leat/tools/launched_task.h"
#include "leat/tools/live_view.h"

namespace leat {

// Holds the options of a LaunchLoop: when to restart tasks and when to end.
struct LaunchLoopOptions {
  // Is the index of the task whose end also ends all other tasks. Is absent if
  // there is no such task.
  std::optional<size_t> main = {};
  // Is the number of times that each task may be restarted.
  int max_restarts = 0;
  // Is the time before the first restart of a task. The time doubles with each
  // restart.
  std::chrono::nanoseconds restart_delay = {};
  // Limits the time before a restart.
  std::chrono::nanoseconds max_restart_delay = std::chrono::seconds(8);
  // Is the time from the first signal to SIGKILL.
  std::chrono::nanoseconds grace = {};
  // `kill_patience` is the time that the kernel gets to remove killed
  // processes. Until they are removed, new orphans are killed once per
  // `kill_period`.
  std::chrono::nanoseconds kill_patience = std::chrono::seconds(5);
  std::chrono::nanoseconds kill_period = std::chrono::milliseconds(20);
};

// Works only on the thread that calls Run. The thread waits only in poll().
// Blocks SIGCHLD and the signals that would end the process, and reads them
// itself.
class LaunchLoop {
 public:
  // Borrows `tasks` and `view`, which must outlive this. The tasks must not
  // have been started.
  LaunchLoop(LaunchLoopOptions options, std::vector<LaunchedTask>& tasks,
             LiveView& view);

  // Starts the tasks and returns when no process is left. The error says which
  // task has failed for good, which processes did not end when they were
  // killed, or what the operating system refused. After that, code() is the
  // exit code for the program.
  absl::Status Run();
  int code() const { return code_; }

 private:
  using SteadyClock = LaunchedTask::SteadyClock;

  // Blocks the signals and opens a descriptor to read them from.
  absl::Status TakeSignals();
  // Starts the tasks that are due.
  void StartTasks();
  // Waits until something happens or the next planned time comes.
  void Wait();
  // Returns the timeout for poll() in milliseconds: the time until the next
  // planned time, or -1 if there is none.
  int PollTimeout() const;
  // Handles the signals that have arrived.
  void ReadSignals();
  // Ends the tasks at the first signal, and kills them at the second.
  void OnSignal(int signal);
  // Handles a child that has ended.
  void OnEnded(const EndedChild& child);
  // Restarts a task, or ends everything if the task has no restarts left.
  void OnFailed(LaunchedTask& task, const EndedChild& child);
  // Returns true if no task runs and none will be started.
  bool AllHaveEnded() const;

  // Returns the names of the tasks whose processes have not ended. If all have
  // ended, says that the only processes left are those that the tasks started.
  std::string WhatIsLeft() const;
  // Shows what the launcher waits for, at the times of `notices_`.
  void NoteWaiting();
  // Tells all tasks to end. Does nothing after the first call.
  void End(int code, int signal);
  // Records an error and the exit code.
  void Fail(absl::Status why, int code);
  // Sends a signal to the children that are not tasks.
  void SignalStrays(int signal) const;
  // Sends SIGKILL to all tasks and all other children.
  void Kill();

  const LaunchLoopOptions options_;
  std::vector<LaunchedTask>& tasks_;
  LiveView& view_;
  FileDescriptor signals_;

  bool is_ending_ = false;
  bool is_killing_ = false;
  // Is the signal that ends this program, or 0.
  int signal_ = 0;
  // Is the time at which the launcher kills the processes that have not ended.
  // After the launcher has killed them, this is the time at which it stops
  // waiting for them.
  SteadyClock::time_point patience_ = {};
  // Holds the times at which to show what the launcher waits for. The times are
  // set when the launcher tells the tasks to end, and again when the launcher
  // kills the tasks.
  std::optional<NoticeTimes> notices_ = {};
  int code_ = 0;
  absl::Status status_ = absl::OkStatus();
};

}  // namespace leat

#endif  // LEAT_TOOLS_LAUNCH_LOOP_H_
