// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ListeningSockets holds the sockets with which a server listens at one
// address.
//
//   LEAT_ASSIGN_OR_RETURN(ListeningSockets listening,
//       ListenAt("localhost:0", times.ping_timeout));
//   // listening.address is "localhost:40123".
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_LISTENING_SOCKETS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_LISTENING_SOCKETS_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/distributed/transport/unix_socket.h"

namespace leat {

// Is movable. Its destructor closes the sockets and removes the file.
struct ListeningSockets {
  // Holds one non-blocking socket for each IP address of the host's name.
  std::vector<FileDescriptor> sockets = {};
  std::string address = {};                   // with the chosen port
  std::unique_ptr<UnixSocketFile> file = {};  // null without a Unix socket
};

// Listens at `address` (distributed/cluster/address.h). With port 0 all sockets
// get the same free port. "[::]:port" also takes connections over IPv4.
//
// The socket file of an address "unix:/path" has at most mode 0600. It replaces
// a socket file whose server is gone.
//
// A connection ends when its peer has not acknowledged sent bytes, or has kept
// its receive window full, for `user_timeout`.
//
// Returns INVALID_ARGUMENT for text that is no address, and UNAVAILABLE, with
// the system's reason, if this process cannot listen at the address. Otherwise
// fails as ClearSocketPath does.
absl::StatusOr<ListeningSockets> ListenAt(
    const std::string& address, std::chrono::milliseconds user_timeout);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_LISTENING_SOCKETS_H_
