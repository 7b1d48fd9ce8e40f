// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/tests/soak/faults.h"
#include "leat/tests/soak/visitor.h"
#include "leat/tests/testing/hostile_peer.h"
#include "leat/train/recoverable_session.h"

namespace leat::soak {
namespace {

using testing::HostilePeer;

static_assert(kMaxGraphNodes < HostilePeer::kOversizedGraphNodes);

constexpr int64_t kMany = kMaxMessageBytes / 4 * 3;
constexpr int kClients = 4;
static_assert(kMany * kClients > kMaxTransportBytes);
// A message of this size is slightly smaller than the limit of one message. Two
// such messages together are slightly smaller than the limit of all messages.
constexpr int64_t kHalf = kMaxTransportBytes / 2 - (64 << 10);
static_assert(kHalf < kMaxMessageBytes);

// Expects that a feed was refused and that the error names the flag of the
// limit.
void ExpectRefused(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "--max-")) << status;
}

}  // namespace

// Sends one feed above the limit of one message, and then several feeds that
// together exceed the limit of all messages. Afterwards a large feed must
// succeed. This feed would fail if the refused feeds still used memory.
void FeedTooMuch(Scene& scene) {
  Visitor visitor(scene);
  visitor.ExpectStep();
  ExpectRefused(visitor.Feed(2 * kMaxMessageBytes));
  for (int i = 0; i < 3; ++i) {
    std::vector<std::thread> clients;
    for (int client = 0; client < kClients; ++client) {
      clients.emplace_back([&visitor] {
        const absl::Status status = visitor.Feed(kMany);
        // When there is no room, gRPC may also close a connection.
        if (!status.ok() && !IsRecoverable(status)) ExpectRefused(status);
      });
    }
    for (std::thread& client : clients) client.join();
    scene.cluster.Measure();
  }
  visitor.ExpectStep();
  visitor.ExpectLargeStep(kHalf);
}

void CallWrongly(Scene& scene) {
  HostilePeer peer(scene.cluster.transport(), scene.listening_address(),
                   scene.victim.ToString(), kMaxMessageBytes);
  peer.SendGarbage(64);
  peer.UseUnknownHandles(64);
  peer.SendGraphsForAbsentDevices(16);
  peer.SendOversizedMessages(4);
  peer.SendOversizedGraphs(16);
  scene.cluster.Measure();
  peer.FeedOtherTypesThanPromised(32);
  peer.AskForTensorsThatNobodySends(64);
  peer.VanishMidCall(64);
  scene.cluster.Measure();
}

}  // namespace leat::soak
