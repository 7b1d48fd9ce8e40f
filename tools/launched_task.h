// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchedTask is one task of `leat launch`, with its output and its current
// process. Each restart gives the task a new process.
#ifndef LEAT_TOOLS_LAUNCHED_TASK_H_
#define LEAT_TOOLS_LAUNCHED_TASK_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/tools/child_process.h"
#include "leat/tools/live_view.h"

namespace leat {

// Holds the options of a task: what to run, and where its output goes.
struct LaunchedTaskOptions {
  // Is a name such as "worker-1", for messages.
  std::string name = {};
  // Is the index of that name in the view.
  size_t place = 0;
  // Holds the arguments of StartChild.
  std::vector<std::string> command = {};
  std::vector<std::string> environment = {};
  // Is the path of the log, or "" for none.
  std::string log = {};
};

// Is not thread-safe.
class LaunchedTask {
 public:
  using SteadyClock = std::chrono::steady_clock;

  // `view` is borrowed and must outlive this.
  LaunchedTask(LaunchedTaskOptions options, LiveView& view)
      : options_(std::move(options)), view_(&view) {}

  const std::string& name() const { return options_.name; }
  const std::string& log() const { return options_.log; }

  // Opens the log and empties it. Returns NOT_FOUND or PERMISSION_DENIED,
  // naming the log, if the log cannot be written. Returns INVALID_ARGUMENT if
  // the log is not a regular file.
  absl::Status OpenLog();

  // Starts a process. Returns the errors of StartChild. REQUIRES: no process
  // runs.
  absl::Status Start();
  // Returns the id of the process, or -1 if none runs.
  pid_t pid() const { return pid_; }
  // Sends a signal to the process group, if a process runs.
  void Signal(int signal) const;
  // Must be called when the process has ended. If `whole` is true, kills the
  // rest of the process group, because it may occupy the task's port. REQUIRES:
  // `child` has not been passed to Forget.
  void Ended(const EndedChild& child, bool whole);

  // restarts returns the number of starts after the first one. due returns the
  // time of the next start, if one is planned.
  int restarts() const { return restarts_; }
  const std::optional<SteadyClock::time_point>& due() const { return due_; }
  // RestartAt plans a start at the time `when`. StayEnded cancels a planned
  // start.
  void RestartAt(SteadyClock::time_point when) { due_ = when; }
  void StayEnded() { due_.reset(); }

  // Returns the descriptor to poll for output, or -1 after the end of the
  // output.
  int output() const { return output_.number(); }
  // Reads the output that has arrived, and passes it to the log and the view.
  // Does not wait.
  void ReadOutput();
  // Writes a line from the launcher to the log and the view.
  void Note(absl::string_view text);

 private:
  // Appends to the log. After a failure the log is closed and the view says so.
  void WriteLog(absl::string_view bytes);

  LaunchedTaskOptions options_;
  LiveView* view_;
  // `log_` is the log, and `output_` is the read end of the process's output.
  // If there is no log or no output, its descriptor is not open.
  FileDescriptor log_;
  FileDescriptor output_;
  pid_t pid_ = -1;
  int restarts_ = 0;
  bool has_started_ = false;
  // Is the time of the next start, if one is planned.
  std::optional<SteadyClock::time_point> due_ = {};
};

}  // namespace leat

#endif  // LEAT_TOOLS_LAUNCHED_TASK_H_
