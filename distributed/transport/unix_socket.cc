// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/unix_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

absl::Status Unusable(const std::string& path, int error) {
  return absl::UnavailableError(
      absl::StrCat("the server cannot listen at socket ", QuotedText(path),
                   ": ", std::strerror(error)));
}

// Returns an error if other users could replace the socket in its folder.
absl::Status CheckFolder(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  struct stat info = {};
  if (stat(folder.c_str(), &info) != 0) return Unusable(path, errno);
  if ((info.st_mode & S_IWOTH) != 0 && (info.st_mode & S_ISVTX) == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "socket ", QuotedText(path),
        " is in a folder in which everybody may replace files; choose "
        "another folder"));
  }
  return absl::OkStatus();
}

// Connects to the socket. Returns 0 if a server listens, or the error number.
int Connect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return ENAMETOOLONG;
  std::memcpy(address.sun_path, path.data(), path.size());
  // The socket does not block. If the server's queue is full, connect fails
  // with EAGAIN, which shows that there is a server.
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int failed =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const int error = failed == 0 ? 0 : errno;
  close(fd);
  return error;
}

}  // namespace

absl::Status ClearSocketPath(const std::string& path) {
  LEAT_RETURN_IF_ERROR(CheckFolder(path));
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? absl::OkStatus() : Unusable(path, errno);
  }
  if (!S_ISSOCK(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(QuotedText(path), " exists and is no socket"));
  }
  const int error = Connect(path);
  if (error == 0 || error == EAGAIN) {
    return absl::UnavailableError(
        absl::StrCat("another server listens at socket ", QuotedText(path)));
  }
  if (error != ECONNREFUSED) return Unusable(path, error);
  return unlink(path.c_str()) == 0 ? absl::OkStatus() : Unusable(path, errno);
}

void UnixSocketFile::Own(const std::string& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) return;
  path_ = path;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

void UnixSocketFile::Remove() {
  struct stat info = {};
  if (!path_.empty() && lstat(path_.c_str(), &info) == 0 &&
      info.st_dev == device_ && info.st_ino == inode_) {
    unlink(path_.c_str());
  }
  path_.clear();
}

}  // namespace leat
