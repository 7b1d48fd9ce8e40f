// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of FilterDataset and of TakeWhileDataset. They have the
// elements of another dataset for which a function, the predicate, returns
// true. TakeWhileDataset ends at the first other element.
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::filter {
namespace {

// Says what an element does for which the predicate returns false.
enum class IfFalse { kIsDropped, kEndsTheSequence };

// Returns what the predicate has returned. Returns INVALID_ARGUMENT, with
// TensorFlow's text, if it is not one bool.
absl::StatusOr<bool> PredicateOf(const Element& results, IfFalse if_false) {
  if (results.size() == 1 && results[0].dtype() == DType::kBool &&
      results[0].num_elements() == 1) {
    return results[0].scalar<bool>();
  }
  return absl::InvalidArgumentError(
      if_false == IfFalse::kIsDropped
          ? "Filter predicate `f` must return a scalar bool."
          : "`predicate` must returns a scalar bool tensor.");
}

class FilterStage final : public Stage {
 public:
  FilterStage(std::unique_ptr<Stage> input, const DatasetFunction& predicate,
              IfFalse if_false, const StageContext& context)
      : input_(std::move(input)),
        predicate_(predicate),
        if_false_(if_false),
        context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_); input_ != nullptr;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      if (!run_.IsActive()) {
        LEAT_ASSIGN_OR_RETURN(const Progress progress,
                              input_->Next(candidate_));
        if (progress != Progress::kElement) return progress;
        run_.Start(predicate_, context_, candidate_);
      }
      if (!run_.IsDone()) return Progress::kWaiting;
      LEAT_ASSIGN_OR_RETURN(const Element results, run_.Take());
      LEAT_ASSIGN_OR_RETURN(const bool is_wanted,
                            PredicateOf(results, if_false_));
      if (is_wanted) {
        element = std::move(candidate_);
        return Progress::kElement;
      }
      if (if_false_ == IfFalse::kEndsTheSequence) input_.reset();
    }
    return Progress::kEnd;
  }

 private:
  std::unique_ptr<Stage> input_;  // null if an element has ended the sequence
  const DatasetFunction predicate_;
  const IfFalse if_false_;
  const StageContext context_;
  Element candidate_;  // the argument of the call
  FunctionRun run_;
};

class FilterDataset final : public Dataset {
 public:
  FilterDataset(DatasetPtr input, DatasetFunction predicate, IfFalse if_false)
      : Dataset(input->spec()),
        input_(std::move(input)),
        predicate_(std::move(predicate)),
        if_false_(if_false) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<FilterStage>(std::move(input), predicate_,
                                         if_false_, context);
  }

 private:
  const DatasetPtr input_;
  const DatasetFunction predicate_;
  const IfFalse if_false_;
};

template <IfFalse if_false>
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
        return std::make_shared<const FilterDataset>(
            std::move(input), std::move(predicate), if_false);
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("FilterDataset", kCpu,
               &StartDatasetKernel<&StartFilter<IfFalse::kIsDropped>>);
  registry.Add("TakeWhileDataset", kCpu,
               &StartDatasetKernel<&StartFilter<IfFalse::kEndsTheSequence>>);
}

}  // namespace leat::kernels::datasets::filter
