// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests streams of elements, and stages that work ahead: who gets which
// element, what a cancelled wait leaves behind, and when work ends.
// tests/interop/datasets.py compares the elements with TensorFlow's.
#include "leat/kernels/pipeline/element_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "leat/core/threads/thread.h"
#include "leat/kernels/pipeline/background_stage.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::element_stream_test {
namespace {

using kernels::Dataset;
using kernels::DatasetPtr;
using kernels::Element;
using kernels::ElementStream;
using kernels::Progress;
using kernels::Stage;
using kernels::StageContext;
using kernels::Task;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Is a sequence of numbers that a test produces while stages wait for them.
// Is thread-safe.
class Source {
 public:
  // Adds a number, an error or the end.
  void Put(absl::StatusOr<std::optional<int32_t>> next) {
    std::shared_ptr<Task> waiting;
    {
      MutexLock lock(mutex_);
      numbers_.push_back(std::move(next));
      waiting = task_.lock();
      task_.reset();
    }
    if (waiting != nullptr) waiting->Wake();
  }
  // Does what Stage::Next does.
  absl::StatusOr<Progress> Take(const StageContext& context, Element& element) {
    MutexLock lock(mutex_);
    ++num_calls_;
    if (numbers_.empty()) {
      task_ = context.task;
      return Progress::kWaiting;
    }
    const absl::StatusOr<std::optional<int32_t>> next = numbers_.front();
    if (!next.ok() || next->has_value()) numbers_.pop_front();
    if (!next.ok()) return next.status();
    if (!next->has_value()) return Progress::kEnd;
    element = {Tensor::Scalar(**next)};
    return Progress::kElement;
  }
  int num_left() const {
    MutexLock lock(mutex_);
    return static_cast<int>(numbers_.size());
  }
  int num_calls() const {
    MutexLock lock(mutex_);
    return num_calls_;
  }

 private:
  mutable Mutex mutex_;
  std::deque<absl::StatusOr<std::optional<int32_t>>> numbers_
      ABSL_GUARDED_BY(mutex_);
  std::weak_ptr<Task> task_ ABSL_GUARDED_BY(mutex_);
  int num_calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

class SourceStage final : public Stage {
 public:
  SourceStage(std::shared_ptr<Source> source, const StageContext& context)
      : source_(std::move(source)), context_(context) {}
  absl::StatusOr<Progress> Next(Element& element) override {
    return source_->Take(context_, element);
  }

 private:
  const std::shared_ptr<Source> source_;
  const StageContext context_;
};

class SourceDataset final : public Dataset {
 public:
  // If `ahead` is not 0, the stage works ahead and holds so many elements.
  explicit SourceDataset(std::shared_ptr<Source> source, int64_t ahead = 0)
      : Dataset({.dtypes = {DType::kInt32}, .shapes = {Shape{}}}),
        source_(std::move(source)),
        ahead_(ahead) {}
  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    if (ahead_ == 0) return std::make_unique<SourceStage>(source_, context);
    return kernels::NewBackgroundStage(
        context, ahead_, kernels::Begins::kAtFirstCall,
        [this](
            const StageContext& own) -> absl::StatusOr<std::unique_ptr<Stage>> {
          return std::make_unique<SourceStage>(source_, own);
        });
  }

 private:
  const std::shared_ptr<Source> source_;
  const int64_t ahead_;
};

// Drops everything that its input produces.
class EndlessStage final : public Stage {
 public:
  explicit EndlessStage(const StageContext& context) : context_(context) {}
  absl::StatusOr<Progress> Next(Element&) override {
    for (kernels::Rounds rounds(context_);;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
    }
  }

 private:
  const StageContext context_;
};

class EndlessDataset final : public Dataset {
 public:
  EndlessDataset() : Dataset({}) {}
  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return std::make_unique<EndlessStage>(context);
  }
};

// Is a call of GetNext with a step of its own.
class Call {
 public:
  explicit Call(ElementStream& stream) {
    stream.GetNext(cancellation_, [this](ElementStream::Result result) {
      MutexLock lock(mutex_);
      EXPECT_FALSE(result_.has_value()) << "called twice";
      result_ = std::move(result);
      changed_.NotifyAll();
    });
  }
  ~Call() { Wait(); }

  void Cancel() { cancellation_.Cancel(absl::CancelledError("enough")); }
  bool is_done() const {
    MutexLock lock(mutex_);
    return result_.has_value();
  }
  // Waits for the result. Returns the number, -1 at the end or -2 for an error.
  int32_t Number() {
    Wait();
    MutexLock lock(mutex_);
    if (!result_->ok()) return -2;
    return (*result_)->has_value() ? (**result_)->front().scalar<int32_t>()
                                   : -1;
  }
  absl::Status status() {
    Wait();
    MutexLock lock(mutex_);
    return result_->status();
  }

