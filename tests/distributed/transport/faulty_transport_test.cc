// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/faulty_transport.h"

#include <chrono>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/recv_messages.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::testing::faulty_transport_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr char kAddress[] = "localhost:7";

// Holds a bad network, and a transport that calls over it.
class BadNetwork {
 public:
  explicit BadNetwork(const FaultPlan& plan)
      : faults(std::make_shared<CallFaults>(plan)),
        network(std::make_shared<InProcessNetwork>(2, clock)),
        callee(NewTransport()),
        caller(NewTransport()) {}

  std::unique_ptr<Listener> Listen(const MethodTable& methods) {
    auto listener = callee->Listen(kAddress, methods);
    EXPECT_TRUE(listener.ok()) << listener.status();
    return *std::move(listener);
  }

  std::unique_ptr<Transport> NewTransport() const {
    return std::make_unique<FaultyTransport>(network->NewTransport(), faults);
  }

  SimulatedClock clock;
  const std::shared_ptr<CallFaults> faults;
  const std::shared_ptr<InProcessNetwork> network;
  const std::unique_ptr<Transport> callee;
  const std::unique_ptr<Transport> caller;
};

TEST(FaultyTransportTest, WhatIsLostIsUnavailableAfterAWhile) {
  TestService service;
  BadNetwork net({.seed = 1, .drop = 1});
  const auto listener = net.Listen(service.methods());
  for (int i = 0; i < 40; ++i) {
    const Clock::time_point start = net.clock.Now();
    const auto reply = CallNow(*net.caller, kAddress, TestService::kWait);
    EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_TRUE(reply.status().GetPayload(kTransportErrorPayload).has_value());
    EXPECT_GE(net.clock.Now() - start, milliseconds(5));
  }
  const CallFaults::Counts counts = net.faults->counts();
  EXPECT_EQ(counts.calls, 40);
  EXPECT_EQ(counts.lost_requests + counts.lost_replies, 40);
  EXPECT_GT(counts.lost_requests, 0);
  EXPECT_GT(counts.lost_replies, 0);
  // When only the reply is lost, the handler runs, and its call is cancelled.
  EXPECT_GT(service.num_begun(), 0);
  EXPECT_LE(service.num_begun(), static_cast<int>(counts.lost_replies));
  EXPECT_TRUE(Eventually(
      [&] { return service.num_cancelled() == service.num_begun(); }));
}

TEST(FaultyTransportTest, AReplyThatIsLostDoesNotArrive) {
  TestService service;
  BadNetwork net({.seed = 2, .drop = 1});
  const auto listener = net.Listen(service.methods());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(
        CallNow(*net.caller, kAddress, TestService::kEcho).status().code(),
        absl::StatusCode::kUnavailable);
  }
  EXPECT_GT(net.faults->counts().lost_replies, 0);
}

TEST(FaultyTransportTest, WhatIsDoubledArrivesTwiceAndIsAnsweredOnce) {
  TestService service;
  BadNetwork net({.seed = 3, .duplicate = 1});
  auto listener = net.Listen(service.methods());
  CallResult result;
  net.caller->Call(kAddress, TestService::kHold, {}, {}, result.Done());
  EXPECT_TRUE(Eventually([&] { return service.num_begun() == 2; }));
  service.Release();
  EXPECT_TRUE(result.Take().ok());
  listener.reset();  // waits until every call has ended
  EXPECT_EQ(result.num_replies(), 1);
  EXPECT_EQ(net.faults->counts().doubled, 1);
}

TEST(FaultyTransportTest, RequestsAndRepliesAreDelayed) {
  TestService service;
  BadNetwork net(
      {.seed = 4, .delay = 1, .max_delay = microseconds(milliseconds(20))});
  const auto listener = net.Listen(service.methods());
  const Clock::time_point start = net.clock.Now();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(CallNow(*net.caller, kAddress, TestService::kEcho).ok());
  }
  // All delays together take 200 ms on average. With this seed, they are always
  // the same.
  EXPECT_GE(net.clock.Now() - start, milliseconds(100));
}

// A Recorder is a service that records the text of each request.
class Recorder {
 public:
  static constexpr Method kNote{"/leat.Test/Note"};

  Recorder() {
    methods.Add(kNote, [this](std::shared_ptr<CallContext>, Payload request,
                              Reply reply) {
      {
        MutexLock lock(mutex_);
        notes_.push_back(std::move(request.header));
      }
      std::move(reply)(Payload());
    });
  }
  std::vector<std::string> notes() {
    MutexLock lock(mutex_);
    return notes_;
  }

