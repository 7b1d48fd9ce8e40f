// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions start processes and wait for their end. The kernel kills the
// started children when this process ends. After BecomeSubreaper, processes
// that children leave behind become children of this process. This process can
// then end them. Call these functions only in a process with one thread.
#ifndef LEAT_TOOLS_CHILD_PROCESS_H_
#define LEAT_TOOLS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/files/file_descriptor.h"

namespace leat {

// Describes a child that was started.
struct ChildProcess {
  pid_t pid = -1;  // also the id of its process group
  // Is the read end of the child's standard output and standard error. Reading
  // does not wait.
  FileDescriptor output = {};
};

// Starts the program command[0]. Searches for the program as a shell does. The
// child has an empty input, a process group of its own, and the signal settings
// of a new process. `environment` has all variables of the child, each as
// "NAME=value".
//
// Returns NOT_FOUND or PERMISSION_DENIED, naming the command, if the command
// cannot be run. Returns RESOURCE_EXHAUSTED if no more processes can be
// started. REQUIRES: `command` is not empty.
absl::StatusOr<ChildProcess> StartChild(
    const std::vector<std::string>& command,
    const std::vector<std::string>& environment);

// Lets this process adopt orphans: a descendant whose parent ends becomes a
// child of this process.
absl::Status BecomeSubreaper();

// Describes a child that has ended.
struct EndedChild {
  pid_t pid = -1;
  int code = 0;    // exit code, or 128 + the signal
  int signal = 0;  // the signal that ended it, or 0
};

// Returns a child that has ended, or nothing if there is none. The ids of the
// child and of its group are not reused until the child is passed to Forget.
std::optional<EndedChild> NextEndedChild();
// Lets the kernel forget a child that NextEndedChild has returned.
void Forget(const EndedChild& child);

// HasChildren returns true if there are children that were not passed to
// Forget. Children returns the ids of these children. Adopted orphans are
// children, too.
bool HasChildren();
std::vector<pid_t> Children();

}  // namespace leat

#endif  // LEAT_TOOLS_CHILD_PROCESS_H_
