// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// UnixSocketFile owns the file of the Unix socket on which a server listens.
// Only the server's user may connect to the socket. A server does not replace
// the socket of another running server, and removes its own file when it stops.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_UNIX_SOCKET_H_
#define LEAT_DISTRIBUTED_TRANSPORT_UNIX_SOCKET_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"

namespace leat {

// Makes sure that a socket can be made at `path`. Removes a socket whose server
// is gone. Returns UNAVAILABLE if a server listens at `path` or the path cannot
// be used. Returns INVALID_ARGUMENT if a file of another kind is at `path`, or
// if everybody may replace files in its folder.
absl::Status ClearSocketPath(const std::string& path);

// Owns the file of a socket, and removes the file in the destructor. Is
// thread-compatible.
class UnixSocketFile {
 public:
  UnixSocketFile() = default;
  ~UnixSocketFile() { Remove(); }
  UnixSocketFile(const UnixSocketFile&) = delete;
  UnixSocketFile& operator=(const UnixSocketFile&) = delete;

  // Takes over the socket that is at `path` now. Does nothing if there is none.
  void Own(const std::string& path);
  // Removes the socket, unless another file has taken its place. Is idempotent.
  void Remove();

 private:
  std::string path_ = {};  // "" if it owns no file
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_UNIX_SOCKET_H_