  MethodTable methods;

 private:
  Mutex mutex_;
  std::vector<std::string> notes_ ABSL_GUARDED_BY(mutex_);
};

TEST(FaultyTransportTest, TheNextCallOfTheSameTwoOvertakes) {
  FaultPlan plan{.reorder = 0.5,
                 .max_delay = microseconds(std::chrono::minutes(1))};
  // Looks for a seed with which the first call is overtaken and the second call
  // is not.
  for (;; ++plan.seed) {
    CallFaults faults(plan);
    const auto fate = [&] {
      return faults.FateOf("client 1", kAddress, Recorder::kNote.path, "");
    };
    const bool first = fate().is_overtaken;
    const bool second = fate().is_overtaken;
    if (first && !second) break;
  }
  Recorder recorder;
  BadNetwork net(plan);
  const auto listener = net.Listen(recorder.methods);
  CallResult one, two;
  net.caller->Call(kAddress, Recorder::kNote, {.header = "1"}, {}, one.Done());
  net.caller->Call(kAddress, Recorder::kNote, {.header = "2"}, {}, two.Done());
  EXPECT_TRUE(one.Take().ok());
  EXPECT_TRUE(two.Take().ok());
  // The second call overtakes the first one, which is then sent at once. From
  // then on both calls are under way, so they may arrive in either order.
  EXPECT_THAT(recorder.notes(), ::testing::UnorderedElementsAre("1", "2"));
  EXPECT_EQ(net.faults->counts().overtaken, 1);
}

// Returns `plan` with the first seed for which `is_wanted` returns true. The
// arguments of `is_wanted` are the fates of two calls of one client, and the
// fate of one call of another client.
template <class Condition>
FaultPlan WithFates(FaultPlan plan, Condition is_wanted) {
  for (;; ++plan.seed) {
    CallFaults faults(plan);
    const auto fate = [&](const char* caller) {
      return faults.FateOf(caller, kAddress, Recorder::kNote.path, "");
    };
    const CallFate one = fate("client 1");
    const CallFate two = fate("client 1");
    if (is_wanted(one, two, fate("client 2"))) return plan;
  }
}

bool IsOnTime(const CallFate& fate) {
  return fate.request_delay.count() == 0 && fate.reply_delay.count() == 0 &&
         !fate.is_overtaken;
}

constexpr FaultPlan kSlow = {
    .delay = 0.5, .max_delay = microseconds(std::chrono::minutes(1))};

TEST(FaultyTransportTest, ADelayedRequestComesAfterWhatIsSentLater) {
  BadNetwork net(WithFates(
      kSlow, [](const CallFate& one, const CallFate& two, const CallFate&) {
        return one.request_delay > std::chrono::seconds(40) && IsOnTime(two);
      }));
  Recorder recorder;
  const auto listener = net.Listen(recorder.methods);
  const CallResult one, two;
  net.caller->Call(kAddress, Recorder::kNote, {.header = "1"}, {}, one.Done());
  net.caller->Call(kAddress, Recorder::kNote, {.header = "2"}, {}, two.Done());
  EXPECT_TRUE(two.Take().ok());
  EXPECT_THAT(recorder.notes(), ::testing::ElementsAre("2"));
}

TEST(FaultyTransportTest, ADelayedReplyComesAfterWhatIsSentLater) {
  BadNetwork net(WithFates(
      kSlow, [](const CallFate& one, const CallFate& two, const CallFate&) {
        return one.request_delay < milliseconds(50) &&
               one.reply_delay > std::chrono::seconds(40) && IsOnTime(two);
      }));
  Recorder recorder;
  const auto listener = net.Listen(recorder.methods);
  const CallResult one, two;
  net.caller->Call(kAddress, Recorder::kNote, {.header = "1"}, {}, one.Done());
  EXPECT_TRUE(Eventually([&] { return recorder.notes().size() == 1; }));
  net.caller->Call(kAddress, Recorder::kNote, {.header = "2"}, {}, two.Done());
  EXPECT_TRUE(two.Take().ok());
  EXPECT_FALSE(one.is_done());
}

