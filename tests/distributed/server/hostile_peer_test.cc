// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that a server answers wrong calls of peers and clients with an error
// and keeps nothing of these calls. The calls must not affect a session that
// trains meanwhile.
#include "leat/tests/testing/hostile_peer.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "leat/tests/testing/good_session.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::hostile_peer_test {
namespace {

using ::leat::testing::GoodSession;
using ::leat::testing::HostilePeer;
using ::leat::testing::InProcessCluster;
using Code = absl::StatusCode;
using ::leat::testing::SimulatedClock;

constexpr int64_t kMaxMessageBytes = 1 << 20;
constexpr int kTimes = 1000;
const TaskId kPs = {"ps", 0};
const TaskId kWorker = {"worker", 0};

class HostilePeerTest : public ::testing::Test {
 protected:
  HostilePeerTest() {
    auto session = cluster_.NewSession(GoodSession::MakeGraph(), kWorker);
    EXPECT_TRUE(session.ok()) << session.status();
    good_.Begin(*std::move(session));
  }
  void TearDown() override {
    good_.AwaitStep();
    good_.End();
    EXPECT_EQ(cluster_.Leaks(), "");
  }
  HostilePeer Peer(const TaskId& task) {
    return HostilePeer(*transport_, cluster_.Address(task), task.ToString(),
                       kMaxMessageBytes);
  }
  static void ExpectOnly(std::initializer_list<Code> codes,
                         const HostilePeer::Answers& answers) {
    int calls = 0;
    for (const auto& [code, count] : answers) {
      calls += count;
      EXPECT_TRUE(std::count(codes.begin(), codes.end(), code) > 0)
          << count << " times " << absl::StatusCodeToString(code);
    }
    EXPECT_EQ(calls, kTimes);
  }

  // A session ends after five seconds without use. Because time is simulated,
  // this happens only to sessions whose clients have vanished, even on a busy
  // machine.
  SimulatedClock clock_;
  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}},
                            {.max_message_bytes = kMaxMessageBytes,
                             .session_idle = std::chrono::seconds(5)}};
  const std::unique_ptr<Transport> transport_ =
      *cluster_.transports().Create("in-process");
  GoodSession good_;
};

TEST_F(HostilePeerTest, Garbage) {
  int calls = 0;
  for (const auto& [code, count] : Peer(kWorker).SendGarbage(kTimes)) {
    calls += count;
  }
  EXPECT_EQ(calls, kTimes);
}

TEST_F(HostilePeerTest, UnknownHandles) {
  ExpectOnly({Code::kAborted, Code::kInvalidArgument, Code::kNotFound},
             Peer(kWorker).UseUnknownHandles(kTimes));
}

TEST_F(HostilePeerTest, GraphsForAbsentDevices) {
  ExpectOnly({Code::kInvalidArgument},
             Peer(kWorker).SendGraphsForAbsentDevices(kTimes));
}

TEST_F(HostilePeerTest, OversizedMessages) {
  ExpectOnly({Code::kResourceExhausted},
             Peer(kWorker).SendOversizedMessages(kTimes));
}

TEST_F(HostilePeerTest, TensorsOfOtherTypesThanPromised) {
  ExpectOnly({Code::kInvalidArgument},
             Peer(kPs).FeedOtherTypesThanPromised(kTimes));
}

TEST_F(HostilePeerTest, TensorsThatNobodySends) {
  ExpectOnly({Code::kCancelled},
             Peer(kPs).AskForTensorsThatNobodySends(kTimes));
}

TEST_F(HostilePeerTest, ClientsAndMastersThatVanish) {
  ExpectOnly({Code::kCancelled, Code::kOk}, Peer(kPs).VanishMidCall(kTimes));
}

}  // namespace
}  // namespace leat::hostile_peer_test
