// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Functions that write files. core/regular_file.h has the functions that read
// files. Stateless, thread-safe. All errors are those of SystemError
// (core/regular_file.h) and name the file.
//
//   LEAT_RETURN_IF_ERROR(WriteFile("graph.pb", bytes));
#ifndef LEAT_CORE_OUTPUT_FILE_H_
#define LEAT_CORE_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Writes all `bytes` to the open file `descriptor`, which the caller keeps.
// Errors contain `path`.
absl::Status WriteAll(int descriptor, const std::string& path,
                      absl::string_view bytes);

// Replaces the file `path` by a file with the contents `bytes` and the old
// file's mode. The contents are on the disk when this function returns. If it
// fails, the old file is still there, and nothing else. A `path` that is not a
// regular file, such as a symbolic link, a pipe or a device, is not replaced:
// the bytes are written into what it stands for.
absl::Status WriteFile(const std::string& path, absl::string_view bytes);

}  // namespace leat

#endif  // LEAT_CORE_OUTPUT_FILE_H_
