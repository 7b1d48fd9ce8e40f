// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TcpProxy is a network with faults between a task and all that call it. It
// forwards connections, and it can do so slowly, lose what is sent, or break
// connections.
#ifndef LEAT_TESTS_SOAK_TCP_PROXY_H_
#define LEAT_TESTS_SOAK_TCP_PROXY_H_

#include <list>
#include <memory>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "leat/core/file_descriptor.h"
#include "leat/core/threads/mutex.h"

namespace leat::soak {

// How a network behaves.
struct NetworkFault {
  // Everything that arrives waits for so long before it goes on.
  absl::Duration delay = absl::ZeroDuration();
  // If `holds_requests`, nothing goes on to the task. If `holds_replies`,
  // nothing comes from it. Connections stay open, and what was held goes on
  // when the fault is over, as when TCP repeats what was lost.
  bool holds_requests = false;
  bool holds_replies = false;
  // All connections are closed, and new ones are closed at once.
  bool is_cut = false;
};

// Thread-safe. The destructor closes all connections.
class TcpProxy {
 public:
  // Listens at `address` and connects who connects to it with `server`. Both
  // are "127.0.0.1:port". Fails the test if it cannot listen.
  TcpProxy(const std::string& address, const std::string& server);
  ~TcpProxy();

  // Begins a fault. `NetworkFault{}` ends it.
  void Set(const NetworkFault& fault);

 private:
  struct Connection {
    FileDescriptor client = {};
    FileDescriptor server = {};
    std::thread requests = {};
    std::thread replies = {};
    int running = 2;  // threads; guarded by the proxy's mutex
  };

  void Accept();
  // Forwards what `from` sends until one side ends or the proxy breaks the
  // connection.
  void Forward(Connection& connection, bool is_request);
  // Waits while the fault holds what goes in this direction. Returns the delay.
  absl::Duration AwaitPassage(bool is_request);
  // Joins and forgets the connections whose threads have ended.
  void RemoveEnded();
  static void Break(const Connection& connection);

  const std::string server_;
  FileDescriptor listener_;
  Mutex mutex_;
  CondVar changed_;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  NetworkFault fault_ ABSL_GUARDED_BY(mutex_);
  std::list<std::unique_ptr<Connection>> connections_ ABSL_GUARDED_BY(mutex_);
  std::thread accepts_;
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_TCP_PROXY_H_
