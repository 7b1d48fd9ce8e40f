// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/distributed/cluster/address.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/tcp_proxy.h"
#include "leat/tests/testing/transport_ends_suite.h"
#include "leat/tests/testing/transport_suite.h"

namespace leat::testing::transport_test {
namespace {

std::string NameOf(const ::testing::TestParamInfo<TransportCase>& info) {
  return info.param.is_unix ? "Unix" : "Tcp";
}

INSTANTIATE_TEST_SUITE_P(Grpc, TransportTest,
                         ::testing::Values(TransportCase{"grpc", false},
                                           TransportCase{"grpc", true}),
                         NameOf);

// Returns true if a socket can be bound to ::1. Does not use Leat's code.
bool HasIpv6() {
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  const int fd = socket(AF_INET6, SOCK_STREAM, 0);
  if (fd < 0) return false;
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&loopback),
                          sizeof(loopback)) == 0;
  close(fd);
  return bound;
}

// Accepts connections and sends nothing.
class SilentListener {
 public:
  explicit SilentListener(const std::string& address) {
    const int on = 1;
    int port = 0;
    EXPECT_TRUE(
        absl::SimpleAtoi(absl::StripPrefix(address, "127.0.0.1:"), &port));
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(static_cast<uint16_t>(port));
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    EXPECT_EQ(
        bind(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof(where)), 0);
    EXPECT_EQ(listen(fd_, 100), 0);
  }
  ~SilentListener() {
    for (const int fd : connections_) close(fd);
    close(fd_);
  }
  SilentListener(const SilentListener&) = delete;
  SilentListener& operator=(const SilentListener&) = delete;

  size_t num_connections() {
    for (;;) {
      const int fd = accept(fd_, nullptr, nullptr);
      if (fd < 0) return connections_.size();
      connections_.push_back(fd);
    }
  }

 private:
  const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  std::vector<int> connections_;
};

// Returns the number of open files of this process.
ptrdiff_t NumOpenFiles() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

// After this time, every channel has tried to connect once more.
constexpr std::chrono::milliseconds kBackoff(1500);

class GrpcTest : public TransportTest {};

INSTANTIATE_TEST_SUITE_P(Grpc, GrpcTest,
                         ::testing::Values(TransportCase{"grpc", false}),
                         NameOf);

TEST_P(GrpcTest, ListensOnFreePorts) {
  const auto transport = NewTransport();
  const auto one = Listen(*transport, "127.0.0.1:0");
  const auto two = Listen(*transport, "localhost:0");
  EXPECT_NE(one->address(), two->address());
  EXPECT_THAT(two->address(), ::testing::StartsWith("localhost:"));
  for (const auto* listener : {&one, &two}) {
    EXPECT_FALSE(HasFreePort((*listener)->address()));
    ExpectEcho(*transport, (*listener)->address(), TestService::kEcho, "1", {});
  }
}

TEST_P(GrpcTest, SpeaksIpv6) {
  if (!HasIpv6()) GTEST_SKIP() << "this machine has no address ::1";
  const auto transport = NewTransport();
  const auto listener = Listen(*transport, "[::1]:0");
  ExpectEcho(*transport, listener->address(), TestService::kEcho, "x", {});
}

// While one listener has a port, no other listener can use it.
TEST_P(GrpcTest, SharesNoPort) {
  const auto one = NewTransport();
  const auto two = NewTransport();
  const auto listener = Listen(*one);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(
        two->Listen(listener->address(), service_.methods()).status().code(),
        absl::StatusCode::kUnavailable);
  }
}

TEST_P(GrpcTest, NamesHostsThatDoNotExist) {
  const auto transport = NewTransport();
  const std::string address = "no..host:1";
  const absl::Status called = CallNow(*transport, address, TestService::kEcho,
                                      {}, Within(std::chrono::seconds(20)))
                                  .status();
  EXPECT_EQ(called.code(), absl::StatusCode::kUnavailable) << called;
  EXPECT_THAT(std::string(called.message()), HasSubstr(address));
  const absl::Status listened =
      transport->Listen(address, service_.methods()).status();
  EXPECT_EQ(listened.code(), absl::StatusCode::kUnavailable) << listened;
  EXPECT_THAT(std::string(listened.message()), HasSubstr(address));
}

