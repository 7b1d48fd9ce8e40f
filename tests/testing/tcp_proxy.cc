// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/tcp_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace leat::testing {
namespace {

constexpr size_t kPieceBytes = 64 << 10;
constexpr int kBacklog = 1024;

sockaddr_in AddressOf(const std::string& address) {
  sockaddr_in made = {};
  made.sin_family = AF_INET;
  made.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  made.sin_port = htons(static_cast<uint16_t>(
      std::atoi(address.substr(address.rfind(':') + 1).c_str())));
  return made;
}

FileDescriptor NewSocket() {
  return FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

// Returns a closed descriptor if nobody listens at `address`.
FileDescriptor ConnectTo(const std::string& address) {
  FileDescriptor made = NewSocket();
  const sockaddr_in to = AddressOf(address);
  if (connect(made.number(), reinterpret_cast<const sockaddr*>(&to),
              sizeof(to)) != 0) {
    made.Close();
  }
  return made;
}

void SetNoDelay(const FileDescriptor& of) {
  const int yes = 1;
  setsockopt(of.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

bool SendAll(const FileDescriptor& to, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(to.number(), bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

}  // namespace

TcpProxy::TcpProxy(const std::string& address, const std::string& server)
    : server_(server), listener_(NewSocket()) {
  sockaddr_in own = AddressOf(address);
  socklen_t size = sizeof(own);
  auto* const any = reinterpret_cast<sockaddr*>(&own);
  const int yes = 1;
  setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  EXPECT_EQ(bind(listener_.number(), any, size), 0)
      << address << ": " << std::strerror(errno);
  EXPECT_EQ(listen(listener_.number(), kBacklog), 0) << std::strerror(errno);
  EXPECT_EQ(getsockname(listener_.number(), any, &size), 0);
  address_ = absl::StrCat("127.0.0.1:", ntohs(own.sin_port));
  accepts_ = std::thread([this] { Accept(); });
}

TcpProxy::~TcpProxy() {
  {
    MutexLock lock(mutex_);
    is_ending_ = true;
    for (const auto& connection : connections_) Break(*connection);
  }
  changed_.NotifyAll();
  shutdown(listener_.number(), SHUT_RDWR);
  accepts_.join();
  {
    MutexLock lock(mutex_);
    const auto all_ended = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      for (const auto& each : connections_) {
        if (each->num_threads > 0) return false;
      }
      return true;
    };
    while (!all_ended()) changed_.Wait(mutex_);
  }
  RemoveEnded();
}

void TcpProxy::Set(const NetworkFault& fault) {
  {
    MutexLock lock(mutex_);
    fault_ = fault;
    if (fault.is_cut) {
      for (const auto& connection : connections_) Break(*connection);
    }
  }
  changed_.NotifyAll();
}

void TcpProxy::Freeze() {
  MutexLock lock(mutex_);
  for (const auto& connection : connections_) connection->is_frozen = true;
}

void TcpProxy::Close() {
  {
    MutexLock lock(mutex_);
    for (const auto& connection : connections_) {
      connection->is_frozen = false;
      Break(*connection);
    }
  }
  changed_.NotifyAll();
}

int TcpProxy::num_accepted() {
  MutexLock lock(mutex_);
  return num_accepted_;
}

void TcpProxy::Accept() {
  for (;;) {
    FileDescriptor client(
        accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    RemoveEnded();
    FileDescriptor server;
    if (client.is_open()) server = ConnectTo(server_);
    MutexLock lock(mutex_);
    if (is_ending_) return;
    if (client.is_open()) ++num_accepted_;
    // If this iteration ends here, `client` closes its connection. The client
    // notices that at once.
    if (fault_.is_cut || !server.is_open()) continue;
    SetNoDelay(client);
    SetNoDelay(server);
    auto& made = *connections_.emplace_back(std::make_unique<Connection>());
    made.client = std::move(client);
    made.server = std::move(server);
    made.requests = std::thread([this, &made] { Forward(made, true); });
    made.replies = std::thread([this, &made] { Forward(made, false); });
  }
}

void TcpProxy::Forward(Connection& connection, bool is_request) {
  const FileDescriptor& from =
      is_request ? connection.client : connection.server;
  const FileDescriptor& to = is_request ? connection.server : connection.client;
  std::vector<char> piece(kPieceBytes);
  for (;;) {
    const ssize_t size = recv(from.number(), piece.data(), piece.size(), 0);
    // Waits even if the sender has closed the connection. A network that holds
    // data back also holds back the end of a connection.
    absl::SleepFor(AwaitPassage(connection, is_request));
    if (size <= 0) break;
    if (!SendAll(to, piece.data(), static_cast<size_t>(size))) break;
  }
  Break(connection);
  MutexLock lock(mutex_);
  --connection.num_threads;
  changed_.NotifyAll();
}

absl::Duration TcpProxy::AwaitPassage(const Connection& connection,
                                      bool is_request) {
  MutexLock lock(mutex_);
  while (!is_ending_ &&
         (connection.is_frozen ||
          (is_request ? fault_.holds_requests : fault_.holds_replies))) {
    changed_.Wait(mutex_);
  }
  return is_ending_ ? absl::ZeroDuration() : fault_.delay;
}

void TcpProxy::RemoveEnded() {
  std::list<std::unique_ptr<Connection>> ended;
  {
    MutexLock lock(mutex_);
    for (auto each = connections_.begin(); each != connections_.end();) {
      const auto next = std::next(each);
      if ((*each)->num_threads == 0)
        ended.splice(ended.end(), connections_, each);
      each = next;
    }
  }
  for (const auto& each : ended) {
    each->requests.join();
    each->replies.join();
  }
}

void TcpProxy::Break(const Connection& connection) {
  shutdown(connection.client.number(), SHUT_RDWR);
  shutdown(connection.server.number(), SHUT_RDWR);
}

}  // namespace leat::testing
