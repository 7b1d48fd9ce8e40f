// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "leat/core/file_descriptor.h"
#include "leat/core/random_id.h"
#include "leat/core/regular_file.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr mode_t kFileMode = 0666;  // open() removes the bits of the umask

// Closes the file. Some file systems report only now that the disk is full.
absl::Status Close(FileDescriptor file, const std::string& path) {
  return close(file.Release()) == 0 ? absl::OkStatus()
                                    : SystemError(path, "cannot close");
}

// Writes the new file `temporary`. If `old` is not null, the new file gets the
// mode in `old`. Error messages name `path`.
absl::Status WriteNewFile(const std::string& temporary, const struct stat* old,
                          const std::string& path, absl::string_view bytes) {
  FileDescriptor file(open(temporary.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (!file.is_open()) return SystemError(path, "cannot create");
  if (old != nullptr && fchmod(file.number(), old->st_mode & 07777) != 0) {
    return SystemError(path, "cannot set the mode");
  }
  LEAT_RETURN_IF_ERROR(WriteAll(file.number(), path, bytes));
  if (fsync(file.number()) != 0) return SystemError(path, "cannot sync");
  return Close(std::move(file), path);
}

// Writes a new file in the folder of `path` and renames it to `path` when it is
// complete.
absl::Status ReplaceFile(const std::string& path, const struct stat* old,
                         absl::string_view bytes) {
  const std::string temporary = absl::StrCat(path, ".", RandomId());
  absl::Status status = WriteNewFile(temporary, old, path, bytes);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = SystemError(path, "cannot replace");
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

absl::Status WriteInPlace(const std::string& path, absl::string_view bytes) {
  FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode));
  if (!file.is_open()) return SystemError(path, "cannot open");
  LEAT_RETURN_IF_ERROR(WriteAll(file.number(), path, bytes));
  return Close(std::move(file), path);
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
