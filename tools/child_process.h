// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Processes that this one starts and answers for. None outlives it: the kernel
// kills them when it is gone, and what they have started and left behind
// becomes its own child (BecomeSubreaper). For a process with one thread.
#ifndef LEAT_TOOLS_CHILD_PROCESS_H_
#define LEAT_TOOLS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/tools/file_descriptor.h"

namespace leat {

struct ChildProcess {
  pid_t pid = -1;  // also of its process group
  // Its standard output and standard error; reading does not wait.
  FileDescriptor output = {};
};

// Starts command[0], found as a shell finds it, with no input, in a process
// group of its own and with the signals as a new process has them.
// `environment` is all of its variables, "NAME=value". NOT_FOUND or
// PERMISSION_DENIED naming a command that cannot be run, RESOURCE_EXHAUSTED
// when there can be no more processes. REQUIRES: a command.
absl::StatusOr<ChildProcess> StartChild(
    const std::vector<std::string>& command,
    const std::vector<std::string>& environment);

// Orphans below this process become its children.
absl::Status BecomeSubreaper();

struct EndedChild {
  pid_t pid = -1;
  int code = 0;    // as a shell says it: the exit code, or 128 + the signal
  int signal = 0;  // that ended it, or 0
};

// A child that has ended but is still known to the kernel, so that its id and
// its group's are nobody else's; to be passed to Forget. Nothing when there is
// none.
std::optional<EndedChild> NextEndedChild();
void Forget(const EndedChild& child);

// Children, orphans included, that have not been forgotten.
bool HasChildren();
std::vector<pid_t> Children();

}  // namespace leat

#endif  // LEAT_TOOLS_CHILD_PROCESS_H_
