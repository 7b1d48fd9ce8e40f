// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the messages that users get when gRPC cannot connect. Some tests pass a
// message of gRPC to WhyUnreachable. Others try to connect to a peer that gRPC
// cannot reach.
#include "leat/distributed/transport/grpc/why_unreachable.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/graph/builder/builder.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::why_unreachable_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kCannotConnect[] =
    "failed to connect to all addresses; last error: ";

TEST(WhyUnreachableTest, KeepsOtherMessages) {
  // gRPC says this when a connection is lost during a call.
  EXPECT_EQ(WhyUnreachable("Socket closed"), "Socket closed");
  EXPECT_EQ(WhyUnreachable("recvmsg:Connection reset by peer"),
            "recvmsg:Connection reset by peer");
  EXPECT_EQ(WhyUnreachable(absl::StrCat(kCannotConnect, "UNKNOWN: new words")),
            "UNKNOWN: new words");
  const std::string no_dns =
      "DNS resolution failed for a:1: C-ares status is not ARES_SUCCESS "
      "qtype=A name=a is_balancer=0: Timeout while contacting DNS servers";
  EXPECT_EQ(WhyUnreachable(no_dns), no_dns);
}

TEST(WhyUnreachableTest, KnowsPeersThatAreNoTasks) {
  EXPECT_THAT(
      WhyUnreachable(absl::StrCat(kCannotConnect,
                                  "INTERNAL: ipv4:127.0.0.1:80: Trying to "
                                  "connect an http1.x server")),
      HasSubstr("HTTP/1"));
  // A server that wants TLS closes the socket, for example.
  EXPECT_THAT(
      WhyUnreachable(absl::StrCat(
          kCannotConnect, "UNAVAILABLE: ipv4:127.0.0.1:443: Socket closed")),
      HasSubstr("TLS"));
  EXPECT_THAT(WhyUnreachable(absl::StrCat(
                  kCannotConnect,
                  "UNKNOWN: ipv4:10.0.0.1:7001: tcp handshaker shutdown")),
              HasSubstr("timed out"));
}

// Tries to create a session for `target` within `time`. Returns the error
// message.
std::string ErrorOf(const std::string& target, std::chrono::milliseconds time) {
  GraphBuilder b;
  b.Const(1.0f);
  const auto session =
      NewRemoteSession(*b.Build(), target, {.connect_timeout = time});
  EXPECT_EQ(session.status().code(), absl::StatusCode::kUnavailable)
      << session.status();
  return std::string(session.status().message());
}

// A BoundSocket is bound to a free port and accepts no connections.
class BoundSocket {
 public:
  BoundSocket() {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(
        bind(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof(where)), 0);
    socklen_t size = sizeof(where);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&where), &size), 0);
    port_ = ntohs(where.sin_port);
  }
  ~BoundSocket() { close(fd_); }
  BoundSocket(const BoundSocket&) = delete;
  BoundSocket& operator=(const BoundSocket&) = delete;

  // From now on the kernel accepts connections, and no program answers them.
  void Listen() const { EXPECT_EQ(listen(fd_, 16), 0); }
  // Accepts one connection and answers the first request with status 404. An
  // HTTP/2 server does this if it does not know the path.
  void AnswerNotFound() const {
    const int connection = accept(fd_, nullptr, nullptr);
    // These are the server's SETTINGS frame, and a HEADERS frame that ends
    // stream 1 (RFC 9113).
    const absl::string_view settings("\0\0\0\4\0\0\0\0\0", 9);
    const absl::string_view not_found("\0\0\1\1\5\0\0\0\1\x8d", 10);
    EXPECT_EQ(send(connection, settings.data(), settings.size(), 0), 9);
    std::string received;
    char buffer[4096];
    // The path in the HEADERS frame of the request contains "CreateSession". So
    // the frame has arrived when this text has been received.
    while (!absl::StrContains(received, "CreateSession")) {
      const ssize_t size = recv(connection, buffer, sizeof(buffer), 0);
      if (size <= 0) break;
      received.append(buffer, static_cast<size_t>(size));
    }
    EXPECT_EQ(send(connection, not_found.data(), not_found.size(), 0), 10);
    while (recv(connection, buffer, sizeof(buffer), 0) > 0) {
    }
    close(connection);
  }
  std::string target() const {
    return absl::StrCat("grpc://127.0.0.1:", port_);
  }

 private:
  const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
};

TEST(WhyUnreachableTest, ASessionSaysThatItsMasterRefusesConnections) {
  const BoundSocket nobody;
  EXPECT_THAT(ErrorOf(nobody.target(), std::chrono::seconds(2)),
              AllOf(HasSubstr("127.0.0.1:"), HasSubstr("gave up after 2s"),
                    HasSubstr("connection refused")));
}

TEST(WhyUnreachableTest, ASessionSaysThatThereIsNoSocket) {
  const TemporaryFolder folder;
  EXPECT_THAT(ErrorOf(absl::StrCat("unix://", folder.Path("nosuch.sock")),
                      std::chrono::seconds(2)),
              AllOf(HasSubstr("nosuch.sock"), HasSubstr("no such socket")));
}

TEST(WhyUnreachableTest, ASessionSaysThatItsMasterIsSilent) {
  const BoundSocket silent;
  silent.Listen();
  // gRPC ends an attempt to connect after two seconds.
  EXPECT_THAT(ErrorOf(silent.target(), std::chrono::seconds(6)),
              AllOf(HasSubstr("timed out"), HasSubstr("does not answer"),
                    Not(HasSubstr("SETTINGS"))));
}

TEST(WhyUnreachableTest, ASessionSaysThatAnHttpServerAnswers) {
  const BoundSocket server;
  server.Listen();
  std::thread answers([&server] { server.AnswerNotFound(); });
  GraphBuilder b;
  b.Const(1.0f);
  const auto session = NewRemoteSession(*b.Build(), server.target());
  EXPECT_THAT(
      std::string(session.status().message()),
      AllOf(HasSubstr("127.0.0.1:"),
            HasSubstr("is no task, but an HTTP server"), HasSubstr("404")));
  EXPECT_TRUE(session.status().GetPayload(kTransportErrorPayload).has_value());
  answers.join();
}

TEST(WhyUnreachableTest, ASessionSaysThatItsHostIsUnknown) {
  // The name is reserved, so no host has it (RFC 6761). On a machine without a
  // name server, the message says that the lookup failed.
  EXPECT_THAT(ErrorOf("grpc://nosuch.invalid:1", std::chrono::seconds(2)),
              AllOf(HasSubstr("nosuch.invalid:1 cannot be reached"),
                    ::testing::AnyOf(HasSubstr("unknown host"),
                                     HasSubstr("DNS resolution failed"))));
}

}  // namespace
}  // namespace leat::why_unreachable_test
