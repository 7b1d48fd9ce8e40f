// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/acceptor.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/sanitizers.h"

namespace leat::acceptor_test {
namespace {

using ::testing::ElementsAre;
using testing::Eventually;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kHasSanitizer;
using ::testing::MatchesRegex;

constexpr std::chrono::seconds kUserTimeout(3);

// A Peer is a peer of the acceptor.
class Peer {
 public:
  Peer() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_TRUE(socket_.is_open());
    // No test waits for longer than this.
    const timeval limit = {.tv_sec = 60, .tv_usec = 0};
    setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit,
               sizeof(limit));
  }
  explicit Peer(const std::string& address) : Peer() { Connect(address); }

  void Connect(const std::string& address) { EXPECT_TRUE(Connects(address)); }
  // Connects to `address`. Returns false if nobody listens at the address.
  bool Connects(const std::string& address) {
    sockaddr_in server = {};
    server.sin_family = AF_INET;
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server.sin_port = htons(static_cast<uint16_t>(
        std::atoi(address.substr(address.rfind(':') + 1).c_str())));
    return connect(socket_.number(), reinterpret_cast<const sockaddr*>(&server),
                   sizeof(server)) == 0;
  }

  // Waits until the acceptor closes the connection or sends something. Returns
  // true if the acceptor has closed the connection.
  bool IsClosed() {
    char byte = 0;
    const ssize_t received = recv(socket_.number(), &byte, 1, 0);
    EXPECT_TRUE(received >= 0 || errno == ECONNRESET) << strerror(errno);
    return received <= 0;
  }

 private:
  FileDescriptor socket_;
};

// Lowers the limit of descriptors of this process and opens all descriptors
// that are left. The destructor closes them and restores the limit.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    taken_.emplace_back(next);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(next) + 20;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while (taken_.back().is_open()) {
      taken_.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    EXPECT_EQ(errno, EMFILE);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
  std::vector<FileDescriptor> taken_;
};

class AcceptorTest : public ::testing::Test {
 protected:
  // Starts an acceptor that sends one byte to each peer that it accepts.
  void Start(size_t max_connections, size_t max_per_address = 100) {
    auto listening = ListenAt("127.0.0.1:0", kUserTimeout);
    ASSERT_TRUE(listening.ok()) << listening.status();
    address_ = listening->address;
    auto acceptor = Acceptor::Start(
        *std::move(listening),
        ConnectionTable(max_connections, max_per_address),
        [this](int, FileDescriptor connection) {
          EXPECT_EQ(send(connection.number(), "x", 1, MSG_NOSIGNAL), 1);
          MutexLock lock(mutex_);
          accepted_.push_back(std::move(connection));
        },
        [this](absl::string_view message) {
          MutexLock lock(mutex_);
          messages_.emplace_back(message);
        },
        RealClock());
    ASSERT_TRUE(acceptor.ok()) << acceptor.status();
    acceptor_ = *std::move(acceptor);
  }
  // Closes the connections that were accepted, as gRPC does.
  void CloseAccepted() {
    MutexLock lock(mutex_);
    accepted_.clear();
  }
  size_t num_accepted() {
    MutexLock lock(mutex_);
    return accepted_.size();
  }
  std::vector<std::string> messages() {
    MutexLock lock(mutex_);
    return messages_;
  }

  Mutex mutex_;
  std::vector<FileDescriptor> accepted_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> messages_ ABSL_GUARDED_BY(mutex_);
  std::string address_;
  // The thread of the acceptor uses the other members, so the acceptor is
  // destroyed first.
  std::unique_ptr<Acceptor> acceptor_;
};

TEST_F(AcceptorTest, HandsConnectionsOn) {
  Start(/*max_connections=*/10);
  Peer one(address_);
  Peer two(address_);
  EXPECT_FALSE(one.IsClosed());
  EXPECT_FALSE(two.IsClosed());
  const ConnectionCounts counts = acceptor_->counts();
  EXPECT_EQ(counts.open, 2u);
  EXPECT_EQ(counts.max, 10u);
  EXPECT_EQ(counts.refused, 0u);
  EXPECT_EQ(counts.problem, "");
  acceptor_.reset();
  EXPECT_THAT(messages(), IsEmpty());
}

