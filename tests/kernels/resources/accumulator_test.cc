// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests calls that wait at an accumulator, and the results of these calls.
// sync_cases_test.cc checks the calls that need not wait.
#include "leat/kernels/resources/accumulator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leat/core/resource_handle.h"
#include "leat/kernels/variable.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/waiting_call.h"

namespace leat::accumulator_test {
namespace {

using kernels::Accumulator;
using kernels::AccumulatorOptions;
using kernels::Gradient;
using kernels::GradientTotal;
using kernels::Variable;

struct Answer {
  std::optional<absl::Status> status = {};
  GradientTotal total = {};

  bool is_there() const { return status.has_value(); }
  bool ok() const { return status.has_value() && status->ok(); }
};

Accumulator::Done To(Answer& answer) {
  return [&answer](absl::StatusOr<GradientTotal> total) {
    EXPECT_FALSE(answer.is_there()) << "called twice";
    answer.status = total.status();
    if (total.ok()) answer.total = *std::move(total);
  };
}

class AccumulatorTest : public ::testing::Test {
 protected:
  static std::shared_ptr<Accumulator> Make() {
    return std::make_shared<Accumulator>(
        AccumulatorOptions{.name = "a", .shape = PartialShape{2}});
  }

  absl::Status Apply(Accumulator& accumulator, int64_t step, Tensor values) {
    return accumulator.Apply(step, {.values = std::move(values)},
                             HostAllocator(), *queue_);
  }