TEST_P(GrpcTest, CallsThatWaitShareAConnection) {
  const std::string address = LonelyAddress();
  const auto transport = NewTransport();
  EXPECT_EQ(CallNow(*transport, address, TestService::kEcho).status().code(),
            absl::StatusCode::kUnavailable);
  CallOptions options;
  options.wait_for_ready = true;
  options.cancellation = std::make_shared<Cancellation>();
  const std::vector<CallResult> results(10);
  for (const CallResult& result : results) {
    transport->Call(address, TestService::kEcho, {}, options, result.Done());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  SilentListener listener(address);
  EXPECT_TRUE(Eventually([&] { return listener.num_connections() > 0; }));
  std::this_thread::sleep_for(kBackoff);
  EXPECT_LT(listener.num_connections(), results.size());
  options.cancellation->Cancel(absl::AbortedError("enough"));
  for (const CallResult& result : results) {
    EXPECT_EQ(result.Take().status().code(), absl::StatusCode::kCancelled);
  }
}

// Channels that could not reach a peer must stop trying as soon as a call
// reaches the peer.
TEST_P(GrpcTest, KeepsNoConnectionsThatNobodyNeeds) {
  const auto transport = NewTransport();
  auto listener = Listen(*transport);
  const std::string address = listener->address();
  ExpectEcho(*transport, address, TestService::kEcho, "x", {});
  const ptrdiff_t files = NumOpenFiles();
  for (int i = 0; i < 10; ++i) {
    listener.reset();
    for (int call = 0; call < 2; ++call) {
      EXPECT_EQ(
          CallNow(*transport, address, TestService::kEcho).status().code(),
          absl::StatusCode::kUnavailable);
    }
    listener = Listen(*transport, address);
    for (int call = 0; call < 2; ++call) {
      ExpectEcho(*transport, address, TestService::kEcho, "x", {});
    }
  }
  EXPECT_TRUE(Eventually([&] { return NumOpenFiles() <= files + 4; }));
}

TEST_P(GrpcTest, RefusesMalformedMessages) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  Payload garbage;
  garbage.header = "\xff\xff\xff";
  const absl::Status request = CallNow(*transport, listener->address(),
                                       TestService::kEcho, std::move(garbage))
                                   .status();
  EXPECT_EQ(request.code(), absl::StatusCode::kInvalidArgument) << request;
  EXPECT_FALSE(IsTransportError(request));

  MethodTable methods;
  methods.Add(TestService::kEcho,
              [](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
                Payload wrong;
                wrong.header = "\xff\xff\xff";
                std::move(reply)(std::move(wrong));
              });
  const auto wrong = transport->Listen(NewAddress(), methods);
  ASSERT_TRUE(wrong.ok()) << wrong.status();
  const absl::Status response =
      CallNow(*transport, (*wrong)->address(), TestService::kEcho).status();
  EXPECT_EQ(response.code(), absl::StatusCode::kInternal) << response;
  EXPECT_TRUE(IsTransportError(response));
}

// A request that is refused for its size must not be copied into one piece
// first, because that would hold up a polling thread.
TEST_P(GrpcTest, RefusesLargeRequestsWhereAllAreSmall) {
  MethodTable methods;
  std::atomic<int> num_handled = 0;
  methods.Add(methods::kFetchChunk,
              [&](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
                ++num_handled;
                std::move(reply)(Payload());
              });
  const auto transport = NewTransport();
  const auto listener = transport->Listen(NewAddress(), methods);
  ASSERT_TRUE(listener.ok()) << listener.status();
  const auto call = [&](size_t bytes) {
    Payload request;
    request.header = std::string(bytes, 'x');
    return CallNow(*transport, (*listener)->address(), methods::kFetchChunk,
                   std::move(request))
        .status();
  };
  EXPECT_TRUE(call(65536).ok());
  for (const size_t bytes : {size_t{65537}, size_t{1} << 20}) {
    const absl::Status refused = call(bytes);
    EXPECT_EQ(refused,
              absl::InvalidArgumentError(absl::StrCat(
                  "FetchChunkRequest has ", bytes, " bytes, more than 65536")));
    EXPECT_FALSE(IsTransportError(refused));
  }
  EXPECT_EQ(num_handled, 1);
}

// The connection closes, as when the peer's process ends.
TEST_P(GrpcTest, LostConnectionsAreUnavailable) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  TcpProxy network(listener->address());
  const CallResult result;
  transport->Call(network.address(), TestService::kWait, {}, {}, result.Done());
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 1; }));
  network.Close();
  const absl::Status status = result.Take().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(network.address()));
  EXPECT_TRUE(IsTransportError(status));
  EXPECT_TRUE(Eventually([&] { return service_.num_cancelled() == 1; }));
}

// The transport pings a peer that allows pings, and asks any other peer for its
// health. Like TensorFlow's tasks, the peers in this test do not know the
// health method. WatchPeer may be called before or after a call to the peer has
// begun.
TEST_P(GrpcTest, NoticesThatPeersAreSilent) {
  struct Case {
    bool allows_pings;
    bool is_known_later;
    std::unique_ptr<TcpProxy> network = {};
    CallResult result = {};
  };
  Case cases[] = {{true, false}, {true, true}, {false, false}, {false, true}};
  const auto callee = NewTransport();
  const auto caller = NewTransport();
  const auto listener = Listen(*callee);
  for (Case& each : cases) {
    each.network = std::make_unique<TcpProxy>(listener->address());
    const std::string& address = each.network->address();
    if (!each.is_known_later) caller->WatchPeer(address, each.allows_pings);
    caller->Call(address, TestService::kWait, {}, {}, each.result.Done());
    if (each.is_known_later) caller->WatchPeer(address, each.allows_pings);
  }
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 4; }));
  const auto begin = RealClock().Now();
  for (const Case& each : cases) each.network->Freeze();
  for (const Case& each : cases) {
    SCOPED_TRACE(absl::StrCat(each.allows_pings, each.is_known_later));
    const absl::Status status = each.result.Take().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(each.network->address()));
    EXPECT_TRUE(IsTransportError(status));
  }
  // The calls fail within five seconds unless the machine is busy.
  EXPECT_LT(RealClock().Now() - begin, std::chrono::seconds(20));
  // The callee pings the caller and gets no answer, so it cancels the calls,
  // too.
  EXPECT_TRUE(Eventually([&] { return service_.num_cancelled() == 4; }));
}

