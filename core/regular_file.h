// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RegularFile: the one way to read a file that somebody else names. Opening
// never waits (a named pipe without a writer), and what has no size, such as a
// device, is refused before a byte of it is read.
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

// Open for reading, from its start to its end. Not thread-safe; owns its file
// descriptor. All errors name the file.
class RegularFile {
 public:
  // NOT_FOUND or PERMISSION_DENIED when it cannot be opened, INVALID_ARGUMENT
  // saying what it is when it is no regular file (a link to one is),
  // RESOURCE_EXHAUSTED when it has more than `max_bytes`.
  static absl::StatusOr<RegularFile> Open(const std::string& path,
                                          int64_t max_bytes);
  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&& other) = delete;
  ~RegularFile();

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }  // when it was opened

  // The next `count` bytes. DATA_LOSS when there are fewer.
  absl::Status Read(char* to, size_t count);

 private:
  RegularFile(std::string path, int file)
      : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;
  int64_t size_ = 0;
};

// What `errno` says of a system call on the file: "file 'x': cannot open: ...",
// NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED or UNAVAILABLE.
absl::Status SystemError(const std::string& path, absl::string_view what);

// The whole content; fails as RegularFile does.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path,
                                            int64_t max_bytes);

}  // namespace leat

#endif  // LEAT_CORE_REGULAR_FILE_H_
