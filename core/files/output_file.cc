// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "leat/core/files/file_descriptor.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/files/system_error.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr mode_t kFileMode = 0666;  // open() removes the bits of the umask

// Writes a new file beside `path` and renames it to `path` when it is complete.
// If `old` is not null, the new file gets the mode in `old`.
absl::Status ReplaceFile(const std::string& path, const struct stat* old,
                         absl::string_view bytes) {
  LEAT_ASSIGN_OR_RETURN(
      ReplacementFile file,
      ReplacementFile::Create(FileAccess::Unrestricted(), path));
  if (old != nullptr && fchmod(file.descriptor(), old->st_mode & 07777) != 0) {
    return SystemError(path, "cannot set the mode");
  }
  LEAT_RETURN_IF_ERROR(file.Append(bytes));
  return file.Commit();
}

absl::Status WriteInPlace(const std::string& path, absl::string_view bytes) {
  FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode));
  if (!file.is_open()) return SystemError(path, "cannot open");
  LEAT_RETURN_IF_ERROR(WriteAll(file.number(), path, bytes));
  // Some file systems report only now that the disk is full.
  return close(file.Release()) == 0 ? absl::OkStatus()
                                    : SystemError(path, "cannot close");
}

}  // namespace

absl::Status WriteAll(int descriptor, const std::string& path,
                      absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return SystemError(path, "cannot write");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status WriteFile(const std::string& path, absl::string_view bytes) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? ReplaceFile(path, nullptr, bytes)
                           : SystemError(path, "cannot stat");
  }
  if (S_ISREG(info.st_mode)) return ReplaceFile(path, &info, bytes);
  return WriteInPlace(path, bytes);
}

}  // namespace leat