// After a machine was lost, another machine may get its address.
TEST_P(GrpcTest, ConnectsAnewToPeersThatWereSilent) {
  const auto callee = NewTransport();
  const auto caller = NewTransport();
  const auto listener = Listen(*callee);
  TcpProxy network(listener->address());
  caller->WatchPeer(network.address(), /*allows_pings=*/false);
  const CallResult result;
  caller->Call(network.address(), TestService::kWait, {}, {}, result.Done());
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 1; }));
  network.Freeze();
  EXPECT_TRUE(absl::IsUnavailable(result.Take().status()));
  ExpectEcho(*caller, network.address(), TestService::kEcho, "x", {});
}

TEST_P(GrpcTest, AsksWhileCallsWait) {
  MethodTable methods;
  std::atomic<int> num_asked = 0;
  std::thread holder;
  methods.Add(methods::kHealthCheck,
              [&](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
                ++num_asked;
                std::move(reply)(Payload());
              });
  methods.Add(TestService::kHold,
              [&](const std::shared_ptr<CallContext>&, Payload, Reply reply) {
                holder = std::thread([&, reply = std::move(reply)]() mutable {
                  EXPECT_TRUE(Eventually([&] { return num_asked >= 2; }));
                  std::move(reply)(Payload());
                });
              });
  const auto callee = NewTransport();
  const auto listener = callee->Listen(NewAddress(), methods);
  ASSERT_TRUE(listener.ok()) << listener.status();
  const auto caller = NewTransport();
  caller->WatchPeer((*listener)->address(), /*allows_pings=*/false);
  const CallResult result;
  caller->Call((*listener)->address(), TestService::kHold, {}, {},
               result.Done());
  EXPECT_TRUE(result.Take().ok());
  if (holder.joinable()) holder.join();
}

TEST_P(GrpcTest, LeavesSlowPeersAlone) {
  const auto callee = NewTransport();
  const auto listener = Listen(*callee);
  const std::unique_ptr<Transport> callers[] = {NewTransport(), NewTransport()};
  const CallResult results[2];
  for (const bool allows_pings : {true, false}) {
    Transport& caller = *callers[allows_pings];
    caller.WatchPeer(listener->address(), allows_pings);
    caller.Call(listener->address(), TestService::kHold, {}, {},
                results[allows_pings].Done());
  }
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 2; }));
  // This is enough time for several pings and several health checks.
  std::this_thread::sleep_for(std::chrono::seconds(7));
  for (const CallResult& result : results) EXPECT_FALSE(result.is_done());
  service_.Release();
  for (const CallResult& result : results) {
    const absl::StatusOr<Payload> response = result.Take();
    EXPECT_TRUE(response.ok()) << response.status();
  }
}

// The last call of WatchPeer decides whether a peer is pinged, because the
// program at an address may be replaced by another program.
TEST_P(GrpcTest, PeersAreWatchedAsTheyAllowLast) {
  const auto callee = NewTransport();
  const auto listener = Listen(*callee);
  for (const bool allows_pings : {true, false}) {
    const auto caller = NewTransport();
    TcpProxy network(listener->address());
    caller->WatchPeer(network.address(), !allows_pings);
    ExpectEcho(*caller, network.address(), TestService::kEcho, "x", {});
    caller->WatchPeer(network.address(), allows_pings);
    const int begun = service_.num_begun();
    const CallResult result;
    caller->Call(network.address(), TestService::kWait, {}, {}, result.Done());
    ASSERT_TRUE(Eventually([&] { return service_.num_begun() == begun + 1; }));
    network.Freeze();
    const std::string message(result.Take().status().message());
    const auto is_asked = HasSubstr("it has stopped answering");
    if (allows_pings) {
      EXPECT_THAT(message, ::testing::Not(is_asked));
    } else {
      EXPECT_THAT(message, is_asked);
    }
  }
}

// In one case the transport is destroyed before it asks a silent peer for its
// health, and in the other case while it waits for the answer.
TEST_P(GrpcTest, EndsWhileItAsksPeers) {
  const auto callee = NewTransport();
  const auto listener = Listen(*callee);
  for (const int seconds : {0, 2}) {
    TcpProxy network(listener->address());
    const int begun = service_.num_begun();
    const CallResult result;
    auto caller = NewTransport();
    caller->WatchPeer(network.address(), /*allows_pings=*/false);
    caller->Call(network.address(), TestService::kWait, {}, {}, result.Done());
    ASSERT_TRUE(Eventually([&] { return service_.num_begun() == begun + 1; }));
    network.Freeze();
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    caller.reset();
    EXPECT_TRUE(absl::IsCancelled(result.Take().status()));
  }
}

}  // namespace
}  // namespace leat::testing::transport_test