TEST(FaultyTransportTest, ADelayedRequestArrivesThoughItsCallerHasGivenUp) {
  // With these fates, the reply arrives long after the caller has cancelled the
  // call, even on a slow machine.
  BadNetwork net(WithFates(
      {.delay = 1, .max_delay = microseconds(std::chrono::minutes(1))},
      [](const CallFate& one, const CallFate&, const CallFate&) {
        return one.request_delay > milliseconds(500) &&
               one.request_delay < std::chrono::seconds(2) &&
               one.reply_delay > std::chrono::seconds(40);
      }));
  Recorder recorder;
  const auto listener = net.Listen(recorder.methods);
  const CallResult result;
  const auto cancellation = std::make_shared<Cancellation>();
  net.caller->Call(kAddress, Recorder::kNote, {.header = "1"},
                   {.cancellation = cancellation}, result.Done());
  cancellation->Cancel(absl::CancelledError("given up"));
  EXPECT_EQ(result.Take().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(Eventually([&] { return recorder.notes().size() == 1; }));
}

TEST(FaultyTransportTest, WhatIsOvertakenWaitsForTheNextCallOfTheSameTwo) {
  BadNetwork net(WithFates(
      {.reorder = 0.5, .max_delay = microseconds(std::chrono::minutes(1))},
      [](const CallFate& one, const CallFate& two, const CallFate& others) {
        return one.is_overtaken && IsOnTime(two) && IsOnTime(others);
      }));
  Recorder recorder;
  const auto listener = net.Listen(recorder.methods);
  const auto other = net.NewTransport();
  const CallResult one, two;
  net.caller->Call(kAddress, Recorder::kNote, {.header = "1"}, {}, one.Done());
  EXPECT_TRUE(
      CallNow(*other, kAddress, Recorder::kNote, {.header = "other"}).ok());
  EXPECT_THAT(recorder.notes(), ::testing::ElementsAre("other"));
  net.caller->Call(kAddress, Recorder::kNote, {.header = "2"}, {}, two.Done());
  EXPECT_TRUE(one.Take().ok());
  EXPECT_TRUE(two.Take().ok());
}

TEST(FaultyTransportTest, NobodyWaitsForeverToBeOvertaken) {
  Recorder recorder;
  BadNetwork net({.reorder = 1});
  const auto listener = net.Listen(recorder.methods);
  EXPECT_TRUE(CallNow(*net.caller, kAddress, Recorder::kNote).ok());
}

// A transport may be destroyed while it holds a message back, or before it
// delivers a message for the second time.
TEST(FaultyTransportTest, TransportsEndAtAnyTime) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    TestService service;
    BadNetwork net({.seed = seed,
                    .drop = 0.2,
                    .duplicate = 0.5,
                    .delay = 0.5,
                    .reorder = 0.5});
    auto listener = net.Listen(service.methods());
    std::vector<CallResult> results(8);
    {
      const auto client = net.NewTransport();
      for (size_t i = 0; i < results.size(); ++i) {
        client->Call(kAddress,
                     i % 2 == 0 ? TestService::kEcho : TestService::kWait, {},
                     {}, results[i].Done());
      }
    }
    for (const CallResult& result : results) {
      EXPECT_EQ(result.num_replies(), 1);
    }
    if (seed % 2 == 0) listener.reset();
  }
}

// ---------------------------------------------------------------------------
// Tests the fates of calls.

auto AsTuple(const CallFate& fate) {
  return std::make_tuple(fate.is_lost, fate.lost_after, fate.request_delay,
                         fate.reply_delay, fate.again_after, fate.is_overtaken);
}

constexpr FaultPlan kAll = {
    .seed = 17, .drop = 0.2, .duplicate = 0.5, .delay = 0.5, .reorder = 0.5};

std::string RunGraph(int64_t step) {
  pb::RunGraphRequest request;
  request.set_step_id(step);
  request.set_request_id(step * 7 + 1);
  return request.SerializeAsString();
}
std::string Recv(int64_t step, const std::string& tensor,
                 const std::string& incarnation) {
  const std::string device = "/job:ps/replica:0/task:0/device:CPU:0";
  return RequestOne(step,
                    absl::StrCat(device, ";", incarnation, ";", device, ";",
                                 tensor, ";0:0"),
                    step * 11)
      .header;
}

