// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SlowNetwork is a proxy between callers and one address. It can imitate
// network failures.
#ifndef LEAT_TESTS_DISTRIBUTED_TRANSPORT_GRPC_SLOW_NETWORK_H_
#define LEAT_TESTS_DISTRIBUTED_TRANSPORT_GRPC_SLOW_NETWORK_H_

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace leat::testing {

// Makes a connection to the callee for each connection of a caller, and passes
// bytes between the two. Owns its sockets and the thread that passes the bytes.
// Freeze, Close and num_accepted may be called by any thread.
class SlowNetwork {
 public:
  // Listens at a free port, for connections to `address`, "127.0.0.1:port".
  // Fails the test if it cannot listen.
  explicit SlowNetwork(const std::string& address);
  // Closes all connections.
  ~SlowNetwork();
  SlowNetwork(const SlowNetwork&) = delete;
  SlowNetwork& operator=(const SlowNetwork&) = delete;

  const std::string& address() const { return address_; }
  // Returns the number of connections accepted so far, closed ones included.
  int num_accepted() const { return num_accepted_; }

  // Stops passing bytes on the existing connections, but keeps them open.
  void Freeze() { is_frozen_ = true; }
  // Closes the existing connections, so both ends notice.
  void Close() { is_closed_ = true; }

 private:
  // The sockets of both ends of one connection.
  struct Connection {
    int caller = -1;
    int callee = -1;
    bool is_frozen = false;
  };

  void Run();
  Connection Accept() const;
  static void Close(const Connection& connection);
  // Passes on what has arrived from either end. Returns false if one end has
  // closed its connection.
  static bool Pass(const Connection& connection, const pollfd& caller,
                   const pollfd& callee);
  // Passes on bytes in one direction. Returns false if `from` is closed.
  static bool Pass(int from, int to);

  const uint16_t port_;  // of the callee
  int listening_ = -1;
  std::string address_;
  std::atomic<int> num_accepted_{0};
  std::atomic<bool> is_frozen_{false};
  std::atomic<bool> is_closed_{false};
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_TRANSPORT_GRPC_SLOW_NETWORK_H_
