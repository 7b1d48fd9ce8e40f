// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of FilterDataset, which has the elements of another
// dataset for which a function returns true.
#include <memory>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::filter {
namespace {

class FilterStage final : public Stage {
 public:
  FilterStage(std::unique_ptr<Stage> input, const DatasetFunction& predicate,
              const StageContext& context)
      : input_(std::move(input)), predicate_(predicate), context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_);;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      if (!run_.IsActive()) {
        LEAT_ASSIGN_OR_RETURN(const Progress progress,
                              input_->Next(candidate_));
        if (progress != Progress::kElement) return progress;
        run_.Start(predicate_, context_, candidate_);
      }
      if (!run_.IsDone()) return Progress::kWaiting;
      LEAT_ASSIGN_OR_RETURN(const Element results, run_.Take());
      LEAT_ASSIGN_OR_RETURN(
          const bool is_wanted,
          PredicateOf(results,
                      "Filter predicate `f` must return a scalar bool."));
      if (!is_wanted) continue;
      element = std::move(candidate_);
      return Progress::kElement;
    }
  }

 private:
  const std::unique_ptr<Stage> input_;
  const DatasetFunction predicate_;
  const StageContext context_;
  Element candidate_;  // the argument of the call
  FunctionRun run_;
};

class FilterDataset final : public Dataset {
 public:
  FilterDataset(DatasetPtr input, DatasetFunction predicate)
      : Dataset(input->spec()),
        input_(std::move(input)),
        predicate_(std::move(predicate)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<FilterStage>(std::move(input), predicate_, context);
  }

 private:
  const DatasetPtr input_;
  const DatasetFunction predicate_;
};

void StartFilter(KernelContext& context, DatasetDone done) {
  StartWithFunction(
      context,
      {.attr = "predicate",
       .return_types = {DType::kBool},
       .first_captured = 1,
       .captured_types = "Targuments"},
      std::move(done),
      [](DatasetPtr input,
         DatasetFunction predicate) -> absl::StatusOr<DatasetPtr> {
        return std::make_shared<const FilterDataset>(std::move(input),
                                                     std::move(predicate));
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("FilterDataset", kCpu, &StartDatasetKernel<&StartFilter>);
}

}  // namespace leat::kernels::datasets::filter
