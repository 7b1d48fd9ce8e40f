// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SlowNetwork: a proxy between callers and the address that it is made for,
// which can fail as networks do.
#ifndef LEAT_TESTS_DISTRIBUTED_GRPC_SLOW_NETWORK_H_
#define LEAT_TESTS_DISTRIBUTED_GRPC_SLOW_NETWORK_H_

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace leat::testing {

class SlowNetwork {
 public:
  // To "127.0.0.1:port". Fails the test when it cannot listen.
  explicit SlowNetwork(const std::string& address);
  ~SlowNetwork();
  SlowNetwork(const SlowNetwork&) = delete;
  SlowNetwork& operator=(const SlowNetwork&) = delete;

  const std::string& address() const { return address_; }
  // Connections that there are or were.
  int num_accepted() const { return num_accepted_; }

  // From now on no byte gets through the connections that there are, and nobody
  // is told.
  void Freeze() { is_frozen_ = true; }
  // Both ends are told that their connections are no more.
  void Close() { is_closed_ = true; }

 private:
  struct Connection {
    int caller = -1;
    int callee = -1;
    bool is_frozen = false;
  };

  void Run();
  Connection Accept() const;
  static void Close(const Connection& connection);
  // False when one end has closed.
  static bool Pass(const Connection& connection, const pollfd& caller,
                   const pollfd& callee);
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

#endif  // LEAT_TESTS_DISTRIBUTED_GRPC_SLOW_NETWORK_H_
