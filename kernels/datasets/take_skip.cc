// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of TakeDataset, which has the first elements of another
// dataset, and of SkipDataset, which has all the others.
#include <algorithm>
#include <memory>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::take_skip {
namespace {

class TakeStage final : public Stage {
 public:
  TakeStage(std::unique_ptr<Stage> input, int64_t count)
      : input_(std::move(input)), left_(count) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (left_ == 0) {
      input_.reset();  // ends work that the input does ahead
      return Progress::kEnd;
    }
    LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(element));
    if (progress == Progress::kElement) --left_;
    return progress;
  }

 private:
  std::unique_ptr<Stage> input_;
  int64_t left_;
};

class TakeDataset final : public Dataset {
 public:
  // A negative count stands for all elements.
  TakeDataset(DatasetPtr input, int64_t count)
      : Dataset(input->spec()), input_(std::move(input)), count_(count) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    if (count_ < 0) return input;
    return std::make_unique<TakeStage>(std::move(input), count_);
  }
  int64_t ComputeCardinality() const override {
    const int64_t all = input_->Cardinality();
    if (all == kUnknown || count_ < 0) return all;
    return all == kInfinite ? count_ : std::min(all, count_);
  }

 private:
  const DatasetPtr input_;
  const int64_t count_;
};

class SkipStage final : public Stage {
 public:
  SkipStage(std::unique_ptr<Stage> input, int64_t count,
            const StageContext& context)
      : input_(std::move(input)), left_(count), context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_); left_ > 0; --left_) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(element));
      if (progress != Progress::kElement) return progress;
    }
    return input_->Next(element);
  }

 private:
  const std::unique_ptr<Stage> input_;
  int64_t left_;
  const StageContext context_;
};

// Is the stage of a dataset that skips everything.
class EmptyStage final : public Stage {
 public:
  absl::StatusOr<Progress> Next(Element&) override { return Progress::kEnd; }
};

class SkipDataset final : public Dataset {
 public:
  // A negative count skips everything.
  SkipDataset(DatasetPtr input, int64_t count)
      : Dataset(input->spec()), input_(std::move(input)), count_(count) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    if (count_ < 0) return std::make_unique<EmptyStage>();
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<SkipStage>(std::move(input), count_, context);
  }
  int64_t ComputeCardinality() const override {
    const int64_t all = input_->Cardinality();
    if (count_ < 0) return 0;
    if (all == kInfinite || all == kUnknown) return all;
    return std::max<int64_t>(0, all - count_);
  }

 private:
  const DatasetPtr input_;
  const int64_t count_;
};

template <class D>
absl::StatusOr<DatasetPtr> MakePart(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  LEAT_ASSIGN_OR_RETURN(const int64_t count,
                        ScalarArgument<int64_t>(context, 1, "count"));
  return std::make_shared<const D>(std::move(input), count);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("TakeDataset", kCpu, &MakeDatasetKernel<&MakePart<TakeDataset>>);
  registry.Add("SkipDataset", kCpu, &MakeDatasetKernel<&MakePart<SkipDataset>>);
}

}  // namespace leat::kernels::datasets::take_skip
