// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/parallel_calls.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/graph.h"
#include "leat/kernels/pipeline/parallel_stage.h"

namespace leat::kernels {
namespace {

// Calls a function.
struct Calls {
  using Run = FunctionRun;

  void Start(Run& run, const StageContext& context, Element element) const {
    run.Start(map.function, context, std::move(element), CallOn::kOtherThread);
  }
  bool IsDone(Run& run) const { return run.IsDone(); }
  absl::StatusOr<Progress> Finish(Run& run, Element& element) const {
    return map.Finish(run.Take(), element);
  }

  MapFunction map;
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
  return std::make_unique<ParallelStage<Calls>>(
      std::move(input), Calls{function}, parallel, context);
}

}  // namespace leat::kernels
