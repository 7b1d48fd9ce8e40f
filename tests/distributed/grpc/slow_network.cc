// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/distributed/grpc/slow_network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

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
  pollfd waiting = {listening_, POLLIN, 0};
  while (poll(&waiting, 1, kPollMs) == 0) {
    if (is_ending_) return;
  }
  const int caller = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  const int callee = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to = Loopback(port_);
  EXPECT_EQ(connect(callee, reinterpret_cast<const sockaddr*>(&to), sizeof(to)),
            0);
  bool is_open = true;
  while (is_open && !is_closed_ && !is_ending_) {
    if (is_frozen_) {
      poll(nullptr, 0, kPollMs);
      continue;
    }
    pollfd ends[] = {{caller, POLLIN, 0}, {callee, POLLIN, 0}};
    if (poll(ends, 2, kPollMs) <= 0) continue;
    if (ends[0].revents != 0) is_open = Pass(caller, callee);
    if (ends[1].revents != 0) is_open = Pass(callee, caller) && is_open;
  }
  close(caller);
  close(callee);
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
