// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of RepeatDataset.
#include <memory>
#include <utility>

#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::repeat {
namespace {

class RepeatStage final : public Stage {
 public:
  RepeatStage(DatasetPtr input, int64_t count, const StageContext& context)
      : input_(std::move(input)), left_(count), context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_);;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      if (left_ == 0) return Progress::kEnd;
      if (stage_ == nullptr) {
        LEAT_ASSIGN_OR_RETURN(stage_, MakeStage(*input_, context_));
        is_empty_ = true;
      }
      LEAT_ASSIGN_OR_RETURN(const Progress progress, stage_->Next(element));
      if (progress == Progress::kElement) is_empty_ = false;
      if (progress != Progress::kEnd) return progress;
      stage_.reset();
      if (left_ > 0) --left_;
      // A dataset without elements has none if it is repeated forever, either.
      if (is_empty_ && left_ < 0) left_ = 0;
    }
  }

 private:
  const DatasetPtr input_;
  int64_t left_;  // negative: forever
  const StageContext context_;
  std::unique_ptr<Stage> stage_;
  bool is_empty_ = true;
};

class RepeatDataset final : public Dataset {
 public:
  RepeatDataset(DatasetPtr input, int64_t count)
      : Dataset(input->spec()), input_(std::move(input)), count_(count) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return std::make_unique<RepeatStage>(input_, count_, context);
  }
  int64_t ComputeCardinality() const override {
    const int64_t once = input_->Cardinality();
    if (count_ < 0) return once == 0 ? 0 : kInfinite;
    if (count_ == 0) return 0;
    if (once < 0) return once;
    return SaturatingMultiply(once, count_);
  }

 private:
  const DatasetPtr input_;
  const int64_t count_;
};

absl::StatusOr<DatasetPtr> MakeRepeat(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  LEAT_ASSIGN_OR_RETURN(const int64_t count,
                        ScalarArgument<int64_t>(context, 1, "count"));
  return std::make_shared<const RepeatDataset>(std::move(input), count);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("RepeatDataset", kCpu, &MakeDatasetKernel<&MakeRepeat>);
}

}  // namespace leat::kernels::datasets::repeat
