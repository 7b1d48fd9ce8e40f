// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests calls that wait at a queue, and the results of these calls.
// sync_cases_test.cc checks the calls that need not wait.
#include "leat/kernels/resources/queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/core/resource_handle.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/waiting_call.h"

namespace leat::queue_test {
namespace {

using kernels::Queue;
using kernels::QueueElement;
using kernels::QueueKind;
using kernels::QueueOptions;

// Holds the result that a queue passed to the callback of a call.
struct Answer {
  std::optional<absl::Status> status = {};
  std::vector<int32_t> values = {};

  bool is_there() const { return status.has_value(); }
  bool ok() const { return status.has_value() && status->ok(); }
};

class QueueTest : public ::testing::Test {
 protected:
  static std::shared_ptr<Queue> Make(int64_t capacity = -1,
                                     QueueOptions options = {}) {
    options.name = "q";
    if (capacity >= 0) options.capacity = capacity;
    options.dtypes = {DType::kInt32};
    options.shapes = {Shape{}};
    return std::make_shared<Queue>(std::move(options));
  }

  static Queue::Elements Elements(const std::vector<int32_t>& values) {
    Queue::Elements elements;
    for (const int32_t value : values) {
      elements.push_back(QueueElement{Tensor::Scalar(value)});
    }
    return elements;
  }

  static Queue::Done To(Answer& answer) {
    return [&answer](absl::StatusOr<Queue::Elements> result) {
      EXPECT_FALSE(answer.is_there()) << "called twice";
      answer.status = result.status();
      if (!result.ok()) return;
      for (const QueueElement& element : *result) {
        answer.values.push_back(element[0].scalar<int32_t>());
      }
    };
  }

  void Put(Queue& queue, const std::vector<int32_t>& values, Answer& answer) {
    queue.Enqueue(Elements(values), step_, To(answer));
  }
  void Put(Queue& queue, const std::vector<int32_t>& values) {
    Answer answer;
    Put(queue, values, answer);
    EXPECT_TRUE(answer.ok());
  }
  void Take(Queue& queue, int64_t count, Answer& answer, bool up_to = false) {
    queue.Dequeue(count, up_to, step_, To(answer));
  }
  std::vector<int32_t> Taken(Queue& queue, int64_t count) {
    Answer answer;
    Take(queue, count, answer);
    EXPECT_TRUE(answer.ok());
    return answer.values;
  }
  void Close(Queue& queue, bool cancel_pending, Answer& answer) {
    queue.Close(cancel_pending, step_, To(answer));
  }

