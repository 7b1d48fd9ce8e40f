// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Many threads enqueue and dequeue while steps are cancelled. Tests that every
// element is dequeued once, and that the elements of one producer are dequeued
// in their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "leat/core/threads/mutex.h"
#include "leat/kernels/resources/queue.h"

namespace leat::queue_concurrency_test {
namespace {

using kernels::Queue;
using kernels::QueueElement;
using kernels::QueueKind;
using kernels::QueueOptions;

constexpr int kProducers = 3;
constexpr int kConsumers = 3;
constexpr int kElements = 400;  // per producer

std::shared_ptr<Queue> Make(QueueKind kind) {
  return std::make_shared<Queue>(QueueOptions{.kind = kind,
                                              .name = "q",
                                              .capacity = 5,
                                              .dtypes = {DType::kInt32},
                                              .shapes = {Shape{}},
                                              .seed = 1});
}

// A Step stands for a step of a session that makes one call to a queue. If the
// step is cancelled, the call is cancelled.
class Step {
 public:
  Queue::Done Done() {
    return [this](absl::StatusOr<Queue::Elements> result) {
      MutexLock lock(mutex_);
      EXPECT_FALSE(is_done_) << "called twice";
      result_ = std::move(result);
      is_done_ = true;
      changed_.NotifyAll();
    };
  }
  absl::StatusOr<Queue::Elements> Wait() {
    MutexLock lock(mutex_);
    while (!is_done_) changed_.Wait(mutex_);
    return std::move(result_);
  }
  Cancellation& cancellation() { return cancellation_; }

 private:
  Cancellation cancellation_;
  Mutex mutex_;
  CondVar changed_;
  bool is_done_ ABSL_GUARDED_BY(mutex_) = false;
  absl::StatusOr<Queue::Elements> result_ ABSL_GUARDED_BY(mutex_);
};

// Makes a Step and runs `call(step)`. In one of three cases, cancels the step
// while other threads may be serving the call. Returns the result of the call.
template <class Call>
absl::StatusOr<Queue::Elements> RunStep(std::mt19937& random, Call call) {
  Step step;
  call(step);
  if (random() % 3 == 0) {
    for (uint32_t i = random() % 4; i > 0; --i) std::this_thread::yield();
    step.cancellation().Cancel(absl::CancelledError("at random"));
  }
  return step.Wait();
}

struct Outcome {
  std::vector<int32_t> put;
  std::vector<std::vector<int32_t>> taken;  // by each consumer, in order
};

void Produce(Queue& queue, int32_t producer, std::vector<int32_t>& put) {
  std::mt19937 random(static_cast<uint32_t>(producer) + 100);
  for (int32_t i = 0; i < kElements; ++i) {
    const int32_t value = producer * kElements + i;
    const auto result = RunStep(random, [&](Step& step) {
      queue.Enqueue({QueueElement{Tensor::Scalar(value)}}, step.cancellation(),
                    step.Done());
    });
    if (result.ok()) put.push_back(value);
  }
}

void Consume(Queue& queue, uint32_t seed, std::vector<int32_t>& taken) {
  std::mt19937 random(seed);
  bool is_over = false;
  while (!is_over) {
    // If `count` exceeds the capacity of the queue, the call takes some
    // elements and waits for the rest.
    const int64_t count = 1 + random() % 8;
    const auto result = RunStep(random, [&](Step& step) {
      queue.Dequeue(count, /*up_to=*/true, step.cancellation(), step.Done());
    });
    is_over = result.status().code() == absl::StatusCode::kOutOfRange;
    if (!result.ok()) continue;
    for (const QueueElement& element : *result) {
      taken.push_back(element[0].scalar<int32_t>());
    }
  }
}

Outcome Race(QueueKind kind) {
  const std::shared_ptr<Queue> queue = Make(kind);
  std::vector<std::vector<int32_t>> put(kProducers);
  Outcome outcome{.put = {}, .taken = {}};
  outcome.taken.resize(kConsumers);
  {
    std::vector<std::thread> producers, consumers;
    for (int i = 0; i < kConsumers; ++i) {
      consumers.emplace_back([&, i] {
        Consume(*queue, static_cast<uint32_t>(i), outcome.taken[i]);
      });
    }
    for (int i = 0; i < kProducers; ++i) {
      producers.emplace_back([&, i] { Produce(*queue, i, put[i]); });
    }
    for (std::thread& producer : producers) producer.join();
    Step close;
    queue->Close(false, close.cancellation(), close.Done());
    EXPECT_TRUE(close.Wait().ok());
    for (std::thread& consumer : consumers) consumer.join();
  }
  for (const auto& values : put) {
    outcome.put.insert(outcome.put.end(), values.begin(), values.end());
  }
  EXPECT_EQ(queue->size(), 0);
  return outcome;
}

std::vector<int32_t> AllTaken(const Outcome& outcome) {
  std::vector<int32_t> all;
  for (const auto& values : outcome.taken) {
    all.insert(all.end(), values.begin(), values.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(QueueConcurrencyTest, EveryElementComesOutOnceInItsProducersOrder) {
  const Outcome outcome = Race(QueueKind::kFifo);
  EXPECT_FALSE(outcome.put.empty());
  EXPECT_EQ(AllTaken(outcome), outcome.put);
  for (const auto& values : outcome.taken) {
    std::vector<int32_t> last(kProducers, -1);
    for (const int32_t value : values) {
      int32_t& before = last[value / kElements];
      EXPECT_LT(before, value);
      before = value;
    }
  }
}

TEST(QueueConcurrencyTest, EveryShuffledElementComesOutOnce) {
  const Outcome outcome = Race(QueueKind::kRandomShuffle);
  EXPECT_FALSE(outcome.put.empty());
  EXPECT_EQ(AllTaken(outcome), outcome.put);
}

// One thread enqueues and another thread dequeues while a third thread closes
// the queue.
TEST(QueueConcurrencyTest, ClosingAnswersEveryWaitingCallOnce) {
  for (int round = 0; round < 50; ++round) {
    const std::shared_ptr<Queue> queue = Make(QueueKind::kFifo);
    std::vector<std::unique_ptr<Step>> steps;
    for (int i = 0; i < 40; ++i) steps.push_back(std::make_unique<Step>());
    std::thread enqueuer([&] {
      for (int i = 0; i < 20; ++i) {
        queue->Enqueue({QueueElement{Tensor::Scalar(i)}},
                       steps[i]->cancellation(), steps[i]->Done());
      }
    });
    std::thread closer([&] {
      Step close;
      queue->Close(true, close.cancellation(), close.Done());
      EXPECT_TRUE(close.Wait().ok());
    });
    for (int i = 20; i < 40; ++i) {
      queue->Dequeue(1, false, steps[i]->cancellation(), steps[i]->Done());
    }
    enqueuer.join();
    closer.join();
    int64_t put = 0, taken = 0;
    for (int i = 0; i < 20; ++i) put += steps[i]->Wait().ok();
    for (int i = 20; i < 40; ++i) taken += steps[i]->Wait().ok();
    EXPECT_EQ(put, taken + queue->size());
  }
}

}  // namespace
}  // namespace leat::queue_concurrency_test
