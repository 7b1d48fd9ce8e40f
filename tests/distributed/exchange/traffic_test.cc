// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/traffic.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/shown_ids.h"
#include "leat/distributed/step_counts.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::traffic_test {
namespace {

using ::leat::testing::Advance;
using ::leat::testing::OfTheWay;
using ::testing::Contains;
using ::testing::ElementsAre;
using State = PeerTraffic::State;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

Payload Message(size_t header_bytes, int elements = 0) {
  Payload payload;
  payload.header = std::string(header_bytes, 'x');
  if (elements > 0) {
    payload.tensors.push_back(
        {.tensor = Tensor::Filled<float>(Shape{elements}, 0)});
  }
  return payload;
}

TEST(TrafficTest, CountsBytesOfMessagesAndTensors) {
  PeerTraffic traffic;
  EXPECT_EQ(MessageBytes(Message(7, 10)), 47);
  traffic.CountCall(Message(10, 5));
  traffic.CountCall(Message(1));
  EXPECT_EQ(traffic.totals().calls_under_way, 2);
  traffic.CountReply(Message(3, 100));
  traffic.CountServed(1000, 2000);
  const PeerTraffic::Totals totals = traffic.totals();
  EXPECT_EQ(totals.calls, 2);
  EXPECT_EQ(totals.calls_under_way, 1);
  EXPECT_EQ(totals.calls_served, 1);
  EXPECT_EQ(totals.bytes_sent, 31 + 2000);
  EXPECT_EQ(totals.bytes_received, 403 + 1000);
}

TEST(TrafficTest, KnowsAPeerByItsLastReply) {
  PeerTraffic traffic;
  const auto after = [&traffic](absl::StatusOr<Payload> reply) {
    traffic.CountCall(Message(1));
    traffic.CountReply(reply);
    return traffic.totals();
  };
  EXPECT_EQ(traffic.totals().state, State::kUnknown);
  EXPECT_FALSE(traffic.totals().heard.has_value());
  // A call that was given up says nothing about the peer.
  EXPECT_EQ(after(OfTheWay(absl::CancelledError("given up"))).state,
            State::kUnknown);
  PeerTraffic::Totals totals =
      after(OfTheWay(absl::UnavailableError("refused")));
  EXPECT_EQ(totals.state, State::kUnreachable);
  EXPECT_EQ(totals.error, "refused");
  EXPECT_EQ(after(OfTheWay(absl::CancelledError("given up"))).state,
            State::kUnreachable);
  EXPECT_EQ(after(OfTheWay(absl::DeadlineExceededError("late"))).error, "late");
  // A peer that returns an error is reachable.
  totals = after(absl::UnavailableError("queue is closed"));
  EXPECT_EQ(totals.state, State::kReachable);
  EXPECT_EQ(totals.error, "");
  EXPECT_TRUE(totals.heard.has_value());
  after(OfTheWay(absl::UnavailableError(std::string(10'000, 'x'))));
  EXPECT_EQ(traffic.totals().error.size(), 500u);
  EXPECT_EQ(after(Message(1)).state, State::kReachable);
}

TEST(TrafficTest, HasOneRecordForAllThatAreNotInTheCluster) {
  const auto cluster = ClusterSpec::Create({{"ps", {{0, "a:1"}, {2, "b:1"}}}});
  ASSERT_TRUE(cluster.ok());
  Traffic traffic(*cluster);
  PeerTraffic& first = traffic.Of("/job:ps/replica:0/task:0");
  EXPECT_EQ(&first, &traffic.Of("/job:ps/replica:0/task:0"));
  EXPECT_NE(&first, &traffic.Of("/job:ps/replica:0/task:2"));
  EXPECT_NE(&first, &traffic.Of(""));
  EXPECT_EQ(&traffic.Of("/job:ps/replica:0/task:1"), &traffic.Of(""));
}

TEST(TrafficTest, FindsTheTasksOfAKey) {
  const std::string key =
      RendezvousKey{.send_device = "/job:ps/replica:0/task:1/device:CPU:0",
                    .send_incarnation = 7,
                    .recv_device = "/job:worker/replica:0/task:12/device:GPU:3",
                    .tensor_name = "e"}
          .ToString();
  EXPECT_EQ(SenderOf(key), "/job:ps/replica:0/task:1");
  EXPECT_EQ(ReceiverOf(key), "/job:worker/replica:0/task:12");
  for (const char* no_key : {"", ";", ";;;;", "x", "a;b;c;d;e",
                             "device:CPU:0;0;/device", "/job:ps"}) {
    EXPECT_EQ(SenderOf(no_key), "") << no_key;
    EXPECT_EQ(ReceiverOf(no_key), "") << no_key;
  }
}

std::vector<std::string> Keys(const OpenRecvs& recvs, size_t max = 100,
                              nanoseconds min_age = {}) {
  std::vector<std::string> keys;
  for (const OpenRecvs::Recv& recv : recvs.Oldest(min_age, max)) {
    keys.push_back(recv.key);
  }
  return keys;
}

TEST(OpenRecvsTest, ListTheOldestFirst) {
  OpenRecvs recvs;
  EXPECT_THAT(Keys(recvs), ElementsAre());
  auto a = std::make_unique<OpenRecvs::Entry>(recvs, 1, "a");
  auto b = std::make_unique<OpenRecvs::Entry>(recvs, 1, "b");
  auto c = std::make_unique<OpenRecvs::Entry>(recvs, 2, "c");
  auto d = std::make_unique<OpenRecvs::Entry>(recvs, 3, "d");
  EXPECT_THAT(Keys(recvs), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(Keys(recvs, 2), ElementsAre("a", "b"));
  EXPECT_EQ(recvs.size(), 4u);
  b.reset();
  EXPECT_THAT(Keys(recvs), ElementsAre("a", "c", "d"));
  a->Close();
  a->Close();
  EXPECT_THAT(Keys(recvs), ElementsAre("c", "d"));
  d.reset();
  EXPECT_THAT(Keys(recvs), ElementsAre("c"));
  const OpenRecvs::Entry e(recvs, 4, "e");
  EXPECT_THAT(Keys(recvs), ElementsAre("c", "e"));
  c.reset();
  a.reset();
  EXPECT_THAT(Keys(recvs), ElementsAre("e"));
  EXPECT_EQ(recvs.Oldest({}, 1)[0].step_id, 4);
  EXPECT_EQ(recvs.size(), 1u);
}

TEST(OpenRecvsTest, KnowHowLongEachHasWaited) {
  OpenRecvs recvs;
  const OpenRecvs::Entry old(recvs, 1, "old");
  Advance(milliseconds(40));
  const OpenRecvs::Entry young(recvs, 1, "young");
  const std::vector<OpenRecvs::Recv> all = recvs.Oldest({}, 10);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].age, milliseconds(40));
  EXPECT_EQ(all[1].age, milliseconds(0));
  EXPECT_THAT(Keys(recvs, 10, milliseconds(40)), ElementsAre("old"));
  EXPECT_THAT(Keys(recvs, 10, std::chrono::hours(1)), ElementsAre());
}

TEST(OpenRecvsTest, ShortenKeys) {
  OpenRecvs recvs;
  const std::string key(5000, 'k');
  const OpenRecvs::Entry entry(recvs, 1, key);
  EXPECT_EQ(Keys(recvs)[0], key.substr(0, OpenRecvs::kMaxKeyBytes));
}

TEST(OpenRecvsTest, MayComeAndGoOnManyThreads) {
  OpenRecvs recvs;
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&recvs] {
      for (int64_t step = 0; step < 1000; ++step) {
        const OpenRecvs::Entry entry(recvs, step, "key");
        EXPECT_LE(Keys(recvs, 3).size(), 3u);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(recvs.size(), 0u);
}

TEST(StepCountsTest, CountWhatRunsAndHowItEnds) {
  StepCounts counts;
  Advance(milliseconds(2));
  EXPECT_EQ(counts.idle(), milliseconds(2));
  for (int i = 0; i < 3; ++i) counts.Begin();
  EXPECT_EQ(counts.idle(), nanoseconds(0));
  counts.End(true);
  counts.End(false);
  EXPECT_EQ(counts.totals().running, 1);
  EXPECT_EQ(counts.totals().succeeded, 1);
  EXPECT_EQ(counts.totals().failed, 1);
  counts.End(true);
  EXPECT_EQ(counts.totals().running, 0);
  Advance(milliseconds(2));
  EXPECT_EQ(counts.idle(), milliseconds(2));
}

TEST(ShownIdsTest, ArePieces) {
  EXPECT_EQ(ShownHandle("0123456789abcdef"), "01234567");
  EXPECT_EQ(ShownHandle("12345"), "12");
  EXPECT_EQ(ShownHandle("1"), "");
  EXPECT_EQ(ShownHandle("\xff\n\x1b"
                        "4567890123456789"),
            "???45678");
  EXPECT_EQ(ShownText("a;b\x7f", 3), "a;b");
  EXPECT_EQ(ShownText("a;b\x7f", 4), "a;b?");
  EXPECT_EQ(ShownStep(0x1ffffffffff1234), 0x1234u);
  EXPECT_EQ(ShownStep(-1), 0xffffu);
}

}  // namespace
}  // namespace leat::traffic_test
