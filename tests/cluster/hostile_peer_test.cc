// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// As tests/distributed/hostile_peer_test.cc, over sockets, and what the process
// has afterwards: files and memory as before.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/distributed/remote_session.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/good_session.h"
#include "leat/tests/testing/hostile_peer.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LEAT_HAS_SANITIZER
#endif
#endif

namespace leat::testing {
namespace {

constexpr int64_t kMaxMessageBytes = 64 << 10;
const TaskId kPs = {"ps", 0};
const TaskId kWorker = {"worker", 0};

#ifdef LEAT_HAS_SANITIZER
constexpr bool kCountsMemory = false;  // what is freed is kept for a while
constexpr int kTimes = 100;            // at a tenth of the speed
#else
constexpr bool kCountsMemory = true;
constexpr int kTimes = 1000;
#endif
// In a round of eight thousand calls.
constexpr int64_t kMaxGrowth = 2 << 20;
constexpr int kMaxRounds = 6;

// Sends bytes that are no HTTP, or nothing, and goes.
void ConnectAndGo(const std::string& address, int i) {
  const int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(to, 0);
  sockaddr_in server = {};
  server.sin_family = AF_INET;
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server.sin_port = htons(static_cast<uint16_t>(
      std::atoi(address.substr(address.rfind(':') + 1).c_str())));
  EXPECT_EQ(
      connect(to, reinterpret_cast<const sockaddr*>(&server), sizeof(server)),
      0);
  const std::string bytes(static_cast<size_t>(i % 500), 'x');
  if (!bytes.empty()) send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  close(to);
}

TEST(HostilePeerProcessTest, LeavesFilesAndMemoryAsTheyWere) {
  // What is remembered on purpose is full soon. No session is idle that only
  // has a busy machine.
  ServedCluster cluster(
      "ps=1,worker=1",
      {"--max-message-bytes", "64KiB", "--session-idle", "4",
       "--max-tombstones", "1000", "--max-request-ids", "1000"});
  const auto transport = *BuiltinTransports().Create("grpc");
  auto session =
      NewRemoteSession(GoodSession::MakeGraph(), cluster.Target(kWorker));
  ASSERT_TRUE(session.ok()) << session.status();
  GoodSession good;
  good.Begin(*std::move(session));

  HostilePeer peer(*transport, cluster.Address(kPs), kPs.ToString(),
                   kMaxMessageBytes);
  const auto attack = [&](int count) {
    for (const HostilePeer::Attack& each : HostilePeer::Attacks()) {
      int calls = 0;
      for (const auto& [code, times] : (peer.*each.run)(count)) calls += times;
      EXPECT_EQ(calls, count) << each.name;
    }
    for (int i = 0; i < count; ++i) ConnectAndGo(cluster.Address(kPs), i);
  };
  // Sessions whose clients have vanished are gone when they were idle.
  const auto rest = [&] {
    EXPECT_TRUE(
        Becomes([&] { return cluster.Status(kPs).num_client_sessions() == 0; },
                absl::Seconds(40)));
  };
  attack(kTimes / 4);
  rest();
  Process& server = cluster.process(kPs);
  const int files = server.NumOpenFiles();
  // What is kept for later use is full after some rounds, what is lost grows
  // with each.
  int64_t memory = server.ResidentBytes();
  int64_t growth = kMaxGrowth;
  for (int round = 0; round < kMaxRounds && growth >= kMaxGrowth; ++round) {
    attack(kTimes);
    rest();
    const int64_t now = server.ResidentBytes();
    growth = now - memory;
    memory = now;
    std::cout << "resident: " << memory << ", " << growth << " more\n";
    if (!kCountsMemory) break;
  }
  if (kCountsMemory) {
    EXPECT_LT(growth, kMaxGrowth);
  }
  EXPECT_TRUE(Becomes([&] { return server.NumOpenFiles() <= files; },
                      absl::Seconds(60)))
      << server.NumOpenFiles() << " files, " << files << " before";
  good.End();
  cluster.ExpectIdle();
  cluster.End();
}

}  // namespace
}  // namespace leat::testing
