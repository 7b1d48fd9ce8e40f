// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RawConnection is a TCP connection to a task without a gRPC client. It can
// send any bytes, and it can end in the middle of a message or without waiting
// for an answer. BytesOfCall returns the bytes that a client would send.
#ifndef LEAT_TESTS_TESTING_RAW_CONNECTION_H_
#define LEAT_TESTS_TESTING_RAW_CONNECTION_H_

#include <string>

#include "absl/strings/string_view.h"
#include "leat/distributed/wire/methods.h"

namespace leat::testing {

// Is used by one thread. Owns its socket.
class RawConnection {
 public:
  // Connects to `address`, "127.0.0.1:port". Fails the test if nobody listens
  // there.
  explicit RawConnection(const std::string& address);
  // Closes the socket as the kernel does for a killed process. Calls in
  // progress are not cancelled first.
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // Sends all `bytes`. Fails the test if they cannot be sent.
  void Send(absl::string_view bytes);
  // Sends `bytes`. Returns false if not all of them can be sent, because the
  // peer has closed the connection.
  bool TrySend(absl::string_view bytes);
  // Reads what the peer sends until the peer closes the connection. Returns
  // false if the peer has not closed it after a minute.
  bool IsClosedByPeer();

 private:
  const int socket_;
};

// Returns all bytes that a client sends on a connection to call `method` once.
// `message` must be smaller than 16 KiB. The formats are those of RFC 9113
// (HTTP/2), RFC 7541 (HPACK) and gRPC over HTTP/2.
std::string BytesOfCall(const Method& method, absl::string_view message);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_RAW_CONNECTION_H_