TEST(FateTest, IsThatOfTheSeedWhateverTheIds) {
  CallFaults one(kAll), two(kAll);
  for (int64_t step = 0; step < 50; ++step) {
    const int64_t a = 1000 + step, b = 77'000 - 13 * step;
    EXPECT_EQ(
        AsTuple(one.FateOf("w", "ps", methods::kRunGraph.path, RunGraph(a))),
        AsTuple(two.FateOf("w", "ps", methods::kRunGraph.path, RunGraph(b))));
    // The second pass makes the calls in another order.
    const auto fate = [](CallFaults& faults, int64_t id,
                         const std::string& tensor,
                         const std::string& incarnation) {
      return AsTuple(faults.FateOf("w", "ps", methods::kRecvTensor.path,
                                   Recv(id, tensor, incarnation)));
    };
    const auto x1 = fate(one, a, "x", "0000000000000001");
    const auto y1 = fate(one, a, "y", "0000000000000001");
    const auto y2 = fate(two, b, "y", "00000000000000ff");
    const auto x2 = fate(two, b, "x", "00000000000000ff");
    EXPECT_EQ(x1, x2);
    EXPECT_EQ(y1, y2);
  }
}

// A chunk's fate must depend on the offset of the chunk. It must not depend on
// the id of the transfer, which is random.
TEST(FateTest, OfAChunkIsThatOfItsPlace) {
  CallFaults one(kAll), two(kAll);
  const auto fate = [](CallFaults& faults, int64_t step, uint64_t id,
                       int64_t offset) {
    const Payload request = EncodeFetchChunkRequest(
        {.step_id = step, .id = id, .offset = offset, .length = 4096});
    return AsTuple(
        faults.FateOf("w", "ps", methods::kFetchChunk.path, request.header));
  };
  int num_different = 0;
  for (int64_t step = 0; step < 50; ++step) {
    const int64_t a = 1000 + step, b = 77'000 - 13 * step;
    const auto second1 = fate(one, a, 5, 4096);
    const auto third1 = fate(one, a, 5, 8192);
    const auto third2 = fate(two, b, 77, 8192);
    const auto second2 = fate(two, b, 77, 4096);
    EXPECT_EQ(second1, second2);
    EXPECT_EQ(third1, third2);
    num_different += second1 != third1;
  }
  EXPECT_GT(num_different, 0);
  EXPECT_EQ(one.counts(methods::kFetchChunk.path).calls, 100u);
  EXPECT_EQ(one.counts(methods::kRunGraph.path).calls, 0u);
  EXPECT_EQ(one.counts().calls, 100u);
}

TEST(FateTest, DiffersBySeedCallerCalleeMethodStepAndTime) {
  FaultPlan other = kAll;
  other.seed = 18;
  struct Call {
    FaultPlan plan;
    const char* caller;
    const char* callee;
    const char* method;
  };
  const Call base = {kAll, "a", "b", "/m"};
  const std::vector<Call> calls = {base,
                                   {other, "a", "b", "/m"},
                                   {kAll, "c", "b", "/m"},
                                   {kAll, "a", "c", "/m"},
                                   {kAll, "a", "b", "/n"}};
  std::vector<std::vector<decltype(AsTuple({}))>> fates;
  for (const Call& call : calls) {
    CallFaults faults(call.plan);
    auto& list = fates.emplace_back();
    for (int i = 0; i < 20; ++i) {
      list.push_back(
          AsTuple(faults.FateOf(call.caller, call.callee, call.method, "")));
    }
  }
  for (size_t i = 1; i < fates.size(); ++i) EXPECT_NE(fates[0], fates[i]) << i;
  // Calls of one kind do not all have the same fate.
  EXPECT_NE(fates[0][0], fates[0][1]);
}

TEST(FateTest, HappensAsOftenAsThePlanSays) {
  CallFaults faults(kAll);
  for (int i = 0; i < 10'000; ++i) faults.FateOf("a", "b", "/m", "");
  const CallFaults::Counts counts = faults.counts();
  EXPECT_EQ(counts.calls, 10'000);
  EXPECT_NEAR(counts.lost_requests + counts.lost_replies, 2000, 150);
  EXPECT_NEAR(counts.lost_requests, 1000, 120);
  // Only a call that is not lost can be doubled, delayed or overtaken.
  EXPECT_NEAR(counts.doubled, 4000, 200);
  EXPECT_NEAR(counts.delayed, 4000, 200);
  EXPECT_NEAR(counts.overtaken, 4000, 200);
}

TEST(FateTest, NothingHappensWhileItIsNotEnabled) {
  CallFaults faults(kAll);
  faults.SetEnabled(false);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(AsTuple(faults.FateOf("a", "b", "/m", "")), AsTuple({}));
  }
  EXPECT_EQ(faults.counts().calls, 0);
}

}  // namespace
}  // namespace leat::testing::faulty_transport_test