TEST_F(AcceptorTest, ClosesWhatIsTooMany) {
  Start(/*max_connections=*/2);
  Peer one(address_);
  EXPECT_FALSE(one.IsClosed());
  EXPECT_EQ(acceptor_->counts().problem, "");
  Peer two(address_);
  EXPECT_FALSE(two.IsClosed());
  const std::string problem = "2 connections are open (--max-connections)";
  EXPECT_EQ(acceptor_->counts().problem, problem);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Peer(address_).IsClosed());
  EXPECT_TRUE(Eventually([&] { return acceptor_->counts().refused == 3; }));
  EXPECT_EQ(acceptor_->counts().problem, problem);
  CloseAccepted();
  EXPECT_TRUE(Eventually([&] { return acceptor_->counts().problem.empty(); }));
  Peer three(address_);
  EXPECT_FALSE(three.IsClosed());
  acceptor_.reset();
  // The log gets only the first of the refusals, and a message when the
  // acceptor accepts connections again.
  EXPECT_THAT(messages(),
              ElementsAre("closed a connection from 127.0.0.1: " + problem,
                          MatchesRegex("accepts connections again; [0-9]+ were "
                                       "closed since the start")));
}

TEST_F(AcceptorTest, APlaceThatWasLeftIsFreeAtOnce) {
  Start(/*max_connections=*/1);
  for (int i = 0; i < 50; ++i) {
    Peer peer(address_);
    EXPECT_FALSE(peer.IsClosed()) << i;
    // The acceptor sends the byte before it counts the connection.
    EXPECT_TRUE(Eventually([&] { return num_accepted() == 1; }));
    CloseAccepted();
  }
}

TEST_F(AcceptorTest, AnAddressMayNotHaveAllConnections) {
  Start(/*max_connections=*/10, /*max_per_address=*/1);
  Peer one(address_);
  EXPECT_FALSE(one.IsClosed());
  EXPECT_TRUE(Peer(address_).IsClosed());
  EXPECT_EQ(acceptor_->counts().problem, "");  // other addresses may connect
  CloseAccepted();
  EXPECT_TRUE(Eventually([&] { return acceptor_->counts().open == 0; }));
  Peer two(address_);
  EXPECT_FALSE(two.IsClosed());
}

TEST_F(AcceptorTest, AcceptsAgainWhenThereAreDescriptorsAgain) {
  if (kHasSanitizer) GTEST_SKIP() << "a sanitizer needs descriptors itself";
  Start(/*max_connections=*/10);
  Peer early, late;
  {
    const NoDescriptors none;
    early.Connect(address_);
    EXPECT_TRUE(early.IsClosed());
    EXPECT_TRUE(Eventually(
        [&] { return acceptor_->counts().problem == "Too many open files"; }));
  }
  late.Connect(address_);
  EXPECT_FALSE(late.IsClosed());
  EXPECT_TRUE(Eventually([&] { return acceptor_->counts().problem.empty(); }));
  EXPECT_EQ(acceptor_->counts().refused, 1u);
  acceptor_.reset();
  EXPECT_THAT(messages().front(), HasSubstr("Too many open files"));
}

TEST_F(AcceptorTest, NeedsDescriptors) {
  if (kHasSanitizer) GTEST_SKIP() << "a sanitizer needs descriptors itself";
  auto listening = ListenAt("127.0.0.1:0", kUserTimeout);
  ASSERT_TRUE(listening.ok()) << listening.status();
  const NoDescriptors none;
  EXPECT_EQ(Acceptor::Start(
                *std::move(listening), ConnectionTable(1, 1),
                [](int, FileDescriptor) {}, nullptr, RealClock())
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(AcceptorTest, AcceptsNobodyAfterStop) {
  Start(/*max_connections=*/10);
  Peer before, after;
  before.Connect(address_);
  EXPECT_FALSE(before.IsClosed());
  acceptor_->Stop();
  acceptor_->Stop();
  EXPECT_EQ(acceptor_->counts().open, 1u);
  EXPECT_FALSE(after.Connects(address_));
  EXPECT_EQ(ListenAt(address_, kUserTimeout).status(), absl::OkStatus());
}

}  // namespace
}  // namespace leat::acceptor_test