  const std::unique_ptr<WorkQueue> queue_ = NewInlineQueue();
  Cancellation step_;
};

TEST_F(AccumulatorTest, TakersWaitInLineForEnoughGradients) {
  const auto accumulator = Make();
  Answer first, second;
  accumulator->Take(2, step_, To(first));
  accumulator->Take(1, step_, To(second));
  ASSERT_TRUE(Apply(*accumulator, 0, Tensor::Vector<float>({1, 2})).ok());
  // One gradient would be enough for the second call, but the second call must
  // not overtake the first one.
  EXPECT_FALSE(first.is_there() || second.is_there());
  ASSERT_TRUE(Apply(*accumulator, 0, Tensor::Vector<float>({3, 4})).ok());
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first.total.count, 2);
  EXPECT_TRUE(Identical(first.total.values, Tensor::Vector<float>({4, 6})));
  EXPECT_FALSE(second.is_there());
  // The first call has ended step 0 of the accumulator, so another gradient of
  // this step is dropped.
  ASSERT_TRUE(Apply(*accumulator, 0, Tensor::Vector<float>({5, 6})).ok());
  EXPECT_FALSE(second.is_there());
  ASSERT_TRUE(Apply(*accumulator, 1, Tensor::Vector<float>({7, 8})).ok());
  EXPECT_TRUE(second.ok());
  EXPECT_EQ(accumulator->num_accumulated(), 0);
}

TEST_F(AccumulatorTest, ACancelledTakerLeavesTheGradientsToTheNext) {
  const auto accumulator = Make();
  Cancellation other;
  Answer cancelled, next;
  accumulator->Take(3, other, To(cancelled));
  accumulator->Take(1, step_, To(next));
  ASSERT_TRUE(Apply(*accumulator, 0, Tensor::Vector<float>({1, 2})).ok());
  EXPECT_FALSE(cancelled.is_there() || next.is_there());
  other.Cancel(absl::AbortedError("the step has failed"));
  EXPECT_EQ(cancelled.status, absl::AbortedError("the step has failed"));
  EXPECT_TRUE(next.ok());
}

TEST_F(AccumulatorTest, ACancelledStepTakesNothing) {
  const auto accumulator = Make();
  ASSERT_TRUE(Apply(*accumulator, 0, Tensor::Vector<float>({1, 2})).ok());
  step_.Cancel(absl::CancelledError("over"));
  Answer answer;
  accumulator->Take(1, step_, To(answer));
  EXPECT_EQ(answer.status, absl::CancelledError("over"));
  EXPECT_EQ(accumulator->num_accumulated(), 1);
}

TEST_F(AccumulatorTest, GradientsThatWereGivenStayAsTheyAre) {
  const auto accumulator = Make();
  const Tensor gradient = Tensor::Vector<float>({1, 2});
  ASSERT_TRUE(Apply(*accumulator, 0, gradient).ok());
  ASSERT_TRUE(Apply(*accumulator, 0, gradient).ok());
  Answer answer;
  accumulator->Take(2, step_, To(answer));
  ASSERT_TRUE(Average(HostAllocator(), *queue_, answer.total).ok());
  EXPECT_TRUE(Identical(gradient, Tensor::Vector<float>({1, 2})));
  EXPECT_TRUE(Identical(answer.total.values, Tensor::Vector<float>({1, 2})));
}

TEST_F(AccumulatorTest, CallbacksMayUseTheAccumulator) {
  const auto accumulator = Make();
  int64_t left = -1;
  accumulator->Take(1, step_, [&](const absl::StatusOr<GradientTotal>&) {
    left = accumulator->num_accumulated();
  });
  ASSERT_TRUE(Apply(*accumulator, 0, Tensor::Vector<float>({1, 2})).ok());
  EXPECT_EQ(left, 0);
}

TEST_F(AccumulatorTest, TheLastStepHasNoNext) {
  const auto accumulator = Make();
  const int64_t last = std::numeric_limits<int64_t>::max();
  accumulator->SetStep(last);
  ASSERT_TRUE(Apply(*accumulator, last, Tensor::Vector<float>({1, 2})).ok());
  Answer answer;
  accumulator->Take(1, step_, To(answer));
  ASSERT_TRUE(answer.ok());
  ASSERT_TRUE(Apply(*accumulator, last, Tensor::Vector<float>({1, 2})).ok());
  EXPECT_EQ(accumulator->num_accumulated(), 1);
}

// Workers apply gradients while another thread takes totals, and some of these
// calls are cancelled. Each gradient must be in exactly one total, or still be
// in the accumulator at the end.
TEST_F(AccumulatorTest, EveryGradientIsTakenOnce) {
  constexpr int kWorkers = 3;
  constexpr int kGradients = 300;
  const auto accumulator = Make();
  const int64_t never_late = std::numeric_limits<int64_t>::max();
  std::atomic<int> at_work{kWorkers};
  std::vector<std::thread> workers;
  for (int worker = 0; worker < kWorkers; ++worker) {
    workers.emplace_back([&] {
      for (int i = 0; i < kGradients; ++i) {
        EXPECT_TRUE(
            Apply(*accumulator, never_late, Tensor::Vector<float>({1, 0}))
                .ok());
      }
      --at_work;
    });
  }
  int64_t count = 0;
  float sum = 0;
  for (int i = 0; at_work > 0; ++i) {
    Answer answer;
    Cancellation step;
    std::atomic<bool> is_done{false};
    accumulator->Take(1 + i % 3, step,
                      [&](absl::StatusOr<GradientTotal> total) {
                        To(answer)(std::move(total));
                        is_done = true;
                      });
    std::thread canceller(
        [&] { step.Cancel(absl::CancelledError("at random")); });
    canceller.join();
    while (!is_done) std::this_thread::yield();
    if (!answer.ok()) continue;
    count += answer.total.count;
    sum += answer.total.values.data<float>()[0];
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(count + accumulator->num_accumulated(), kWorkers * kGradients);
  EXPECT_EQ(sum, static_cast<float>(count));
}

// ---- Kernels ----

class AccumulatorKernelTest : public ::testing::Test {
 protected:
  // Runs the op that makes an accumulator of shape [2]. Returns its output.
  absl::StatusOr<Value> Handle(absl::string_view op, DType dtype) {
    auto kernel = harness_.Make(op,
                                {{"dtype", dtype},
                                 {"shape", PartialShape{2}},
                                 {"shared_name", std::string("test")}},
                                {});
    if (!kernel.ok()) return kernel.status();
    auto outputs = harness_.Run(*kernel, {});
    if (!outputs.ok()) return outputs.status();
    return outputs->front();
  }

  absl::Status Apply(const Value& handle) {
    auto kernel =
        harness_.Make("AccumulatorApplyGradient", {},
                      {RefOf(DType::kString), DType::kInt64, DType::kFloat});
    if (!kernel.ok()) return kernel.status();
    return harness_
        .Run(*kernel, {handle, testing::TensorValue(Tensor::Scalar<int64_t>(0)),
                       testing::TensorValue(Tensor::Vector<float>({1, 2}))})
        .status();
  }

  testing::KernelTestHarness harness_;
};

TEST_F(AccumulatorKernelTest, BothFormsShareTheAccumulatorOfAName) {
  const auto reference = Handle("ConditionalAccumulator", DType::kFloat);
  const auto resource = Handle("ResourceConditionalAccumulator", DType::kFloat);
  ASSERT_TRUE(reference.ok() && resource.ok());
  ASSERT_TRUE(Apply(*reference).ok());
  const auto count = harness_.RunOne("ResourceAccumulatorNumAccumulated", {},
                                     {resource->tensor});
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(count->scalar<int32_t>(), 1);
}

TEST_F(AccumulatorKernelTest, AnotherKindOrTypeOfThatNameIsRefused) {
  ASSERT_TRUE(Handle("ConditionalAccumulator", DType::kFloat).ok());
  for (const auto& status :
       {Handle("SparseConditionalAccumulator", DType::kFloat).status(),
        Handle("ResourceConditionalAccumulator", DType::kDouble).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(AccumulatorKernelTest, ASparseOneTakesNoDenseGradient) {
  const auto sparse = Handle("SparseConditionalAccumulator", DType::kFloat);
  ASSERT_TRUE(sparse.ok());
  EXPECT_EQ(Apply(*sparse).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(AccumulatorKernelTest, AReferenceToOtherStringsIsRefused) {
  const auto refer = [](Tensor value) {
    auto variable =
        std::make_shared<Variable>("v", value.dtype(), PartialShape());
    EXPECT_TRUE(variable->Assign(std::move(value)).ok());
    return testing::RefValue(std::move(variable));
  };
  EXPECT_EQ(Apply(refer(Tensor::Vector<std::string>({"a"}))).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Apply(refer(Tensor::Vector<std::string>({"a", "b"}))).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Apply(refer(Tensor::Vector<float>({1, 2}))).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(AccumulatorKernelTest, AWaitingTakeIsCancelledWithItsStep) {
  const auto handle = Handle("ResourceConditionalAccumulator", DType::kFloat);
  ASSERT_TRUE(handle.ok());
  const auto take = harness_.Make("ResourceAccumulatorTakeGradient",
                                  {{"dtype", DType::kFloat}},
                                  {DType::kResource, DType::kInt32});
  ASSERT_TRUE(take.ok()) << take.status();
  testing::WaitingCall waiting(
      harness_.services(), *take,
      {*handle, testing::TensorValue(Tensor::Scalar<int32_t>(1))});
  EXPECT_FALSE(waiting.is_done());
  waiting.Cancel(absl::CancelledError("the session was closed"));
  EXPECT_EQ(waiting.Result().status(),
            absl::CancelledError("the session was closed"));
}

}  // namespace
}  // namespace leat::accumulator_test
