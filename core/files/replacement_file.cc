// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/replacement_file.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/system_error.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Pieces smaller than this are collected before they are written.
constexpr size_t kBufferBytes = 256 << 10;

}  // namespace

absl::StatusOr<ReplacementFile> ReplacementFile::Create(const FileAccess& files,
                                                        std::string path) {
  std::string temporary = absl::StrCat(path, ".", RandomId());
  LEAT_ASSIGN_OR_RETURN(FileDescriptor file, files.Create(temporary, path));
  return ReplacementFile(files, std::move(path), std::move(temporary),
                         std::move(file));
}

ReplacementFile::ReplacementFile(const FileAccess& files, std::string path,
                                 std::string temporary, FileDescriptor file)
    : files_(files),
      path_(std::move(path)),
      temporary_(std::move(temporary)),
      file_(std::move(file)) {}

ReplacementFile::ReplacementFile(ReplacementFile&& other) noexcept
    : files_(std::move(other.files_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, "")),
      file_(std::move(other.file_)),
      buffer_(std::move(other.buffer_)),
      size_(other.size_) {}

ReplacementFile::~ReplacementFile() {
  if (temporary_.empty()) return;
  // If the new file cannot be removed, it stays. Readers of `path` do not see
  // it, because it has another name.
  files_.RemoveFile(temporary_).IgnoreError();
}

absl::Status ReplacementFile::Append(absl::string_view bytes) {
  size_ += static_cast<int64_t>(bytes.size());
  if (buffer_.size() + bytes.size() < kBufferBytes) {
    buffer_.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  LEAT_RETURN_IF_ERROR(Flush());
  return WriteAll(file_.number(), path_, bytes);
}

absl::Status ReplacementFile::Flush() {
  LEAT_RETURN_IF_ERROR(WriteAll(file_.number(), path_, buffer_));
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status ReplacementFile::Sync() {
  LEAT_RETURN_IF_ERROR(Flush());
  if (fsync(file_.number()) != 0) return SystemError(path_, "cannot sync");
  // Some file systems report only now that the disk is full.
  if (close(file_.Release()) != 0) return SystemError(path_, "cannot close");
  return absl::OkStatus();
}

absl::Status ReplacementFile::RenameTo(const std::string& path) {
  LEAT_RETURN_IF_ERROR(files_.Rename(temporary_, path));
  temporary_.clear();
  return absl::OkStatus();
}

absl::Status ReplacementFile::Commit() {
  LEAT_RETURN_IF_ERROR(Sync());
  return Rename();
}

}  // namespace leat
