// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/distributed/transport/grpc/slow_network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace leat::testing {
namespace {

constexpr int kPollMs = 10;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

SlowNetwork::SlowNetwork(const std::string& address)
    : port_(static_cast<uint16_t>(
          std::atoi(address.substr(address.rfind(':') + 1).c_str()))) {
  listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in own = Loopback(0);
  socklen_t size = sizeof(own);
  auto* const any = reinterpret_cast<sockaddr*>(&own);
  EXPECT_EQ(bind(listening_, any, size), 0);
  EXPECT_EQ(listen(listening_, 16), 0);
  EXPECT_EQ(getsockname(listening_, any, &size), 0);
  address_ = absl::StrCat("127.0.0.1:", ntohs(own.sin_port));
  thread_ = std::thread([this] { Run(); });
}

SlowNetwork::~SlowNetwork() {
  is_ending_ = true;
  thread_.join();
  close(listening_);
}

void SlowNetwork::Run() {
  std::vector<Connection> connections;
  while (!is_ending_) {
    std::vector<pollfd> ends = {{listening_, POLLIN, 0}};
    for (const Connection& connection : connections) {
      ends.push_back({connection.caller, POLLIN, 0});
      ends.push_back({connection.callee, POLLIN, 0});
    }
    if (poll(ends.data(), ends.size(), kPollMs) < 0) continue;
    const bool is_closed = is_closed_.exchange(false);
    if (is_frozen_.exchange(false)) {
      for (Connection& connection : connections) connection.is_frozen = true;
    }
    std::vector<Connection> open;
    for (size_t i = 0; i < connections.size(); ++i) {
      const Connection& connection = connections[i];
      if (!is_closed && Pass(connection, ends[2 * i + 1], ends[2 * i + 2])) {
        open.push_back(connection);
      } else {
        Close(connection);
      }
    }
    connections = std::move(open);
    if (ends[0].revents != 0) {
      connections.push_back(Accept());
      ++num_accepted_;
    }
    // The ends of frozen connections may be ready all the time; this pause
    // keeps the loop from spinning.
    poll(nullptr, 0, 1);
  }
  for (const Connection& connection : connections) Close(connection);
}

SlowNetwork::Connection SlowNetwork::Accept() const {
  const Connection connection = {
      .caller = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC),
      .callee = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const sockaddr_in to = Loopback(port_);
  EXPECT_EQ(connect(connection.callee, reinterpret_cast<const sockaddr*>(&to),
                    sizeof(to)),
            0);
  return connection;
}

void SlowNetwork::Close(const Connection& connection) {
  close(connection.caller);
  close(connection.callee);
}

bool SlowNetwork::Pass(const Connection& connection, const pollfd& caller,
                       const pollfd& callee) {
  if (connection.is_frozen) return true;
  return (caller.revents == 0 || Pass(connection.caller, connection.callee)) &&
         (callee.revents == 0 || Pass(connection.callee, connection.caller));
}

bool SlowNetwork::Pass(int from, int to) {
  char bytes[4096];
  const ssize_t size = read(from, bytes, sizeof(bytes));
  if (size <= 0) return false;
  ssize_t sent = 0;
  while (sent < size) {
    const ssize_t more =
        send(to, bytes + sent, static_cast<size_t>(size - sent), MSG_NOSIGNAL);
    if (more <= 0) return false;
    sent += more;
  }
  return true;
}

}  // namespace leat::testing
