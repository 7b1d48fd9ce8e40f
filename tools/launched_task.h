// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchedTask: one task of `leat launch` through all of its processes, and
// where their output goes. Not thread-safe.
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
#include "leat/tools/child_process.h"
#include "leat/tools/file_descriptor.h"
#include "leat/tools/live_view.h"

namespace leat {

struct LaunchedTaskOptions {
  std::string name = {};  // "worker-1"
  size_t place = 0;       // among the names of the view
  std::vector<std::string> command = {};
  std::vector<std::string> environment = {};
  std::string log = {};  // path; "": none
};

class LaunchedTask {
 public:
  using Clock = std::chrono::steady_clock;

  // `view` is borrowed and outlives this.
  LaunchedTask(LaunchedTaskOptions options, LiveView& view)
      : options_(std::move(options)), view_(&view) {}

  const std::string& name() const { return options_.name; }
  const std::string& log() const { return options_.log; }

  // Empties the log of an earlier launch. NOT_FOUND or PERMISSION_DENIED naming
  // one that cannot be written, INVALID_ARGUMENT for what is no regular file.
  absl::Status OpenLog();

  // Fails as StartChild does. REQUIRES: no process runs.
  absl::Status Start();
  // -1 when none runs.
  pid_t pid() const { return pid_; }
  // To its process group, if one runs.
  void Signal(int signal) const;
  // The process has ended. What its group has left behind is killed if `whole`:
  // it may keep the task's port. REQUIRES: it has not been forgotten yet.
  void Ended(const EndedChild& child, bool whole);

  // Starts since the first, and when the next one is due.
  int restarts() const { return restarts_; }
  const std::optional<Clock::time_point>& due() const { return due_; }
  void RestartAt(Clock::time_point when) { due_ = when; }
  void StayEnded() { due_.reset(); }

  // The output to poll, -1 when it has come to its end.
  int output() const { return output_.number(); }
  // Gives what has come to log and view; does not wait.
  void ReadOutput();
  // A line of the launcher's in log and view.
  void Note(absl::string_view text);

 private:
  void WriteLog(absl::string_view bytes);

  LaunchedTaskOptions options_;
  LiveView* view_;
  FileDescriptor log_;
  FileDescriptor output_;
  pid_t pid_ = -1;
  int restarts_ = 0;
  bool has_started_ = false;
  std::optional<Clock::time_point> due_ = {};
};

}  // namespace leat

#endif  // LEAT_TOOLS_LAUNCHED_TASK_H_