  Cancellation step_;
};

using Ints = std::vector<int32_t>;

TEST_F(QueueTest, EnqueuesWaitInLineForRoom) {
  const auto queue = Make(2);
  Answer two, second, third;
  Put(*queue, {1, 2, 3}, two);
  Put(*queue, {4}, second);
  Put(*queue, {5}, third);
  EXPECT_FALSE(two.is_there() || second.is_there() || third.is_there());
  EXPECT_EQ(Taken(*queue, 1), (Ints{1}));
  EXPECT_TRUE(two.ok());
  EXPECT_FALSE(second.is_there());
  EXPECT_EQ(Taken(*queue, 1), (Ints{2}));
  EXPECT_TRUE(second.ok());
  EXPECT_FALSE(third.is_there());
  EXPECT_EQ(Taken(*queue, 3), (Ints{3, 4, 5}));
  EXPECT_TRUE(third.ok());
  EXPECT_EQ(queue->size(), 0);
}

TEST_F(QueueTest, DequeuesWaitInLineForElements) {
  const auto queue = Make();
  Answer first, second;
  Take(*queue, 2, first);
  Take(*queue, 1, second);
  Put(*queue, {1});
  // The first call has taken the one element and waits for another one. The
  // second call must not overtake the first call.
  EXPECT_FALSE(first.is_there() || second.is_there());
  EXPECT_EQ(queue->size(), 0);
  Put(*queue, {2, 3, 4});
  EXPECT_EQ(first.values, (Ints{1, 2}));
  EXPECT_EQ(second.values, (Ints{3}));
  EXPECT_EQ(queue->size(), 1);
}

TEST_F(QueueTest, MoreThanTheCapacityPassesThrough) {
  const auto queue = Make(2);
  Answer taken, put;
  Take(*queue, 5, taken);
  Put(*queue, {1, 2, 3, 4, 5, 6}, put);
  EXPECT_TRUE(put.ok());
  EXPECT_EQ(taken.values, (Ints{1, 2, 3, 4, 5}));
  EXPECT_EQ(queue->size(), 1);
}

TEST_F(QueueTest, ACancelledDequeueGivesBackWhatItHadTaken) {
  const auto queue = Make();
  Cancellation other;
  Answer cancelled, next;
  queue->Dequeue(3, false, other, To(cancelled));
  Take(*queue, 1, next);
  Put(*queue, {1, 2});
  EXPECT_FALSE(cancelled.is_there() || next.is_there());
  other.Cancel(absl::AbortedError("the step has failed"));
  EXPECT_EQ(cancelled.status, absl::AbortedError("the step has failed"));
  EXPECT_EQ(next.values, (Ints{1}));
  EXPECT_EQ(Taken(*queue, 1), (Ints{2}));
}

TEST_F(QueueTest, ACancelledEnqueueIsNotPutInLater) {
  const auto queue = Make(1);
  Put(*queue, {1});
  Cancellation other;
  Answer cancelled, next;
  queue->Enqueue(Elements({2}), other, To(cancelled));
  Put(*queue, {3}, next);
  other.Cancel(absl::CancelledError("no more"));
  EXPECT_EQ(cancelled.status, absl::CancelledError("no more"));
  EXPECT_EQ(Taken(*queue, 1), (Ints{1}));
  EXPECT_TRUE(next.ok());
  EXPECT_EQ(Taken(*queue, 1), (Ints{3}));
}

TEST_F(QueueTest, ACancelledStepDoesNothing) {
  const auto queue = Make();
  Put(*queue, {1});
  Cancellation over;
  over.Cancel(absl::CancelledError("over"));
  Answer put, taken, closed;
  queue->Enqueue(Elements({2}), over, To(put));
  queue->Dequeue(1, false, over, To(taken));
  queue->Close(false, over, To(closed));
  for (const Answer& answer : {put, taken, closed}) {
    EXPECT_EQ(answer.status, absl::CancelledError("over"));
  }
  EXPECT_EQ(queue->size(), 1);
  EXPECT_FALSE(queue->is_closed());
}

// Cancelling the step has no effect on a call that was served, because the
// queue has deregistered the call from the step's cancellation.
TEST_F(QueueTest, ServedCallsForgetTheirStep) {
  const auto queue = Make();
  Answer taken;
  Take(*queue, 1, taken);
  Put(*queue, {1});
  ASSERT_TRUE(taken.ok());
  step_.Cancel(absl::CancelledError("later"));
  EXPECT_TRUE(taken.ok());
  EXPECT_EQ(queue->size(), 0);
}

TEST_F(QueueTest, ClosingWaitsForEnqueuesInLine) {
  const auto queue = Make(1);
  Answer put, closed, late;
  Put(*queue, {1, 2}, put);
  Close(*queue, false, closed);
  Put(*queue, {3}, late);
  EXPECT_FALSE(closed.is_there() || queue->is_closed());
  EXPECT_EQ(Taken(*queue, 1), (Ints{1}));
  EXPECT_TRUE(put.ok());
  EXPECT_TRUE(closed.ok());
  EXPECT_TRUE(queue->is_closed());
  EXPECT_EQ(late.status, absl::CancelledError("FIFOQueue 'q' is closed."));
  EXPECT_EQ(Taken(*queue, 1), (Ints{2}));
}

TEST_F(QueueTest, ClosingCancelsEnqueuesInLine) {
  const auto queue = Make(1);
  Answer put, waiting_close, closed;
  Put(*queue, {1, 2}, put);
  Close(*queue, false, waiting_close);
  Close(*queue, true, closed);
  EXPECT_TRUE(closed.ok());
  for (const Answer& answer : {put, waiting_close}) {
    EXPECT_EQ(answer.status,
              absl::CancelledError("Enqueue operation was cancelled"));
  }
  EXPECT_EQ(Taken(*queue, 1), (Ints{1}));
  EXPECT_EQ(queue->size(), 0);
}

TEST_F(QueueTest, AWaitingCloseIsCancelledWithItsStep) {
  const auto queue = Make(1);
  Answer put, closed;
  Put(*queue, {1, 2}, put);
  Cancellation other;
  queue->Close(false, other, To(closed));
  other.Cancel(absl::CancelledError("no"));
  EXPECT_EQ(closed.status, absl::CancelledError("no"));
  EXPECT_EQ(Taken(*queue, 2), (Ints{1, 2}));
  EXPECT_FALSE(queue->is_closed());
}

TEST_F(QueueTest, ClosingEndsDequeuesInLine) {
  const auto queue = Make();
  Answer three, up_to, last, closed;
  Take(*queue, 3, three);
  Take(*queue, 4, up_to, /*up_to=*/true);
  Take(*queue, 1, last);
  Put(*queue, {1, 2});
  Close(*queue, false, closed);
  EXPECT_EQ(three.status,
            absl::OutOfRangeError(
                "FIFOQueue 'q' is closed and has insufficient elements "
                "(requested 1, current size 0)"));
  EXPECT_EQ(up_to.values, (Ints{1, 2}));
  EXPECT_EQ(last.status,
            absl::OutOfRangeError(
                "FIFOQueue 'q' is closed and has insufficient elements "
                "(requested 1, current size 0)"));
}

TEST_F(QueueTest, ReturnedElementsComeFirstAgain) {
  const auto queue = Make();
  Put(*queue, {1, 2, 3, 4});
  Answer taken, all;
  Take(*queue, 2, taken);
  Take(*queue, 4, all);
  EXPECT_FALSE(all.is_there());
  queue->Return(Elements(taken.values));
  EXPECT_EQ(all.values.size(), 4u);
  Put(*queue, {5, 6});
  Answer first;
  Take(*queue, 1, first);
  queue->Return(Elements(first.values));
  EXPECT_EQ(Taken(*queue, 2), (Ints{5, 6}));
}

TEST_F(QueueTest, RefusesMoreElementsThanTheLimit) {
  const auto queue = Make(-1, {.max_tensors = 3});
  Put(*queue, {1, 2});
  Answer put, taken;
  Put(*queue, {3, 4}, put);
  EXPECT_EQ(put.status->code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(queue->size(), 2);
  Take(*queue, 4, taken);
  EXPECT_EQ(taken.status->code(), absl::StatusCode::kResourceExhausted);
  Put(*queue, {3});
  EXPECT_EQ(Taken(*queue, 3), (Ints{1, 2, 3}));
}

TEST_F(QueueTest, CallbacksMayUseTheQueue) {
  const auto queue = Make(1);
  int64_t size_then = -1;
  Answer again;
  queue->Dequeue(1, false, step_,
                 [&](const absl::StatusOr<Queue::Elements>& result) {
                   ASSERT_TRUE(result.ok());
                   size_then = queue->size();
                   queue->Enqueue(*result, step_, To(again));
                 });
  Put(*queue, {7});
  EXPECT_EQ(size_then, 0);
  EXPECT_TRUE(again.ok());
  EXPECT_EQ(Taken(*queue, 1), (Ints{7}));
}

TEST_F(QueueTest, ShufflingKeepsElementsBackUntilClosed) {
  const auto queue = Make(
      10,
      {.kind = QueueKind::kRandomShuffle, .min_after_dequeue = 2, .seed = 3});
  Answer taken, rest, closed;
  Put(*queue, {1, 2, 3});
  Take(*queue, 2, taken);
  EXPECT_FALSE(taken.is_there());
  EXPECT_EQ(queue->size(), 2);
  Put(*queue, {4});
  EXPECT_TRUE(taken.ok());
  Take(*queue, 2, rest);
  EXPECT_FALSE(rest.is_there());
  Close(*queue, false, closed);
  EXPECT_TRUE(rest.ok());
  EXPECT_EQ(queue->size(), 0);
}

// ---- Kernels ----

// A SwitchedAllocator is an allocator that has no memory while `is_empty` is
// true.
class SwitchedAllocator final : public Allocator {
 public:
  BufferRef Allocate(size_t bytes) final {
    return is_empty ? BufferRef() : HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const final { return "switched"; }

  bool is_empty = false;
};

class SwitchedDevice final : public Device {
 public:
  SwitchedDevice(const Device& like, WorkQueue& queue)
      : Device(like.info()), queue_(queue) {}
  Allocator& allocator() final { return memory; }
  Allocator& host_allocator() final { return memory; }
  WorkQueue& compute_queue() final { return queue_; }

  SwitchedAllocator memory;

 private:
  WorkQueue& queue_;
};

class QueueKernelTest : public ::testing::Test {
 protected:
  QueueKernelTest()
      : device_(harness_.device(), harness_.device().compute_queue()),
        handle_(*harness_.RunOne(
            "FIFOQueueV2",
            {{"component_types", std::vector<DType>{DType::kFloat}},
             {"shapes", std::vector<PartialShape>{PartialShape{2}}},
             {"shared_name", std::string("test")}},
            {})) {
    harness_.services().device = &device_;
  }

  testing::TestKernel Kernel(absl::string_view op, AttrMap attrs,
                             std::vector<DType> types = {}) {
    types.insert(types.begin(), DType::kResource);
    auto kernel = harness_.Make(op, std::move(attrs), types);
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    return *std::move(kernel);
  }

  testing::KernelTestHarness harness_;
  SwitchedDevice device_;
  const Tensor handle_;
  const AttrMap components_ = {
      {"component_types", std::vector<DType>{DType::kFloat}}};
};

TEST_F(QueueKernelTest, WhatADequeueCannotStackGoesBack) {
  ASSERT_TRUE(harness_
                  .Run("QueueEnqueueManyV2", {},
                       {handle_, Tensor::Of<float>({2, 2}, {1, 2, 3, 4})})
                  .ok());
  const Tensor two = Tensor::Scalar<int32_t>(2);
  device_.memory.is_empty = true;
  const auto failed =
      harness_.Run("QueueDequeueManyV2", components_, {handle_, two});
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kResourceExhausted);
  device_.memory.is_empty = false;
  ASSERT_EQ(harness_.RunOne("QueueSizeV2", {}, {handle_})->scalar<int32_t>(),
            2);
  const auto taken =
      harness_.RunOne("QueueDequeueManyV2", components_, {handle_, two});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_TRUE(Identical(*taken, Tensor::Of<float>({2, 2}, {1, 2, 3, 4})));
}

TEST_F(QueueKernelTest, RowsOfABatchHaveBytesOfTheirOwn) {
  const Tensor batch = Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(harness_.Run("QueueEnqueueManyV2", {}, {handle_, batch}).ok());
  EXPECT_TRUE(batch.IsUnique());
  const auto row = harness_.RunOne("QueueDequeueV2", components_, {handle_});
  ASSERT_TRUE(row.ok());
  EXPECT_TRUE(Identical(*row, Tensor::Vector<float>({1, 2})));
}

// A dequeue that waits keeps its queue alive after the resources of the device
// are cleared. When the queue is closed, the dequeue still gets an answer.
TEST_F(QueueKernelTest, ARemovedQueueStillServesThoseThatWait) {
  const auto dequeue = Kernel("QueueDequeueV2", components_);
  const auto enqueue = Kernel("QueueEnqueueV2", {}, {DType::kFloat});
  testing::WaitingCall waiting(harness_.services(), dequeue,
                               {testing::TensorValue(handle_)});
  EXPECT_FALSE(waiting.is_done());
  const std::shared_ptr<Queue> queue =
      *harness_.resources().Find<Queue>(kDefaultContainer, "test");
  harness_.resources().Clear();
  testing::WaitingCall lost(
      harness_.services(), enqueue,
      {testing::TensorValue(handle_),
       testing::TensorValue(Tensor::Vector<float>({1, 2}))});
  EXPECT_EQ(lost.Result().status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(waiting.is_done());
  Cancellation step;
  queue->Close(true, step, [](const absl::StatusOr<Queue::Elements>&) {});
  EXPECT_EQ(waiting.Result().status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(QueueKernelTest, ABatchLargerThanTheLimitIsRefused) {
  const auto many =
      harness_.RunOne("FIFOQueueV2",
                      {{"component_types", std::vector<DType>{DType::kFloat}},
                       {"shapes", std::vector<PartialShape>{PartialShape{0}}},
                       {"shared_name", std::string("of nothing")}},
                      {});
  const auto put = harness_.Run(
      "QueueEnqueueManyV2", {},
      {*many,
       Tensor::Of<float>({ResourceLimits().max_queue_elements + 1, 0}, {})});
  EXPECT_EQ(put.status().code(), absl::StatusCode::kResourceExhausted);
  // The kernel returns the error before it cuts the batch into elements.
  EXPECT_NE(put.status().message().find("A batch of 4194305 elements"),
            std::string::npos)
      << put.status();
}

TEST_F(QueueKernelTest, RefusesASharedNameThatLooksPrivate) {
  EXPECT_EQ(
      harness_
          .RunOne("FIFOQueueV2",
                  {{"component_types", std::vector<DType>{DType::kFloat}},
                   {"shapes", std::vector<PartialShape>()},
                   {"shared_name", std::string("_0_q")}},
                  {})
          .status(),
      absl::InvalidArgumentError("shared_name cannot start with '_':_0_q"));
}

TEST_F(QueueKernelTest, RefusesWhatIsNotItsHandle) {
  for (const char* op : {"QueueSizeV2", "QueueIsClosedV2", "QueueCloseV2"}) {
    EXPECT_EQ(harness_.Run(op, {}, {Tensor::Scalar(ResourceHandle())})
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_FALSE(
        harness_.Run(op, {}, {Tensor::Filled(Shape{2}, ResourceHandle())})
            .ok());
  }
  EXPECT_FALSE(harness_
                   .Run("QueueDequeueManyV2", components_,
                        {handle_, Tensor::Vector<int32_t>({1, 2})})
                   .ok());
  EXPECT_FALSE(harness_
                   .Run("QueueDequeueV2",
                        {{"component_types", std::vector<DType>{DType::kFloat}},
                         {"timeout_ms", int64_t{5}}},
                        {handle_})
                   .ok());
}

}  // namespace
}  // namespace leat::queue_test
