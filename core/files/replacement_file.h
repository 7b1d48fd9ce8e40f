// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReplacementFile writes a file that nobody sees under its name before it is
// complete.
//
//   LEAT_ASSIGN_OR_RETURN(ReplacementFile file,
//                         ReplacementFile::Create(files, "model.index"));
//   LEAT_RETURN_IF_ERROR(file.Append(bytes));
//   LEAT_RETURN_IF_ERROR(file.Commit());
#ifndef LEAT_CORE_FILES_REPLACEMENT_FILE_H_
#define LEAT_CORE_FILES_REPLACEMENT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/file_descriptor.h"

namespace leat {

// The bytes go to a new file beside `path`. Sync writes them to the disk.
// Rename gives the new file the name `path`, and so replaces an old file of
// this name. Commit does both. The destructor removes a file that was not
// renamed. A ReplacementFile is not thread-safe. All errors name `path`.
class ReplacementFile {
 public:
  static absl::StatusOr<ReplacementFile> Create(const FileAccess& files,
                                                std::string path);
  ReplacementFile(ReplacementFile&& other) noexcept;
  ReplacementFile& operator=(ReplacementFile&& other) = delete;
  ~ReplacementFile();

  // Returns the descriptor of the new file, which the object keeps.
  int descriptor() const { return file_.number(); }
  // Returns the number of bytes that were appended.
  int64_t size() const { return size_; }

  absl::Status Append(absl::string_view bytes);
  // Writes all bytes to the disk and closes the file.
  absl::Status Sync();
  // REQUIRES: Sync has succeeded.
  absl::Status Rename() { return RenameTo(path_); }
  // Gives the new file the name `path`, and not the path that Create was given.
  // REQUIRES: `path` is in the same file system, and Sync has succeeded.
  absl::Status RenameTo(const std::string& path);
  absl::Status Commit();

 private:
  ReplacementFile(const FileAccess& files, std::string path,
                  std::string temporary, FileDescriptor file);
  absl::Status Flush();

  FileAccess files_;
  std::string path_;
  std::string temporary_;  // the path of the new file, or "" once renamed
  FileDescriptor file_;
  std::string buffer_;  // small pieces that were not written yet
  int64_t size_ = 0;
};

}  // namespace leat

#endif  // LEAT_CORE_FILES_REPLACEMENT_FILE_H_
