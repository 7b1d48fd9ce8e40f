// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/parallel_calls.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/graph.h"

namespace leat::kernels {
namespace {

// Keeps a window of calls. The calls begin in the order of the elements.
class ParallelMapStage final : public Stage {
 public:
  ParallelMapStage(std::unique_ptr<Stage> input, const MapFunction& function,
                   const ParallelCalls& parallel, const StageContext& context)
      : input_(std::move(input)),
        function_(function),
        parallel_(parallel),
        context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    FillWindow();
    if (window_.empty()) {
      return has_ended_ ? Progress::kEnd : Progress::kWaiting;
    }
    const auto done = FirstDone();
    if (done == window_.end()) return Progress::kWaiting;
    Call call = std::move(*done);
    window_.erase(done);
    if (!call.input_error.ok()) return call.input_error;
    // The next call begins before the caller works with this result.
    CallableFunction::Results results = call.run.Take();
    FillWindow();
    LEAT_ASSIGN_OR_RETURN(const Progress progress,
                          function_.Finish(std::move(results), element));
    if (progress == Progress::kEnd) {
      // The function has ended the sequence.
      has_ended_ = true;
      window_.clear();
    }
    return progress;
  }

 private:
  // Holds a call, or the error that took the place of an element.
  struct Call {
    FunctionRun run = {};
    absl::Status input_error = absl::OkStatus();
  };

  void FillWindow() {
    while (!has_ended_ &&
           static_cast<int64_t>(window_.size()) < parallel_.count) {
      Element element;
      const absl::StatusOr<Progress> progress = input_->Next(element);
      if (progress.ok() && *progress == Progress::kWaiting) return;
      if (progress.ok() && *progress == Progress::kEnd) {
        has_ended_ = true;
        return;
      }
      Call& call = window_.emplace_back();
      if (progress.ok()) {
        call.run.Start(function_.function, context_, std::move(element),
                       CallOn::kOtherThread);
      } else {
        call.input_error = progress.status();
      }
    }
  }

  // Returns the call whose result comes next, or the end of the window if that
  // call is under way.
  std::deque<Call>::iterator FirstDone() {
    const auto is_done = [](Call& call) {
      return !call.input_error.ok() || call.run.IsDone();
    };
    const auto end = parallel_.in_order ? window_.begin() + 1 : window_.end();
    const auto found = std::find_if(window_.begin(), end, is_done);
    return found == end ? window_.end() : found;
  }

  const std::unique_ptr<Stage> input_;
  const MapFunction function_;
  const ParallelCalls parallel_;
  const StageContext context_;
  std::deque<Call> window_;
  bool has_ended_ = false;
};

}  // namespace

absl::StatusOr<Progress> MapFunction::Finish(CallableFunction::Results results,
                                             Element& element) const {
  if (results.ok()) {
    element = *std::move(results);
    return Progress::kElement;
  }
  if (!absl::IsOutOfRange(results.status())) return results.status();
  if (!preserves_cardinality) return Progress::kEnd;
  // The caller would take OUT_OF_RANGE for the end of the sequence.
  return absl::InvalidArgumentError(
      absl::StrCat("Function invocation produced OutOfRangeError: ",
                   results.status().message()));
}

void StartWithMapFunction(
    KernelContext& context, DatasetDone done,
    absl::AnyInvocable<absl::StatusOr<DatasetPtr>(ElementSpec, DatasetPtr,
                                                  MapFunction) &&>
        make) {
  absl::StatusOr<ElementSpec> spec = OutputSpec(context.node());
  if (!spec.ok()) return std::move(done)(spec.status());
  const absl::StatusOr<bool> preserves =
      context.node().attrs.GetOr<bool>("preserve_cardinality", false);
  if (!preserves.ok()) return std::move(done)(preserves.status());
  std::vector<DType> return_types = spec->dtypes;
  StartWithFunction(
      context,
      {.attr = "f",
       .return_types = std::move(return_types),
       .first_captured = 1,
       .captured_types = "Targuments"},
      std::move(done),
      [spec = *std::move(spec), preserves = *preserves, make = std::move(make)](
          DatasetPtr input, DatasetFunction function) mutable {
        return std::move(make)(std::move(spec), std::move(input),
                               MapFunction{std::move(function), preserves});
      });
}

absl::StatusOr<ParallelCalls> GetParallelCalls(const KernelContext& context,
                                               int i) {
  ParallelCalls parallel;
  LEAT_ASSIGN_OR_RETURN(parallel.count, ScalarArgument<int64_t>(
                                            context, i, "num_parallel_calls"));
  if (parallel.count < 1 && parallel.count != -1) {
    return absl::InvalidArgumentError(
        "num_parallel_calls must be greater than zero.");
  }
  if (parallel.count == -1) {
    parallel.count = context.step().device->compute_queue().num_threads();
  }
  parallel.count = std::min(parallel.count, kMaxParallelCalls);
  const AttrMap& attrs = context.node().attrs;
  LEAT_ASSIGN_OR_RETURN(const std::string deterministic,
                        attrs.GetOr<std::string>("deterministic", "default"));
  parallel.in_order = deterministic != "false";
  return parallel;
}

std::unique_ptr<Stage> NewParallelMapStage(std::unique_ptr<Stage> input,
                                           const MapFunction& function,
                                           const ParallelCalls& parallel,
                                           const StageContext& context) {
  return std::make_unique<ParallelMapStage>(std::move(input), function,
                                            parallel, context);
}

}  // namespace leat::kernels
