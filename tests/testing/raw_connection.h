// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RawConnection: a connection to a task that is no client of gRPC's, so that it
// can say anything, and end in the middle of it or without waiting for an
// answer. BytesOfCall: what a client would say.
#ifndef LEAT_TESTS_TESTING_RAW_CONNECTION_H_
#define LEAT_TESTS_TESTING_RAW_CONNECTION_H_

#include <string>

#include "absl/strings/string_view.h"
#include "leat/distributed/methods.h"

namespace leat::testing {

// For one thread.
class RawConnection {
 public:
  // `address`: "127.0.0.1:port". Fails the test when nobody listens there.
  explicit RawConnection(const std::string& address);
  // As when the process is killed: what is under way is not given up before.
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  void Send(absl::string_view bytes);

 private:
  const int socket_;
};

// All bytes of a connection over which that method is called once, with a
// message of less than 16 KiB (RFC 9113, RFC 7541, and gRPC over HTTP/2).
std::string BytesOfCall(const Method& method, absl::string_view message);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_RAW_CONNECTION_H_
