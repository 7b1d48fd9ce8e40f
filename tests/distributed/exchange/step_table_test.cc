// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/step_table.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/runtime/device_set.h"
#include "leat/tests/distributed/received_tensor.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::step_table_test {
namespace {

using ::leat::testing::ReceivedTensor;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

const char kTask[] = "/job:ps/replica:0/task:0";
const StepTable::Run kRun = "one";
const StepTable::Run kOtherRun = "another";

// Collects the errors that the table passes to the callbacks of Fail.
class Failures {
 public:
  StepTable::FailStep Fail() {
    return [state = state_](const absl::Status& why) {
      MutexLock lock(state->mutex);
      state->whys.push_back(why);
    };
  }
  std::vector<absl::Status> whys() const {
    MutexLock lock(state_->mutex);
    return state_->whys;
  }

 private:
  struct State {
    Mutex mutex;
    std::vector<absl::Status> whys ABSL_GUARDED_BY(mutex);
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

class StepTableTest : public ::testing::Test {
 protected:
  StepTableTest() { Make({}); }

  void Make(const ServerLimits& limits) {
    table_ = std::make_unique<StepTable>(
        kTask, limits, timers_, [this](int64_t step_id) {
          return std::make_shared<StepOutbox>(step_id, *devices_, 1000);
        });
  }

  // Begins a run of the step. REQUIRES: the run can begin.
  std::shared_ptr<StepOutbox> Begin(int64_t step_id,
                                    absl::string_view session = "s") {
    auto begun =
        table_->Begin(step_id, session, kRun, [](const absl::Status&) {});
    EXPECT_TRUE(begun.ok()) << begun.status();
    return begun.ok() ? *std::move(begun) : nullptr;
  }
  absl::Status BeginStatus(int64_t step_id, absl::string_view session = "s") {
    return table_->Begin(step_id, session, kRun, [](const absl::Status&) {})
        .status();
  }

  // Asks for the outbox of the step, as a peer that wants a tensor does.
  // Returns the outbox or the error.
  absl::StatusOr<std::shared_ptr<StepOutbox>> Await(int64_t step_id) {
    bool is_waiting = false;
    return table_->Await(step_id, is_waiting);
  }

  // Waits for a tensor of the step, as a peer does. REQUIRES: peers may wait
  // for the step.
  ReceivedTensor WaitAsPeer(int64_t step_id, absl::string_view name = "x") {
    ReceivedTensor received;
    const auto outbox = Await(step_id);
    EXPECT_TRUE(outbox.ok()) << outbox.status();
    if (outbox.ok()) {
      (*outbox)->RecvForPeer(ParsedKey(Key(name)), received.Done());
    }
    return received;
  }

  std::string Key(absl::string_view name) const {
    const DeviceInfo& device = devices_->devices()[0]->info();
    return RendezvousKey{.send_device = device.name,
                         .send_incarnation = device.incarnation,
                         .recv_device = device.name,
                         .tensor_name = std::string(name)}
        .ToString();
  }

  static void ExpectEnded(const absl::Status& status, int64_t step_id) {
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
    EXPECT_EQ(status.message(),
              absl::StrCat("step ", step_id, " has ended on ", kTask));
    EXPECT_TRUE(IsDerived(status));
  }

