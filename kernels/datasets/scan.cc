// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ScanDataset, which calls a function on a state and one
// element after the other. The function returns the next state and an element.
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/kernels/function_call.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_checks.h"
#include "leat/kernels/pipeline/parallel_calls.h"

namespace leat::kernels::datasets::scan {
namespace {

class ScanStage final : public Stage {
 public:
  ScanStage(std::unique_ptr<Stage> input, const MapFunction& function,
            Element state, DatasetPtr dataset, const StageContext& context)
      : input_(std::move(input)),
        function_(function),
        state_(std::move(state)),
        dataset_(std::move(dataset)),
        context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (has_ended_) return Progress::kEnd;
    if (!run_.IsActive()) {
      Element next;
      LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(next));
      if (progress != Progress::kElement) return progress;
      Element args = state_;
      args.insert(args.end(), std::make_move_iterator(next.begin()),
                  std::make_move_iterator(next.end()));
      run_.Start(function_.function, context_, std::move(args));
    }
    if (!run_.IsDone()) return Progress::kWaiting;
    Element results;
    LEAT_ASSIGN_OR_RETURN(const Progress progress,
                          function_.Finish(run_.Take(), results));
    has_ended_ = progress == Progress::kEnd;
    if (has_ended_) return progress;
    const auto outputs =
        results.begin() + static_cast<std::ptrdiff_t>(state_.size());
    state_.assign(std::make_move_iterator(results.begin()),
                  std::make_move_iterator(outputs));
    element.assign(std::make_move_iterator(outputs),
                   std::make_move_iterator(results.end()));
    LEAT_RETURN_IF_ERROR(CheckElement(dataset_->spec(), element));
    return Progress::kElement;
  }

 private:
  const std::unique_ptr<Stage> input_;
  const MapFunction function_;
  Element state_;
  const DatasetPtr dataset_;
  const StageContext context_;
  FunctionRun run_;
  bool has_ended_ = false;  // because the function has ended the sequence
};

class ScanDataset final : public Dataset,
                          public std::enable_shared_from_this<ScanDataset> {
 public:
  ScanDataset(ElementSpec spec, DatasetPtr input, MapFunction function,
              Element initial_state)
      : Dataset(std::move(spec)),
        input_(std::move(input)),
        function_(std::move(function)),
        initial_state_(std::move(initial_state)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<ScanStage>(std::move(input), function_,
                                       initial_state_, shared_from_this(),
                                       context);
  }
  int64_t ComputeCardinality() const override {
    return function_.preserves_cardinality ? input_->Cardinality() : kUnknown;
  }

 private:
  const DatasetPtr input_;
  const MapFunction function_;
  const Element initial_state_;
};

// Joins two lists of types.
std::vector<DType> Joined(std::vector<DType> a, const std::vector<DType>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The inputs are the dataset, the initial state and the captured inputs.
void StartScan(KernelContext& context, DatasetDone done) {
  const AttrMap& attrs = context.node().attrs;
  absl::StatusOr<ElementSpec> spec = OutputSpec(context.node());
  if (!spec.ok()) return std::move(done)(spec.status());
  const auto state_types = attrs.Get<std::vector<DType>>("Tstate");
  if (!state_types.ok()) return std::move(done)(state_types.status());
  const auto preserves = attrs.GetOr<bool>("preserve_cardinality", false);
  if (!preserves.ok()) return std::move(done)(preserves.status());
  const absl::StatusOr<DatasetPtr> input = InputDataset(context);
  if (!input.ok()) return std::move(done)(input.status());
  Element state = InputsOf(context, 1, static_cast<int>(state_types->size()));
  DatasetFunction::Find(
      context,
      {.attr = "f",
       .arg_types = Joined(*state_types, (*input)->spec().dtypes),
       .return_types = Joined(*state_types, spec->dtypes),
       .first_captured = 1 + static_cast<int>(state.size()),
       .captured_types = "Targuments"},
      [spec = *spec, input = *input, preserves = *preserves,
       state = std::move(state),
       done = std::move(done)](DatasetFunction::Found function) mutable {
        if (!function.ok()) return std::move(done)(function.status());
        std::move(done)(std::make_shared<const ScanDataset>(
            std::move(spec), std::move(input),
            MapFunction{*std::move(function), preserves}, std::move(state)));
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ScanDataset", kCpu, &StartDatasetKernel<&StartScan>);
}

}  // namespace leat::kernels::datasets::scan
