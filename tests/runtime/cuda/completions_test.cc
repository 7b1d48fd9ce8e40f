// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/completions.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/fake_cuda.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::completions_test {
namespace {

using ::leat::testing::Event;
using ::leat::testing::FakeCuda;
using ::leat::testing::SimulatedClock;
using ::testing::ElementsAre;

// Provides two streams of a FakeCuda. The test calls RunOne or RunAll to run
// the work in the streams.
class CompletionsTest : public ::testing::Test {
 protected:
  CompletionsTest() {
    for (CudaStream& stream : streams_) stream = *cuda_.NewStream();
    Restart();
  }
  ~CompletionsTest() override {
    cuda_.RunAll();
    completions_.reset();
    events_.reset();
    for (CudaStream stream : streams_) cuda_.FreeStream(stream).IgnoreError();
  }

  void Restart() {
    completions_.emplace(
        CompletionsOptions{cuda_, health_, *events_, *queue_, clock_, 0});
  }

  CudaEvent Record(int stream) {
    const absl::StatusOr<CudaEvent> event = events_->Record(streams_[stream]);
    EXPECT_TRUE(event.ok());
    return *event;
  }

  SimulatedClock clock_;
  FakeCuda cuda_{{.has_thread = false}};
  DeviceHealth health_{"GPU:0"};
  std::unique_ptr<WorkQueue> queue_ = NewThreadPool("test", 1);
  CudaStream streams_[2] = {};
  std::optional<EventPool> events_{std::in_place, cuda_};
  std::optional<Completions> completions_;
};

TEST_F(CompletionsTest, WaitsForTheEvent) {
  bool is_done = false;
  completions_->Add(Record(0), {}, [&](absl::Status status) {
    EXPECT_TRUE(status.ok());
    EXPECT_TRUE(queue_->IsWorkerThread());
    is_done = true;
  });
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_FALSE(is_done);
  cuda_.RunAll();
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_TRUE(is_done);
}

TEST_F(CompletionsTest, KeepsBuffersUntilTheEventHasPassed) {
  const Tensor tensor = Tensor::Scalar(1.0f);
  completions_->Add(Record(0), {tensor.buffer()}, nullptr);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_FALSE(tensor.IsUnique());
  cuda_.RunAll();
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_TRUE(tensor.IsUnique());
}

// CUDA reaches event 1 before event 0. But the callback of event 0 is called
// first.
TEST_F(CompletionsTest, CompletesInOrder) {
  cuda_.SlowDown(0);
  std::vector<int> done;
  completions_->Add(Record(0), {}, [&](absl::Status) { done.push_back(0); });
  completions_->Add(Record(1), {}, [&](absl::Status) { done.push_back(1); });
  ASSERT_TRUE(cuda_.RunOne());
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_THAT(done, ElementsAre());
  ASSERT_TRUE(cuda_.RunOne());
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_THAT(done, ElementsAre(0, 1));
}

TEST_F(CompletionsTest, ALongWaitLooksAtTheEventSeldom) {
  completions_->Add(Record(0), {}, nullptr);
  const int64_t before = cuda_.count(FakeCuda::Call::kIsPassed);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_LT(cuda_.count(FakeCuda::Call::kIsPassed) - before, 2500);
}

TEST_F(CompletionsTest, TheDestructorWaitsForWhatIsPending) {
  bool is_done = false;
  completions_->Add(Record(0), {}, [&](absl::Status) { is_done = true; });
  cuda_.RunAll();
  completions_.reset();
  queue_.reset();
  EXPECT_TRUE(is_done);
}

TEST_F(CompletionsTest, AllCompleteWithTheErrorOfALostGpu) {
  std::vector<std::string> errors;
  const Tensor tensor = Tensor::Scalar(1.0f);
  for (int i = 0; i < 3; ++i) {
    completions_->Add(
        Record(i % 2), {tensor.buffer()},
        [&](absl::Status status) { errors.emplace_back(status.message()); });
  }
  cuda_.Lose(0);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(errors.size(), 3u);
  EXPECT_THAT(errors,
              ::testing::Each(::testing::HasSubstr("GPU:0 has failed")));
  EXPECT_TRUE(tensor.IsUnique());
}

}  // namespace
}  // namespace leat::completions_test