  testing::SimulatedClock clock_;
  const std::unique_ptr<DeviceSet> devices_ = *DeviceSet::Create(
      {.task = kTask, .num_threads = 1, .cpu_memory_bytes = 1 << 20});
  TimerQueue timers_{"timers", clock_};
  std::unique_ptr<StepTable> table_;
};

TEST_F(StepTableTest, APeerMayAskBeforeTheStepBegins) {
  const ReceivedTensor early = WaitAsPeer(7);
  EXPECT_EQ(table_->num_steps(), 1u);
  const auto outbox = Begin(7);
  EXPECT_EQ(table_->num_steps(), 1u);
  ASSERT_TRUE(outbox->Send(ParsedKey(Key("x")), Tensor::Scalar(3), false).ok());
  ASSERT_EQ(early.calls(), 1);
  EXPECT_EQ(early.tensor().scalar<int>(), 3);
  EXPECT_EQ(*Await(7), outbox);
}

TEST_F(StepTableTest, AStepThatSucceededLingersForItsPeers) {
  const auto outbox = Begin(7);
  ASSERT_TRUE(outbox->Send(ParsedKey(Key("x")), Tensor::Scalar(3), false).ok());
  table_->Finish(7, kRun, absl::OkStatus());
  EXPECT_EQ(table_->num_steps(), 1u);
  EXPECT_TRUE(WaitAsPeer(7).status().ok());
  table_->End(7, absl::AbortedError("cleaned up"));
  EXPECT_EQ(table_->num_steps(), 0u);
  ExpectEnded(Await(7).status(), 7);
}

TEST_F(StepTableTest, AStepThatFailedEndsAtOnce) {
  const ReceivedTensor early = WaitAsPeer(7);
  Begin(7);
  const ReceivedTensor later = WaitAsPeer(7, "y");
  table_->Finish(7, kRun, absl::InvalidArgumentError("indices = 7"));
  EXPECT_EQ(table_->num_steps(), 0u);
  for (const ReceivedTensor& received : {early, later}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status(),
              AsDerived(absl::InvalidArgumentError("indices = 7")));
  }
  ExpectEnded(Await(7).status(), 7);
}

TEST_F(StepTableTest, EndedStepsAreAborted) {
  Begin(7);
  table_->End(7, absl::AbortedError("cleaned up"));
  ExpectEnded(Await(7).status(), 7);
  ExpectEnded(BeginStatus(7), 7);
  table_->Finish(7, kRun, absl::OkStatus());  // ends the failed run
  ExpectEnded(BeginStatus(7), 7);
  EXPECT_EQ(table_->num_steps(), 0u);
}

// The CleanupGraph request of a step may overtake the RunGraph request.
TEST_F(StepTableTest, AnUnknownStepCanEnd) {
  table_->End(7, absl::AbortedError("cleaned up"));
  ExpectEnded(BeginStatus(7), 7);
  ExpectEnded(Await(7).status(), 7);
}

TEST_F(StepTableTest, EndFailsWhatRunsAndWhoWaits) {
  Failures failures;
  const auto outbox = *table_->Begin(7, "s", kRun, failures.Fail());
  const ReceivedTensor peer = WaitAsPeer(7);
  const absl::Status why = absl::UnavailableError("the master is gone");
  table_->End(7, why);
  table_->End(7, absl::InternalError("an echo"));
  EXPECT_EQ(failures.whys(), std::vector<absl::Status>{AsDerived(why)});
  EXPECT_EQ(peer.status(), AsDerived(why));
  EXPECT_EQ(outbox->Send(ParsedKey(Key("x")), Tensor::Scalar(3), false),
            AsDerived(why));
}

TEST_F(StepTableTest, ARunThatIsOverIsNotFailed) {
  Failures failures;
  ASSERT_TRUE(table_->Begin(7, "s", kRun, failures.Fail()).ok());
  table_->Finish(7, kRun, absl::OkStatus());
  table_->End(7, absl::AbortedError("cleaned up"));
  ASSERT_TRUE(table_->Begin(8, "s", kRun, failures.Fail()).ok());
  table_->Finish(8, kRun, absl::InternalError("its own"));
  EXPECT_TRUE(failures.whys().empty());
}

TEST_F(StepTableTest, AStepMayRunSeveralGraphs) {
  Failures failures;
  const auto first = *table_->Begin(7, "s", kRun, failures.Fail());
  const auto second = *table_->Begin(7, "s", kOtherRun, failures.Fail());
  EXPECT_EQ(first, second);
  table_->Finish(7, kRun, absl::OkStatus());
  EXPECT_TRUE(WaitAsPeer(7).status().ok());
  table_->Finish(7, kOtherRun, absl::InternalError("of the second"));
  ExpectEnded(BeginStatus(7), 7);
  // When one run of step 8 fails, the other run of this step must end.
  ASSERT_TRUE(table_->Begin(8, "s", kRun, failures.Fail()).ok());
  ASSERT_TRUE(table_->Begin(8, "s", kOtherRun, failures.Fail()).ok());
  table_->Finish(8, kRun, absl::InternalError("of one"));
  EXPECT_THAT(failures.whys(),
              ::testing::ElementsAre(AsDerived(absl::InternalError("of one"))));
}

TEST_F(StepTableTest, KeepsNothingOfARunThatIsOver) {
  const auto begin = [this](StepTable::Run run) {
    auto kept = std::make_shared<int>();
    EXPECT_TRUE(
        table_->Begin(7, "s", run, [kept](const absl::Status&) {}).ok());
    return std::weak_ptr<int>(kept);
  };
  const std::weak_ptr<int> waiting = begin(kRun);
  for (int i = 0; i < 1000; ++i) {
    const std::weak_ptr<int> over = begin(kOtherRun);
    table_->Finish(7, kOtherRun, absl::OkStatus());
    ASSERT_TRUE(over.expired());
  }
  EXPECT_EQ(table_->num_runs(), 1u);
  EXPECT_FALSE(waiting.expired());
  table_->End(7, absl::AbortedError("cleaned up"));
  EXPECT_TRUE(waiting.expired());
  EXPECT_EQ(table_->num_runs(), 1u);
  table_->Finish(7, kRun, absl::OkStatus());
  EXPECT_EQ(table_->num_runs(), 0u);
}

TEST_F(StepTableTest, CountsWhatPeersHaveStillToFetchOfStepsThatAreOver) {
  const auto outbox = Begin(7);
  ASSERT_TRUE(
      outbox->Send(ParsedKey(Key("x")), Tensor::Scalar(1.0f), false).ok());
  ASSERT_TRUE(
      outbox->Send(ParsedKey(Key("y")), Tensor::Scalar(2.0f), false).ok());
  EXPECT_EQ(table_->num_untaken(), 0u);  // The step still runs.
  table_->Finish(7, kRun, absl::OkStatus());
  EXPECT_EQ(table_->num_untaken(), 2u);
  EXPECT_TRUE(WaitAsPeer(7, "x").status().ok());
  EXPECT_EQ(table_->num_untaken(), 1u);
  // When a tensor is sent in chunks, num_untaken() counts the tensor until the
  // peer has fetched the last chunk.
  PeerTraffic traffic(clock_);
  constexpr int64_t kChunk = kMinChunkBytes;
  const std::shared_ptr<Transfers>& transfers = outbox->transfers();
  const auto transfer =
      transfers->Begin(Tensor::Filled<uint8_t>(Shape{2 * kChunk}, 0),
                       {.chunk_bytes = kChunk}, traffic);
  ASSERT_TRUE(transfer.ok() && transfer->has_value());
  EXPECT_TRUE(transfers->Take((*transfer)->id, 0, kChunk).ok());
  EXPECT_EQ(table_->num_untaken(), 2u);
  EXPECT_TRUE(transfers->Take((*transfer)->id, kChunk, kChunk).ok());
  EXPECT_EQ(table_->num_untaken(), 1u);
  table_->End(7, absl::AbortedError("cleaned up"));
  EXPECT_EQ(table_->num_untaken(), 0u);
}

TEST_F(StepTableTest, ASessionCannotBeginAStepOfAnother) {
  Failures failures;
  ASSERT_TRUE(table_->Begin(7, "mine", kRun, failures.Fail()).ok());
  const absl::Status status = BeginStatus(7, "yours");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("step 7"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(kTask));
  // Whoever knows the handle of a session can use the session. So errors must
  // not show the handle.
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("mine")));
  table_->Finish(7, kRun, absl::OkStatus());
  EXPECT_FALSE(BeginStatus(7, "yours").ok());
  EXPECT_FALSE(BeginStatus(7, "").ok());
  EXPECT_TRUE(failures.whys().empty());
  EXPECT_TRUE(BeginStatus(7, "mine").ok());
}