 private:
  void Wait() {
    MutexLock lock(mutex_);
    while (!result_.has_value()) changed_.Wait(mutex_);
  }

  Cancellation cancellation_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<ElementStream::Result> result_ ABSL_GUARDED_BY(mutex_);
};

class ElementStreamTest : public ::testing::Test {
 protected:
  ~ElementStreamTest() override { background_.Wait(); }

  SessionServices Services() {
    return {.device = &harness_.device(),
            .resources = &harness_.resources(),
            .background = &background_};
  }
  std::shared_ptr<ElementStream> Open(DatasetPtr dataset) {
    auto stream = ElementStream::Create(std::move(dataset), Services(), 0);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return *std::move(stream);
  }
  std::shared_ptr<ElementStream> OpenSource(int64_t ahead = 0) {
    return Open(std::make_shared<const SourceDataset>(source_, ahead));
  }
  void PutAll(const std::vector<int32_t>& numbers) {
    for (const int32_t number : numbers) source_->Put(number);
  }

  testing::KernelTestHarness harness_;
  BackgroundWork background_;
  const std::shared_ptr<Source> source_ = std::make_shared<Source>();
};

TEST_F(ElementStreamTest, GivesElementsInOrderAndThenTheEnd) {
  PutAll({1, 2});
  source_->Put(std::nullopt);
  const auto stream = OpenSource();
  EXPECT_EQ(Call(*stream).Number(), 1);
  EXPECT_EQ(Call(*stream).Number(), 2);
  EXPECT_EQ(Call(*stream).Number(), -1);
  EXPECT_EQ(Call(*stream).Number(), -1);
}

TEST_F(ElementStreamTest, ServesCallersInTheOrderInWhichTheyCome) {
  const auto stream = OpenSource();
  Call first(*stream);
  Call second(*stream);
  EXPECT_FALSE(first.is_done());
  PutAll({1, 2});
  EXPECT_EQ(first.Number(), 1);
  EXPECT_EQ(second.Number(), 2);
}

TEST_F(ElementStreamTest, ACancelledWaitLosesNoElement) {
  const auto stream = OpenSource();
  Call cancelled(*stream);
  cancelled.Cancel();
  EXPECT_THAT(cancelled.status().message(), HasSubstr("enough"));
  Call next(*stream);
  PutAll({1, 2});
  EXPECT_EQ(next.Number(), 1);
  EXPECT_EQ(Call(*stream).Number(), 2);
}

TEST_F(ElementStreamTest, ACallOfACancelledStepTakesNothing) {
  PutAll({1});
  const auto stream = OpenSource();
  Cancellation cancellation;
  cancellation.Cancel(absl::CancelledError("before"));
  absl::Status status;
  stream->GetNext(cancellation, [&](ElementStream::Result result) {
    status = result.status();
  });
  EXPECT_THAT(status.message(), HasSubstr("before"));
  EXPECT_EQ(Call(*stream).Number(), 1);
}

TEST_F(ElementStreamTest, GoesOnAfterAnError) {
  source_->Put(1);
  source_->Put(absl::DataLossError("broken"));
  source_->Put(2);
  for (const int64_t ahead : {0, 2}) {
    SCOPED_TRACE(ahead);
    if (ahead > 0) {
      source_->Put(1);
      source_->Put(absl::DataLossError("broken"));
      source_->Put(2);
    }
    const auto stream = OpenSource(ahead);
    EXPECT_EQ(Call(*stream).Number(), 1);
    EXPECT_EQ(Call(*stream).status(), absl::DataLossError("broken"));
    EXPECT_EQ(Call(*stream).Number(), 2);
  }
}

// Cancels waits while elements come, from several threads. Each element is
// given out once, or is still there.
TEST_F(ElementStreamTest, CancelledWaitsAndElementsMeet) {
  constexpr int kNumElements = 500;
  for (const int64_t ahead : {0, 3}) {
    SCOPED_TRACE(ahead);
    const auto stream = OpenSource(ahead);
    Thread producer("producer", [&] {
      for (int32_t i = 0; i < kNumElements; ++i) source_->Put(i);
    });
    int32_t expected = 0;
    while (expected < kNumElements) {
      Call call(*stream);
      Thread canceller("canceller", [&call] { call.Cancel(); });
      canceller.Join();
      const int32_t number = call.Number();
      if (number == -2) continue;
      ASSERT_EQ(number, expected);
      ++expected;
    }
    producer.Join();
  }
}

TEST_F(ElementStreamTest, AnEndlessSearchGivesWay) {
  const auto stream = Open(std::make_shared<const EndlessDataset>());
  Call call(*stream);
  call.Cancel();
  EXPECT_TRUE(absl::IsCancelled(call.status()));
  // The test ends only if nobody searches any more (background_).
}

