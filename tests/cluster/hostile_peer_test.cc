// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes the calls of tests/distributed/server/hostile_peer_test.cc over
// sockets, and also sends oversized graphs and breaks connections. After a
// thousand calls of each kind (a hundred with a sanitizer) the task must have
// no more sessions, steps or open files than before. The task's memory must
// stop growing. With a sanitizer, the test does not check the memory.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/transport/transport.h"
#include "leat/protos/status.pb.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/good_session.h"
#include "leat/tests/testing/hostile_connections.h"
#include "leat/tests/testing/hostile_peer.h"
#include "leat/tests/testing/sanitizers.h"

namespace leat::testing::hostile_peer_test {
namespace {

using Code = absl::StatusCode;

const TaskId kPs = {"ps", 0};
constexpr int64_t kMaxMessageBytes = 64 << 10;
constexpr int kMaxGraphNodes = HostilePeer::kOversizedGraphNodes / 2;
// This is longer than the idle time after which a server deletes a session.
constexpr absl::Duration kPatience = absl::Seconds(40);

// The test cannot measure memory with a sanitizer, because a sanitizer keeps
// freed memory.
constexpr bool kCountsMemory = !kHasSanitizer;
// With a sanitizer, a call takes about ten times as long.
constexpr int kTimes = kHasSanitizer ? 100 : 1000;
// Is the largest growth of memory, in bytes, that a round of kTimes calls may
// cause. If each call left a step or a session behind, the memory would grow by
// more.
constexpr int64_t kMaxGrowth = int64_t{512} * kTimes;
constexpr int kMaxRounds = 6;

// Attacks the parameter server, while a session trains there. The parameter
// server is the master of this session, and holds its variable.
class HostilePeerProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto session =
        NewRemoteSession(GoodSession::MakeGraph(), cluster_.Target(kPs));
    ASSERT_TRUE(session.ok()) << session.status();
    good_.Begin(*std::move(session));
    ExpectSteps();
  }
  void TearDown() override {
    good_.End();
    cluster_.ExpectIdle();
    cluster_.End();
  }

  // Expects that `attack`, which makes `count` calls, leaves nothing behind.
  void ExpectNothingStays(absl::FunctionRef<void(int count)> attack) {
    Process& server = cluster_.process(kPs);
    attack(kTimes);
    Rest();
    const int files = server.NumOpenFiles();
    int64_t memory = server.ResidentBytes();
    int64_t growth = 0;
    // Memory that is kept for later use stops growing after some rounds, but a
    // leak grows with each round.
    for (int round = 0; round < kMaxRounds && !HasFailure(); ++round) {
      attack(kTimes);
      Rest();
      growth = server.ResidentBytes() - memory;
      memory += growth;
      std::cout << "resident: " << memory << ", " << growth << " more\n";
      if (!kCountsMemory || growth < kMaxGrowth) break;
    }
    if (kCountsMemory) {
      EXPECT_LT(growth, kMaxGrowth);
    }
    EXPECT_TRUE(
        Becomes([&] { return server.NumOpenFiles() <= files; }, kPatience))
        << server.NumOpenFiles() << " files, " << files << " before";
  }

  // --max-tombstones and --max-request-ids are small, so that the calls soon
  // reach these limits. The idle time is so long that a session in use does not
  // become idle on a busy machine.
  ServedCluster cluster_{
      "ps=1,worker=1",
      {"--max-message-bytes", absl::StrCat(kMaxMessageBytes),
       "--max-graph-nodes", absl::StrCat(kMaxGraphNodes), "--session-idle", "4",
       "--max-tombstones", "1000", "--max-request-ids", "1000"}};
  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");

 private:
  // Expects that the session `good_` runs further steps.
  void ExpectSteps() {
    const int steps = good_.num_steps();
    EXPECT_TRUE(
        Becomes([&] { return good_.num_steps() > steps + 1 || HasFailure(); },
                kPatience));
  }
  // Waits until the server has only the session `good_` and runs no step. A
  // session whose client has vanished is deleted after some idle time.
  void Rest() {
    ExpectSteps();
    pb::TaskStatusResponse status;
    const auto rests = [&] {
      status = cluster_.Status(kPs);
      return IsQuiet(status) && status.num_open_steps() == 0 &&
             status.num_client_sessions() == 1 &&
             status.num_worker_sessions() == 1;
    };
    EXPECT_TRUE(Becomes(rests, kPatience)) << status.DebugString();
  }

  GoodSession good_;
};

struct Kind {
  const char* name = "";
  HostilePeer::Answers (HostilePeer::*attack)(int count) = nullptr;
  std::vector<Code> codes;  // codes that the answers may have
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class HostileCallsProcessTest : public HostilePeerProcessTest,
                                public ::testing::WithParamInterface<Kind> {};

TEST_P(HostileCallsProcessTest, AreAnsweredAndLeaveNothingBehind) {
  const Kind& kind = GetParam();
  HostilePeer peer(*transport_, cluster_.Address(kPs), kPs.ToString(),
                   kMaxMessageBytes);
  ExpectNothingStays([&](int count) {
    int calls = 0;
    for (const auto& [code, times] : (peer.*kind.attack)(count)) {
      calls += times;
      EXPECT_TRUE(std::count(kind.codes.begin(), kind.codes.end(), code) > 0)
          << times << " times " << absl::StatusCodeToString(code);
    }
    EXPECT_EQ(calls, count);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, HostileCallsProcessTest,
    ::testing::Values(
        // Some of the random bytes happen to be a valid message.
        Kind{"Garbage",
             &HostilePeer::SendGarbage,
             {Code::kInvalidArgument, Code::kAborted, Code::kNotFound,
              Code::kUnimplemented, Code::kOk}},
        Kind{"UnknownHandles",
             &HostilePeer::UseUnknownHandles,
             {Code::kAborted, Code::kInvalidArgument, Code::kNotFound}},
        Kind{"GraphsForAbsentDevices",
             &HostilePeer::SendGraphsForAbsentDevices,
             {Code::kInvalidArgument}},
        Kind{"OversizedMessages",
             &HostilePeer::SendOversizedMessages,
             {Code::kResourceExhausted}},
        Kind{"OversizedGraphs",
             &HostilePeer::SendOversizedGraphs,
             {Code::kResourceExhausted}},
        Kind{"TensorsOfOtherTypesThanPromised",
             &HostilePeer::FeedOtherTypesThanPromised,
             {Code::kInvalidArgument}},
        Kind{"TensorsThatNobodySends",
             &HostilePeer::AskForTensorsThatNobodySends,
             {Code::kCancelled}},
        // Some sessions are created before their clients vanish.
        Kind{"ClientsAndMastersThatVanish",
             &HostilePeer::VanishMidCall,
             {Code::kCancelled, Code::kOk}}),
    [](const ::testing::TestParamInfo<Kind>& info) {
      return std::string(info.param.name);
    });

TEST_F(HostilePeerProcessTest, LostConnectionsLeaveNothingBehind) {
  ExpectNothingStays([this](int count) {
    LoseConnections(*transport_, cluster_.Address(kPs), kPs.ToString(), count);
  });
}

TEST_F(HostilePeerProcessTest, ConnectionsThatEndEarlyLeaveNothingBehind) {
  ExpectNothingStays(
      [this](int count) { EndConnectionsEarly(cluster_.Address(kPs), count); });
}

}  // namespace
}  // namespace leat::testing::hostile_peer_test