TEST_F(StepTableTest, MastersOfSeveralSessionsShareAStep) {
  const absl::Status cleanup = absl::AbortedError("Cleanup 7");
  Failures failures;
  const auto begin = [&](absl::string_view session, StepTable::Run run,
                         bool is_shared = true) {
    return table_->Begin(7, session, run, failures.Fail(), is_shared).status();
  };
  EXPECT_EQ(begin("a", kRun), absl::OkStatus());
  EXPECT_EQ(begin("b", kOtherRun, /*is_shared=*/false).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(begin("b", kOtherRun), absl::OkStatus());
  table_->Finish(7, kRun, absl::OkStatus());
  table_->EndOf("a", absl::AbortedError("the session was deleted"));
  table_->Finish(7, kOtherRun, absl::OkStatus());
  // The session is gone, and a notice of its master comes late.
  table_->Release(7, "a", cleanup);
  // The peers of b may still fetch tensors.
  EXPECT_TRUE(table_->Find(7).ok());
  EXPECT_TRUE(failures.whys().empty());
  table_->Release(7, "b", cleanup);
  EXPECT_EQ(table_->num_steps(), 0u);
  table_->Release(7, "b", cleanup);
  // A third session is late.
  EXPECT_EQ(begin("c", kRun), absl::OkStatus());
  table_->Finish(7, kRun, absl::OkStatus());
  table_->Release(7, "c", cleanup);
  EXPECT_EQ(table_->num_steps(), 0u);
}

TEST_F(StepTableTest, ASessionThatEndsReleasesItsSharedSteps) {
  Failures failures;
  for (const char* session : {"a", "b"}) {
    EXPECT_TRUE(table_->Begin(7, session, kRun, failures.Fail(), true).ok());
    table_->Finish(7, kRun, absl::OkStatus());
  }
  table_->EndOf("a", absl::AbortedError("the session was deleted"));
  table_->EndOf("a", absl::AbortedError("the session was deleted"));
  EXPECT_EQ(table_->num_steps(), 1u);
  table_->EndOf("b", absl::AbortedError("the session was deleted"));
  EXPECT_EQ(table_->num_steps(), 0u);
}

TEST_F(StepTableTest, AFailureIsNewOnce) {
  EXPECT_TRUE(table_->Explain(7, absl::AbortedError("x")));
  EXPECT_FALSE(table_->Explain(7, absl::AbortedError("y")));
}

TEST_F(StepTableTest, ASharedStepFailsForAll) {
  Failures failures;
  EXPECT_TRUE(table_->Begin(7, "a", kRun, failures.Fail(), true).ok());
  EXPECT_TRUE(table_->Begin(7, "b", kOtherRun, failures.Fail(), true).ok());
  table_->EndOf("a", absl::AbortedError("the session was deleted"));
  EXPECT_EQ(failures.whys().size(), 2u);
  ExpectEnded(table_->Begin(7, "b", kRun, failures.Fail(), true).status(), 7);
}

TEST_F(StepTableTest, EndsTheStepsOfASession) {
  const ReceivedTensor waiting = WaitAsPeer(1);
  Begin(2, "");  // TensorFlow has a session without a name
  Begin(3, "a");
  Begin(4, "b");
  Begin(5, "a");
  table_->Finish(5, kRun, absl::OkStatus());
  table_->EndOf("a", absl::AbortedError("the session was deleted"));
  ExpectEnded(BeginStatus(3, "a"), 3);
  ExpectEnded(BeginStatus(5, "a"), 5);
  EXPECT_EQ(table_->num_steps(), 3u);
  table_->EndOf("", absl::AbortedError("the session was deleted"));
  EXPECT_EQ(table_->num_steps(), 2u);
  EXPECT_EQ(waiting.calls(), 0);
}

TEST_F(StepTableTest, AStepThatNobodyWaitsForAnyMoreIsForgotten) {
  bool is_waiting = false;
  const auto first = table_->Await(7, is_waiting);
  EXPECT_TRUE(is_waiting);
  is_waiting = false;
  ASSERT_TRUE(table_->Await(7, is_waiting).ok());
  EXPECT_TRUE(is_waiting);
  ReceivedTensor early;
  (*first)->RecvForPeer(ParsedKey(Key("x")), early.Done());
  table_->StopWaiting(7);
  EXPECT_EQ(table_->num_steps(), 1u);
  table_->StopWaiting(7);
  EXPECT_EQ(table_->num_steps(), 0u);
  EXPECT_EQ(early.status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(early.status()));
  // The table has not recorded that step 7 has ended, so the step may still
  // begin.
  Begin(7);
  table_->StopWaiting(7);
  EXPECT_EQ(table_->num_steps(), 1u);
  ASSERT_TRUE(table_->Await(7, is_waiting).ok());
  EXPECT_FALSE(is_waiting);
  // Step 8 begins while a peer waits for it. The step stays in the table after
  // the peer stops waiting.
  ASSERT_TRUE(table_->Await(8, is_waiting).ok());
  EXPECT_TRUE(is_waiting);
  Begin(8);
  table_->StopWaiting(8);
  EXPECT_EQ(table_->num_steps(), 2u);
}

TEST_F(StepTableTest, AStepThatNobodyWaitsForAnyMoreTakesNoRoom) {
  Make({.max_waiting_steps = 1});
  for (int64_t id = 1; id <= 3; ++id) {
    bool is_waiting = false;
    EXPECT_TRUE(table_->Await(id, is_waiting).ok()) << id;
    table_->StopWaiting(id);
  }
}

TEST_F(StepTableTest, BoundsTheStepsThatWait) {
  Make({.max_waiting_steps = 3});
  for (int64_t id = 1; id <= 3; ++id) WaitAsPeer(id);
  EXPECT_TRUE(Await(3).ok());
  const absl::Status status = Await(4).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("step 4"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("(--max-waiting-steps)"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(kTask));
  Begin(4);  // The limit does not apply to a step that begins.
  EXPECT_TRUE(Await(4).ok());
  Begin(1);
  EXPECT_TRUE(Await(5).ok());
  EXPECT_FALSE(Await(6).ok());
  table_->End(2, absl::AbortedError("cleaned up"));
  EXPECT_TRUE(Await(6).ok());
  EXPECT_FALSE(Await(8).ok());
}

TEST_F(StepTableTest, AStepThatDoesNotBeginInTimeEnds) {
  Make({.waiting_step_timeout = milliseconds(30)});
  const ReceivedTensor early = WaitAsPeer(7);
  clock_.Advance(milliseconds(29));
  EXPECT_EQ(early.calls(), 0);
  clock_.Advance(milliseconds(1));
  ASSERT_EQ(early.calls(), 1);
  EXPECT_EQ(early.status(), AsDerived(absl::AbortedError(absl::StrCat(
                                "step 7 has not begun on ", kTask,
                                " within 30ms of a peer's asking for it "
                                "(--waiting-step-timeout)"))));
  ExpectEnded(BeginStatus(7), 7);
  // After the timer has fired once, it also works for later steps.
  const ReceivedTensor next = WaitAsPeer(8);
  clock_.Advance(milliseconds(30));
  EXPECT_EQ(next.calls(), 1);
  EXPECT_EQ(table_->num_steps(), 0u);
}

TEST_F(StepTableTest, StepsThatWaitOneAfterAnotherEndInTurn) {
  Make({.waiting_step_timeout = milliseconds(100)});
  const ReceivedTensor first = WaitAsPeer(7);
  clock_.Advance(milliseconds(30));
  const ReceivedTensor second = WaitAsPeer(8);
  clock_.Advance(milliseconds(70));
  EXPECT_EQ(first.calls(), 1);
  EXPECT_EQ(second.calls(), 0);
  clock_.Advance(milliseconds(30));
  EXPECT_EQ(second.calls(), 1);
  EXPECT_EQ(table_->num_steps(), 0u);
}

TEST_F(StepTableTest, AStepThatBeginsInTimeStays) {
  Make({.waiting_step_timeout = milliseconds(200)});
  const ReceivedTensor early = WaitAsPeer(7);
  Begin(7);
  const ReceivedTensor other = WaitAsPeer(8);
  clock_.Advance(std::chrono::hours(1));
  EXPECT_EQ(other.calls(), 1);
  EXPECT_EQ(early.calls(), 0);
  EXPECT_EQ(table_->num_steps(), 1u);
}

TEST_F(StepTableTest, AStepThatNobodyCleansUpEnds) {
  Make({.step_linger = milliseconds(200)});
  Begin(6);
  Begin(7);
  table_->Finish(7, kRun, absl::OkStatus());
  const ReceivedTensor peer = WaitAsPeer(7);
  clock_.Advance(milliseconds(199));
  EXPECT_EQ(peer.calls(), 0);
  clock_.Advance(milliseconds(1));
  ASSERT_EQ(peer.calls(), 1);
  EXPECT_EQ(peer.status(), AsDerived(absl::AbortedError(absl::StrCat(
                               "step 7 ended: nobody has cleaned it up on ",
                               kTask, " for 200ms (--step-linger)"))));
  EXPECT_EQ(table_->num_steps(), 1u);  // Step 6 runs.
}

TEST_F(StepTableTest, ALingeringStepThatBeginsAgainStays) {
  Make({.step_linger = milliseconds(200)});
  Begin(7);
  table_->Finish(7, kRun, absl::OkStatus());
  Begin(7);
  clock_.Advance(std::chrono::hours(1));
  EXPECT_EQ(table_->num_steps(), 1u);
}

TEST_F(StepTableTest, BoundsTheStepsThatLinger) {
  Make({.max_tombstones = 3});
  const ReceivedTensor peer = WaitAsPeer(1);
  for (int64_t id = 1; id <= 5; ++id) {
    Begin(id);
    table_->Finish(id, kRun, absl::OkStatus());
  }
  ASSERT_TRUE(peer.Wait());
  EXPECT_THAT(std::string(peer.status().message()),
              HasSubstr("(--max-tombstones)"));
  EXPECT_EQ(table_->num_steps(), 3u);
  ExpectEnded(Await(2).status(), 2);
  EXPECT_TRUE(Await(3).ok());
}

TEST_F(StepTableTest, RemembersTheLastHundredThousandEndedSteps) {
  const ServerLimits limits;
  ASSERT_EQ(limits.max_tombstones, 100'000u);
  for (int64_t id = 1; id <= 100'000; ++id) {
    table_->End(id, absl::AbortedError("cleaned up"));
    table_->End(id, absl::AbortedError("cleaned up"));
  }
  ExpectEnded(Await(1).status(), 1);
  table_->End(100'001, absl::AbortedError("cleaned up"));
  EXPECT_TRUE(Await(1).ok());  // The first step was forgotten.
  ExpectEnded(Await(2).status(), 2);
  ExpectEnded(Await(100'001).status(), 100'001);
}

TEST_F(StepTableTest, CallsBackOutsideOfItsLock) {
  int calls = 0;
  const auto fail = [&](const absl::Status&) {
    calls += table_->num_steps() == 0;
    table_->End(7, absl::InternalError("again"));
  };
  ASSERT_TRUE(table_->Begin(7, "s", kRun, fail).ok());
  table_->End(7, absl::AbortedError("cleaned up"));
  EXPECT_EQ(calls, 1);
}

TEST_F(StepTableTest, FreesWhatARunKeptOutsideOfItsLock) {
  int freed = 0;
  const auto begin = [&](int64_t step_id) {
    const std::shared_ptr<void> kept(nullptr, [&](void*) {
      table_->num_runs();
      ++freed;
    });
    EXPECT_TRUE(
        table_->Begin(step_id, "s", kRun, [kept](const absl::Status&) {}).ok());
  };
  begin(7);
  table_->Finish(7, kRun, absl::OkStatus());
  EXPECT_EQ(freed, 1);
  begin(8);
  table_->End(8, absl::AbortedError("cleaned up"));
  EXPECT_EQ(freed, 2);
}

TEST_F(StepTableTest, DestructionEndsEveryStep) {
  Failures failures;
  ASSERT_TRUE(table_->Begin(7, "s", kRun, failures.Fail()).ok());
  const ReceivedTensor running = WaitAsPeer(7);
  const ReceivedTensor waiting = WaitAsPeer(8);
  table_.reset();
  EXPECT_EQ(failures.whys().size(), 1u);
  for (const ReceivedTensor& received : {running, waiting}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(received.status().message()), HasSubstr(kTask));
  }
}

using StepTableConcurrencyTest = StepTableTest;

TEST_F(StepTableConcurrencyTest, MayGoWhileItsTimersFire) {
  for (int round = 0; round < 200; ++round) {
    Make({.waiting_step_timeout = std::chrono::microseconds(10 * round),
          .step_linger = std::chrono::microseconds(5 * round)});
    std::vector<ReceivedTensor> received;
    for (int64_t id = 0; id < 5; ++id) {
      const auto outbox = Await(id);
      if (!outbox.ok()) continue;
      received.emplace_back();
      (*outbox)->RecvForPeer(ParsedKey(Key("x")), received.back().Done());
      if (id % 2 == 0 && BeginStatus(id).ok()) {
        table_->Finish(id, kRun, absl::OkStatus());
      }
    }
    // The timers fire while the table is destroyed.
    clock_.Jump(std::chrono::microseconds(10 * round));
    table_.reset();
    for (const ReceivedTensor& each : received) EXPECT_EQ(each.calls(), 1);
  }
}

TEST_F(StepTableConcurrencyTest, EveryWaitEndsOnceUnderContention) {
  Make({.max_waiting_steps = 20,
        .waiting_step_timeout = std::chrono::microseconds(300),
        .max_tombstones = 60,
        .step_linger = std::chrono::microseconds(500)});
  constexpr int kThreads = 8;
  constexpr int kSteps = 3000;
  std::vector<std::vector<ReceivedTensor>> received(kThreads);
  std::vector<Thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back("contends", [this, t, &mine = received[t]] {
      const std::string key = Key(absl::StrCat("x", t));
      for (int i = 0; i < kSteps; ++i) {
        clock_.Jump(std::chrono::microseconds(2));
        const int64_t id = i / 10 * 10 + (i * 7 + t) % 10;
        const int what = (i + t * 3) % 8;
        if (what < 3) {
          const auto outbox = Await(id);
          if (!outbox.ok()) continue;
          mine.emplace_back();
          (*outbox)->RecvForPeer(ParsedKey(key), mine.back().Done());
        } else if (what < 5) {
          static_cast<void>(
              table_->Begin(id, "s", kRun, [](const absl::Status&) {}));
        } else if (what == 5) {
          table_->Finish(id, kRun, absl::OkStatus());
        } else if (what == 6) {
          table_->Finish(id, kRun, absl::InternalError("failed"));
        } else if (i % 100 == 0) {
          table_->EndOf("s", absl::AbortedError("the session was deleted"));
        } else {
          table_->End(id, absl::AbortedError("cleaned up"));
        }
      }
    });
  }
  threads.clear();
  table_.reset();
  size_t waits = 0;
  for (const auto& of_thread : received) {
    waits += of_thread.size();
    for (const ReceivedTensor& each : of_thread) EXPECT_EQ(each.calls(), 1);
  }
  EXPECT_GT(waits, 0u);
}

}  // namespace
}  // namespace leat::step_table_test
