// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// The file of a Unix socket that a server listens at: only its user may connect
// to it, no server takes another's, and none is left behind.
#ifndef LEAT_DISTRIBUTED_UNIX_SOCKET_H_
#define LEAT_DISTRIBUTED_UNIX_SOCKET_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"

namespace leat {

// Files that this process makes meanwhile have mode 0600. The mask is the
// process's: other threads should make none.
class ScopedPrivateFiles {
 public:
  ScopedPrivateFiles() : mask_(umask(0177)) {}
  ~ScopedPrivateFiles() { umask(mask_); }
  ScopedPrivateFiles(const ScopedPrivateFiles&) = delete;
  ScopedPrivateFiles& operator=(const ScopedPrivateFiles&) = delete;

 private:
  const mode_t mask_;
};

// Makes sure that a socket can be made at `path`: removes one whose server is
// gone. UNAVAILABLE when a server listens there or the path cannot be used;
// INVALID_ARGUMENT for a file of another kind and for a folder in which
// everybody may replace files.
absl::Status ClearSocketPath(const std::string& path);

// Removes the socket at its path at last. Thread-compatible.
class UnixSocketFile {
 public:
  UnixSocketFile() = default;
  ~UnixSocketFile() { Remove(); }
  UnixSocketFile(const UnixSocketFile&) = delete;
  UnixSocketFile& operator=(const UnixSocketFile&) = delete;

  // Takes what is there now.
  void Own(const std::string& path);
  // Not what somebody else has put there since.
  void Remove();

 private:
  std::string path_ = {};  // "": owns none
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_UNIX_SOCKET_H_
