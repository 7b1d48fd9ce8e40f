// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RegularFile reads a file. All files whose names come from a user or a peer
// are read with it. Opening a file never waits, not even for a named pipe
// without a writer. Files without a size, such as devices, are refused before a
// byte is read.
//
//   LEAT_ASSIGN_OR_RETURN(const std::string text,
//                         ReadRegularFile(path, /*max_bytes=*/1 << 20));
#ifndef LEAT_CORE_FILES_REGULAR_FILE_H_
#define LEAT_CORE_FILES_REGULAR_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/file_descriptor.h"

namespace leat {

// A RegularFile is a regular file, open for reading from its start to its end.
// It is not thread-safe. It owns its file descriptor and closes it when
// destroyed. All errors name the file.
class RegularFile {
 public:
  // Opens the file at `path`. Returns an error of SystemError, mostly NOT_FOUND
  // or PERMISSION_DENIED, if the file cannot be opened. Returns
  // INVALID_ARGUMENT if the file is not a regular file; the message says what
  // kind of file it is. Returns RESOURCE_EXHAUSTED if the file has more than
  // `max_bytes`.
  static absl::StatusOr<RegularFile> Open(
      const std::string& path, int64_t max_bytes,
      const FileAccess& files = FileAccess::Unrestricted());
  const std::string& path() const { return path_; }
  // Returns the size in bytes that the file had when it was opened.
  int64_t size() const { return size_; }

  // Reads the next `count` bytes into `to`. Returns DATA_LOSS if the file ends
  // earlier, and an error of SystemError if the read fails.
  absl::Status Read(char* to, size_t count);

 private:
  RegularFile(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
  int64_t size_ = 0;
};

// Returns the whole content of a file. Fails as RegularFile::Open and
// RegularFile::Read do.
absl::StatusOr<std::string> ReadRegularFile(
    const std::string& path, int64_t max_bytes,
    const FileAccess& files = FileAccess::Unrestricted());

}  // namespace leat

#endif  // LEAT_CORE_FILES_REGULAR_FILE_H_
