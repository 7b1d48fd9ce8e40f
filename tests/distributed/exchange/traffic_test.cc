// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/traffic.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/tensor.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/shown_status.h"
#include "leat/distributed/step_counts.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::traffic_test {
namespace {

using ::leat::testing::SimulatedClock;
using ::leat::testing::TestClock;
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
  PeerTraffic traffic(TestClock());
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
  PeerTraffic traffic(TestClock());
  const auto after = [&traffic](absl::StatusOr<Payload> reply) {
    traffic.CountCall(Message(1));
    traffic.CountReply(reply);
    return traffic.totals();
  };
  EXPECT_EQ(traffic.totals().state, State::kUnknown);
  EXPECT_FALSE(traffic.totals().heard.has_value());
  // The caller has cancelled the call. This says nothing about the peer.
  EXPECT_EQ(after(AsTransportError(absl::CancelledError("given up"))).state,
            State::kUnknown);
  PeerTraffic::Totals totals =
      after(AsTransportError(absl::UnavailableError("refused")));
  EXPECT_EQ(totals.state, State::kUnreachable);
  EXPECT_EQ(totals.error, "refused");
  EXPECT_EQ(after(AsTransportError(absl::CancelledError("given up"))).state,
            State::kUnreachable);
  EXPECT_EQ(after(AsTransportError(absl::DeadlineExceededError("late"))).error,
            "late");
  // A peer that returns an error is reachable.
  totals = after(absl::UnavailableError("queue is closed"));
  EXPECT_EQ(totals.state, State::kReachable);
  EXPECT_EQ(totals.error, "");
  EXPECT_TRUE(totals.heard.has_value());
  after(AsTransportError(absl::UnavailableError(std::string(10'000, 'x'))));
  EXPECT_EQ(traffic.totals().error.size(), 500u);
  EXPECT_EQ(after(Message(1)).state, State::kReachable);
}

TEST(TrafficTest, HasOneRecordForAllThatAreNotInTheCluster) {
  const auto cluster = ClusterSpec::Create({{"ps", {{0, "a:1"}, {2, "b:1"}}}});
  ASSERT_TRUE(cluster.ok());
  Traffic traffic(*cluster, TestClock());
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
  EXPECT_EQ(TaskOfDevice(ParsedKey(key).send_device()),
            "/job:ps/replica:0/task:1");
  EXPECT_EQ(TaskOfDevice(ParsedKey(key).recv_device()),
            "/job:worker/replica:0/task:12");
  for (const char* no_key : {"", ";", ";;;;", "x", "a;b;c;d;e",
                             "device:CPU:0;0;/device", "/job:ps"}) {
    const ParsedKey parsed{no_key};
    EXPECT_FALSE(parsed.is_well_formed()) << no_key;
    EXPECT_EQ(TaskOfDevice(parsed.send_device()), "") << no_key;
    EXPECT_EQ(TaskOfDevice(parsed.recv_device()), "") << no_key;
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

// While a Waiting exists, `recvs` lists its key as awaited.
struct Waiting {
  Waiting(OpenRecvs& recvs, int64_t step_id, const std::string& text)
      : key(text), entry(recvs, step_id, {&key, 1}) {}

  const ParsedKey key;
  OpenRecvs::Entry entry;
};

TEST(OpenRecvsTest, ListTheOldestFirst) {
  OpenRecvs recvs(TestClock());
  EXPECT_THAT(Keys(recvs), ElementsAre());
  auto a = std::make_unique<Waiting>(recvs, 1, "a");
  auto b = std::make_unique<Waiting>(recvs, 1, "b");
  auto c = std::make_unique<Waiting>(recvs, 2, "c");
  auto d = std::make_unique<Waiting>(recvs, 3, "d");
  EXPECT_THAT(Keys(recvs), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(Keys(recvs, 2), ElementsAre("a", "b"));
  EXPECT_EQ(recvs.size(), 4u);
  b.reset();
  EXPECT_THAT(Keys(recvs), ElementsAre("a", "c", "d"));
  a->entry.Close();
  a->entry.Close();
  EXPECT_THAT(Keys(recvs), ElementsAre("c", "d"));
  d.reset();
  EXPECT_THAT(Keys(recvs), ElementsAre("c"));
  const Waiting e(recvs, 4, "e");
  EXPECT_THAT(Keys(recvs), ElementsAre("c", "e"));
  c.reset();
  a.reset();
  EXPECT_THAT(Keys(recvs), ElementsAre("e"));
  EXPECT_EQ(recvs.Oldest({}, 1)[0].step_id, 4);
  EXPECT_EQ(recvs.size(), 1u);
}

TEST(OpenRecvsTest, ListEveryKeyOfAReceive) {
  OpenRecvs recvs(TestClock());
  const std::vector<ParsedKey> bundle = {ParsedKey("b"), ParsedKey("c"),
                                         ParsedKey("d")};
  const Waiting a(recvs, 1, "a");
  OpenRecvs::Entry three(recvs, 1, bundle);
  const Waiting e(recvs, 2,
                  "/job:ps/replica:0/task:1/device:CPU:0;7;"
                  "/job:worker/replica:0/task:12/device:GPU:3;e;0:0");
  EXPECT_EQ(recvs.size(), 5u);
  EXPECT_THAT(Keys(recvs), ElementsAre("a", "b", "c", "d", e.key.text()));
  EXPECT_THAT(Keys(recvs, 3), ElementsAre("a", "b", "c"));
  EXPECT_EQ(recvs.Oldest({}, 9)[4].sender, "/job:ps/replica:0/task:1");
  EXPECT_EQ(recvs.Oldest({}, 9)[4].receiver, "/job:worker/replica:0/task:12");
  three.Close();
  EXPECT_THAT(Keys(recvs), ElementsAre("a", e.key.text()));
  EXPECT_EQ(recvs.size(), 2u);
}

TEST(OpenRecvsTest, KnowHowLongEachHasWaited) {
  SimulatedClock clock;
  OpenRecvs recvs(clock);
  const Waiting old(recvs, 1, "old");
  clock.Advance(milliseconds(40));
  const Waiting young(recvs, 1, "young");
  clock.Advance(milliseconds(2));
  const std::vector<OpenRecvs::Recv> all = recvs.Oldest({}, 10);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].age, milliseconds(42));
  EXPECT_EQ(all[1].age, milliseconds(2));
  EXPECT_THAT(Keys(recvs, 10, milliseconds(42)), ElementsAre("old"));
  EXPECT_THAT(Keys(recvs, 10, milliseconds(43)), ElementsAre());
}

TEST(OpenRecvsTest, ShortenKeysAndTasks) {
  OpenRecvs recvs(TestClock());
  const std::string task(5000, 't');
  const std::string device = task + "/device:CPU:0";
  const std::string key = absl::StrCat(device, ";7;", device, ";x;0:0");
  const Waiting entry(recvs, 1, key);
  const OpenRecvs::Recv recv = recvs.Oldest({}, 1).at(0);
  EXPECT_EQ(recv.key, key.substr(0, OpenRecvs::kMaxKeyBytes));
  EXPECT_EQ(recv.sender, task.substr(0, OpenRecvs::kMaxKeyBytes));
  EXPECT_EQ(recv.receiver, recv.sender);
}

TEST(OpenRecvsTest, MayComeAndGoOnManyThreads) {
  OpenRecvs recvs(TestClock());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&recvs] {
      for (int64_t step = 0; step < 1000; ++step) {
        const Waiting entry(recvs, step, "key");
        EXPECT_LE(Keys(recvs, 3).size(), 3u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(recvs.size(), 0u);
}

TEST(StepCountsTest, CountWhatRunsAndHowItEnds) {
  SimulatedClock clock;
  StepCounts counts(clock);
  clock.Advance(milliseconds(2));
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
  clock.Advance(milliseconds(3));
  EXPECT_EQ(counts.idle(), milliseconds(3));
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
