// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/heartbeat.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::heartbeat_test {
namespace {

using std::chrono::milliseconds;

class FakeCall final : public OpenClientCall {
 public:
  void Cancel() override {}
  void Lose() override { is_lost = true; }

  std::atomic<bool> is_lost = false;
};

// Tests a heartbeat. The test answers in place of the peer.
class HeartbeatTest : public ::testing::Test {
 protected:
  static constexpr milliseconds kInterval{1000};
  static constexpr milliseconds kTimeout{3500};

  ~HeartbeatTest() override { heartbeat_->Stop(); }

  int num_asked() {
    MutexLock lock(mutex_);
    return num_asked_;
  }
  void Answer(absl::StatusOr<Payload> answer) {
    std::optional<Reply> reply;
    {
      MutexLock lock(mutex_);
      ASSERT_TRUE(pending_.has_value());
      reply = std::exchange(pending_, std::nullopt);
    }
    (*std::move(reply))(std::move(answer));
  }
  absl::Status NoAnswer() {
    return AsTransportError(absl::DeadlineExceededError("by the test"));
  }

  testing::SimulatedClock clock_;
  TimerQueue timers_{"test", clock_};
  Mutex mutex_;
  int num_asked_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<Reply> pending_ ABSL_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> answer_by_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int> num_silent_ = 0;
  const std::shared_ptr<Heartbeat> heartbeat_ = std::make_shared<Heartbeat>(
      [this](const Method& method, CallOptions options, Reply reply) {
        EXPECT_EQ(std::string(method.path), methods::kHealthCheck.path);
        MutexLock lock(mutex_);
        ++num_asked_;
        pending_.emplace(std::move(reply));
        answer_by_ = options.deadline;
      },
      [this] { ++num_silent_; },
      ConnectionTimes{.ping_interval = kInterval, .ping_timeout = kTimeout},
      timers_);
  const std::shared_ptr<FakeCall> call_ = std::make_shared<FakeCall>();
};

TEST_F(HeartbeatTest, AsksAgainAfterEachAnswerWhileACallWaits) {
  heartbeat_->Start();
  heartbeat_->Add(call_);
  for (int i = 1; i <= 3; ++i) {
    clock_.Advance(kInterval - milliseconds(1));
    EXPECT_EQ(num_asked(), i - 1);
    clock_.Advance(milliseconds(1));
    EXPECT_EQ(num_asked(), i);
    // The heartbeat sends no further question until the first one is answered.
    clock_.Advance(2 * kInterval);
    EXPECT_EQ(num_asked(), i);
    Answer(Payload());
  }
  EXPECT_FALSE(call_->is_lost);
}

TEST_F(HeartbeatTest, GivesThePeerItsTimeToAnswer) {
  heartbeat_->Start();
  heartbeat_->Add(call_);
  clock_.Advance(kInterval);
  const Clock::time_point now = clock_.Now();
  {
    MutexLock lock(mutex_);
    EXPECT_EQ(answer_by_, now + kTimeout);
  }
  Answer(absl::UnimplementedError("a task of TensorFlow"));
  EXPECT_FALSE(call_->is_lost);
  EXPECT_EQ(num_silent_, 0);
}

TEST_F(HeartbeatTest, ASilentPeerLosesItsCalls) {
  heartbeat_->Start();
  heartbeat_->Add(call_);
  clock_.Advance(kInterval);
  Answer(NoAnswer());
  EXPECT_TRUE(call_->is_lost);
  EXPECT_EQ(num_silent_, 1);
}

TEST_F(HeartbeatTest, AsksNobodyWithoutCalls) {
  heartbeat_->Start();
  heartbeat_->Add(call_);
  clock_.Advance(kInterval);
  heartbeat_->Remove(call_.get());
  Answer(Payload());
  clock_.Advance(10 * kInterval);
  EXPECT_EQ(num_asked(), 1);
  // The next call makes the heartbeat ask again.
  heartbeat_->Add(call_);
  clock_.Advance(kInterval);
  EXPECT_EQ(num_asked(), 2);
  Answer(Payload());
}

TEST_F(HeartbeatTest, AsksNobodyBeforeStartAndAfterStop) {
  heartbeat_->Add(call_);
  clock_.Advance(10 * kInterval);
  EXPECT_EQ(num_asked(), 0);
  heartbeat_->Start();
  heartbeat_->Stop();
  heartbeat_->Start();
  clock_.Advance(10 * kInterval);
  EXPECT_EQ(num_asked(), 0);
}

}  // namespace
}  // namespace leat::heartbeat_test
