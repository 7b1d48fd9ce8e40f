// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

absl::string_view KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "of another kind";
}

absl::Status NotRegular(const std::string& path, mode_t mode) {
  return absl::InvalidArgumentError(absl::StrCat(
      "file '", path, "' is not a regular file but ", KindOf(mode)));
}

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
      return absl::StatusCode::kResourceExhausted;
    case EIO:
      return absl::StatusCode::kDataLoss;
    default:
      return absl::StatusCode::kFailedPrecondition;
  }
}

// Returns the error of an open() that has just failed.
absl::Status CannotOpen(const std::string& path) {
  const int error = errno;
  struct stat info = {};
  // ENXIO means that the path is a socket, or a device that does not exist.
  if (error == ENXIO && stat(path.c_str(), &info) == 0 &&
      !S_ISREG(info.st_mode)) {
    return NotRegular(path, info.st_mode);
  }
  errno = error;
  return SystemError(path, "cannot open");
}

}  // namespace

absl::Status SystemError(const std::string& path, absl::string_view what) {
  const int error = errno;
  const std::string message =
      absl::StrCat("file '", path, "': ", what, ": ", std::strerror(error));
  return absl::Status(CodeOf(error), message);
}

absl::StatusOr<RegularFile> RegularFile::Open(const std::string& path,
                                              int64_t max_bytes) {
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return CannotOpen(path);
  RegularFile file(path, descriptor);
  struct stat info = {};
  if (fstat(descriptor, &info) != 0) return SystemError(path, "cannot stat");
  if (!S_ISREG(info.st_mode)) return NotRegular(path, info.st_mode);
  file.size_ = info.st_size;
  if (file.size_ > max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("file '", path, "' has ", file.size_,
                     " bytes, but may have at most ", max_bytes));
  }
  return file;
}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_) {}

RegularFile::~RegularFile() {
  if (file_ >= 0) close(file_);
}

absl::Status RegularFile::Read(char* to, size_t count) {
  while (count > 0) {
    const ssize_t done = read(file_, to, count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return SystemError(path_, "cannot read");
    if (done == 0) {
      return absl::DataLossError(
          absl::StrCat("file '", path_, "' became shorter while it was read"));
    }
    to += done;
    count -= static_cast<size_t>(done);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadRegularFile(const std::string& path,
                                            int64_t max_bytes) {
  LEAT_ASSIGN_OR_RETURN(RegularFile file, RegularFile::Open(path, max_bytes));
  std::string content(static_cast<size_t>(file.size()), '\0');
  LEAT_RETURN_IF_ERROR(file.Read(content.data(), content.size()));
  return content;
}

}  // namespace leat
