// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SystemError and NotRegularError make the errors of files. The functions are
// stateless and thread-safe.
//
//   if (fsync(file) != 0) return SystemError(path, "cannot sync");
#ifndef LEAT_CORE_FILES_SYSTEM_ERROR_H_
#define LEAT_CORE_FILES_SYSTEM_ERROR_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Returns an error for a failed system call on the file `path`. Call it right
// after the system call, because it reads `errno`. The code of the error is
// NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED (for example, the disk is
// full), DATA_LOSS (the disk fails) or FAILED_PRECONDITION. It is never
// UNAVAILABLE, because it does not help to try again. `what` says what failed,
// such as "cannot open" in "file 'x': cannot open: ...".
absl::Status SystemError(const std::string& path, absl::string_view what);

// Returns INVALID_ARGUMENT: the file at `path`, whose mode is `mode`, is not a
// regular file. The message says what kind of file it is.
absl::Status NotRegularError(const std::string& path, mode_t mode);

}  // namespace leat

#endif  // LEAT_CORE_FILES_SYSTEM_ERROR_H_