// Gives the test the pipeline of its stage.
class ObservedDataset final : public Dataset {
 public:
  explicit ObservedDataset(std::shared_ptr<Source> source)
      : Dataset({.dtypes = {DType::kInt32}, .shapes = {Shape{}}}),
        source_(std::move(source)) {}
  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    pipeline = context.pipeline;
    return std::make_unique<SourceStage>(source_, context);
  }
  mutable std::shared_ptr<const kernels::Pipeline> pipeline;

 private:
  const std::shared_ptr<Source> source_;
};

TEST_F(ElementStreamTest, AStreamThatIsGoneCancelsItsCalls) {
  auto dataset = std::make_shared<const ObservedDataset>(source_);
  auto stream = Open(dataset);
  EXPECT_FALSE(dataset->pipeline->step().cancellation->IsCancelled());
  stream.reset();
  EXPECT_TRUE(dataset->pipeline->step().cancellation->IsCancelled());
  dataset->pipeline.reset();
}

TEST_F(ElementStreamTest, AStreamThatIsClosedServesNobody) {
  const auto stream = OpenSource();
  Call waiting(*stream);
  stream->Close();
  EXPECT_TRUE(absl::IsCancelled(waiting.status()));
  EXPECT_TRUE(absl::IsCancelled(Call(*stream).status()));
}

TEST_F(ElementStreamTest, NothingIsReadBehindAnErrorThatNobodyHasTaken) {
  source_->Put(1);
  source_->Put(absl::DataLossError("broken"));
  PutAll({2, 3});
  const auto stream = OpenSource(/*ahead=*/10);
  EXPECT_EQ(Call(*stream).Number(), 1);
  while (source_->num_left() > 2) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  EXPECT_EQ(source_->num_left(), 2);
  EXPECT_EQ(Call(*stream).status(), absl::DataLossError("broken"));
  EXPECT_EQ(Call(*stream).Number(), 2);
}

TEST_F(ElementStreamTest, AStageThatWorksAheadHoldsABoundedNumber) {
  PutAll({1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto stream = OpenSource(/*ahead=*/3);
  EXPECT_EQ(Call(*stream).Number(), 1);
  // Ends the work that goes on in the pool.
  while (source_->num_left() > 5) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  EXPECT_EQ(source_->num_left(), 5);
  EXPECT_EQ(Call(*stream).Number(), 2);
}

TEST_F(ElementStreamTest, StagesMayBeDestroyedWhileTheyWorkAhead) {
  for (int i = 0; i < 50; ++i) {
    const auto stream = OpenSource(/*ahead=*/4);
    Call call(*stream);
    PutAll({1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_GT(call.Number(), 0);
  }
}

// Is a dataset over another one, as deep as a test wants.
class NestedDataset final : public Dataset {
 public:
  explicit NestedDataset(DatasetPtr input)
      : Dataset(input->spec()), input_(std::move(input)) {}
  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return MakeStage(*input_, context);
  }

 private:
  const DatasetPtr input_;
};

TEST_F(ElementStreamTest, StagesStandUponOneAnotherUpToALimit) {
  DatasetPtr dataset = std::make_shared<const SourceDataset>(source_);
  for (int i = 0; i < kernels::kMaxStageDepth; ++i) {
    dataset = std::make_shared<const NestedDataset>(std::move(dataset));
  }
  const auto stream = ElementStream::Create(dataset, Services(), 0);
  EXPECT_TRUE(absl::IsResourceExhausted(stream.status()));
  EXPECT_THAT(stream.status().message(), HasSubstr("1000 datasets"));
}

// Adds to a number whenever it runs.
class CountingTask final : public Task {
 public:
  explicit CountingTask(WorkQueue& queue) : Task(queue) {}
  // What is wanted, and what the task has seen of it.
  std::atomic<int64_t> wanted{0};
  std::atomic<int64_t> seen{0};

 private:
  void Advance(Callbacks&) override {
    EXPECT_FALSE(is_running_.exchange(true)) << "two threads run the task";
    seen = wanted.load();
    is_running_ = false;
  }
  std::atomic<bool> is_running_{false};
};

TEST_F(ElementStreamTest, ATaskSeesWhatWasThereWhenItWasWoken) {
  const auto task =
      std::make_shared<CountingTask>(harness_.device().compute_queue());
  constexpr int64_t kNumWakes = 20'000;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 3; ++i) {
    threads.push_back(std::make_unique<Thread>("waker", [&task] {
      for (int64_t n = 0; n < kNumWakes; ++n) {
        ++task->wanted;
        task->Wake();
      }
    }));
  }
  for (const auto& thread : threads) thread->Join();
  while (task->seen < 3 * kNumWakes) std::this_thread::yield();
}

}  // namespace
}  // namespace leat::element_stream_test
