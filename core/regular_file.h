// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RegularFile is the one way to read a file whose name comes from a user or a
// peer. Opening never waits, as it would for a named pipe without a writer.
// Files without a size, such as devices, are refused before a byte is read.
//
//   LEAT_ASSIGN_OR_RETURN(const std::string text,
//                         ReadRegularFile(path, /*max_bytes=*/1 << 20));
#ifndef LEAT_CORE_REGULAR_FILE_H_
#define LEAT_CORE_REGULAR_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

// A regular file, open for reading from its start to its end. Not thread-safe.
// It owns its file descriptor and closes it when destroyed. All errors name the
// file.
class RegularFile {
 public:
  // Opens the file at `path`. Fails as SystemError does if it cannot be opened,
  // mostly with NOT_FOUND or PERMISSION_DENIED. Returns INVALID_ARGUMENT,
  // saying what it is instead, if it is not a regular file or a link to one.
  // Returns RESOURCE_EXHAUSTED if it has more than `max_bytes`.
  static absl::StatusOr<RegularFile> Open(const std::string& path,
                                          int64_t max_bytes);
  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&& other) = delete;
  ~RegularFile();

  const std::string& path() const { return path_; }
  // Returns the size in bytes that the file had when it was opened.
  int64_t size() const { return size_; }

  // Reads the next `count` bytes into `to`. Returns DATA_LOSS if the file has
  // fewer, and fails as SystemError does if they cannot be read.
  absl::Status Read(char* to, size_t count);

 private:
  RegularFile(std::string path, int file)
      : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;
  int64_t size_ = 0;
};

// Returns the error of the system call on the file `path` that has just set
// `errno`, as NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED (a full disk) or
// UNAVAILABLE. `what` says what failed: "file 'x': cannot open: ...".
absl::Status SystemError(const std::string& path, absl::string_view what);

// Returns the whole content of a file. Fails as RegularFile does.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path,
                                            int64_t max_bytes);

}  // namespace leat

#endif  // LEAT_CORE_REGULAR_FILE_H_
