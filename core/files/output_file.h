// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions write files. The functions that read files are in
// core/files/regular_file.h. The functions are stateless and thread-safe. All
// errors come from SystemError (core/files/system_error.h) and name the file.
//
//   LEAT_RETURN_IF_ERROR(WriteFile("graph.pb", bytes));
#ifndef LEAT_CORE_FILES_OUTPUT_FILE_H_
#define LEAT_CORE_FILES_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Writes all `bytes` to the open file `descriptor`. Does not close the file.
// Errors contain `path`.
absl::Status WriteAll(int descriptor, const std::string& path,
                      absl::string_view bytes);

// Replaces the file `path` by a file with the contents `bytes` and the old
// file's mode. The contents are on the disk when this function returns. If the
// function fails, the old file is unchanged, and no new file is left.
//
// There is one exception: if `path` exists but is not a regular file (for
// example, it is a symbolic link, a pipe or a device), it is not replaced.
// Instead, the bytes are written to the file, pipe or device that `path` leads
// to.
absl::Status WriteFile(const std::string& path, absl::string_view bytes);

}  // namespace leat

#endif  // LEAT_CORE_FILES_OUTPUT_FILE_H_
