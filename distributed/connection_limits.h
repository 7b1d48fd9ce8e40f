// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ConnectionLimits limits the connections that a task accepts.
#ifndef LEAT_DISTRIBUTED_CONNECTION_LIMITS_H_
#define LEAT_DISTRIBUTED_CONNECTION_LIMITS_H_

#include <chrono>
#include <cstddef>

namespace leat {

// Says how many connections a listener keeps open. Is a value.
struct ConnectionLimits {
  // The listener keeps at most `max_connections` open in all, and at most
  // `max_per_address` with one IP address. If `max_per_address` is 0, half of
  // `max_connections` is the limit, so that no peer takes all connections. All
  // connections of a Unix socket count as connections with one address.
  size_t max_connections = 10'000;
  size_t max_per_address = 0;
  // A peer that has connected must begin to speak within this time.
  std::chrono::milliseconds handshake_timeout{10'000};
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CONNECTION_LIMITS_H_
