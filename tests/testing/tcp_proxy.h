// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TcpProxy is a network with faults between a server and its clients. It
// forwards connections. It can delay or hold back what is sent, and it can
// close connections.
//
//   TcpProxy network(server->address());
//   Call(network.address());
//   network.Freeze();  // The caller gets no answer and no error.
#ifndef LEAT_TESTS_TESTING_TCP_PROXY_H_
#define LEAT_TESTS_TESTING_TCP_PROXY_H_

#include <list>
#include <memory>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/threads/mutex.h"

namespace leat::testing {

// Describes how a network misbehaves.
struct NetworkFault {
  // The proxy waits for this time before it passes on what it has received.
  absl::Duration delay = absl::ZeroDuration();
  // If `holds_requests` is true, nothing is passed on to the server. If
  // `holds_replies` is true, nothing is passed on to the clients. Connections
  // stay open. When the fault is over, everything that was held is passed on,
  // as when TCP sends lost bytes again.
  bool holds_requests = false;
  bool holds_replies = false;
  // All connections are closed, and new ones are closed at once.
  bool is_cut = false;
};

// Is thread-safe. The destructor closes all connections.
class TcpProxy {
 public:
  // Listens at `address`, and forwards each connection to `server`. Both are
  // "127.0.0.1:port". Fails the test if the proxy cannot listen.
  TcpProxy(const std::string& address, const std::string& server);
  // Listens at a free port.
  explicit TcpProxy(const std::string& server)
      : TcpProxy("127.0.0.1:0", server) {}
  ~TcpProxy();

  // Returns the address at which the proxy listens.
  const std::string& address() const { return address_; }
  // Returns the number of connections accepted so far, closed ones included.
  int num_accepted();

  // Begins a fault on all connections. `NetworkFault{}` ends it.
  void Set(const NetworkFault& fault);
  // Stops forwarding the bytes of all present connections, but keeps the
  // connections open.
  void Freeze();
  // Closes all present connections, so that both ends notice.
  void Close();

 private:
  struct Connection {
    FileDescriptor client = {};
    FileDescriptor server = {};
    std::thread requests = {};
    std::thread replies = {};
    // The mutex of the proxy guards the following fields.
    int num_threads = 2;  // threads that have not ended
    bool is_frozen = false;
  };

  void Accept();
  // Forwards what `from` sends until one side ends or the proxy breaks the
  // connection.
  void Forward(Connection& connection, bool is_request);
  // Waits while a fault stops the bytes in this direction. Returns the delay
  // that the fault adds.
  absl::Duration AwaitPassage(const Connection& connection, bool is_request);
  // Removes the connections whose threads have ended, and joins these threads.
  void RemoveEnded();
  static void Break(const Connection& connection);

  const std::string server_;
  FileDescriptor listener_;
  std::string address_;
  Mutex mutex_;
  CondVar changed_;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  int num_accepted_ ABSL_GUARDED_BY(mutex_) = 0;
  NetworkFault fault_ ABSL_GUARDED_BY(mutex_);
  std::list<std::unique_ptr<Connection>> connections_ ABSL_GUARDED_BY(mutex_);
  std::thread accepts_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TCP_PROXY_H_
