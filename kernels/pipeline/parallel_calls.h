// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewParallelMapStage makes a stage that calls a function on several elements
// at the same time.
#ifndef LEAT_KERNELS_PIPELINE_PARALLEL_CALLS_H_
#define LEAT_KERNELS_PIPELINE_PARALLEL_CALLS_H_

#include <cstdint>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/pipeline/dataset.h"
#include "leat/kernels/pipeline/dataset_function.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels {

// Is a function that makes an element from an element. Is a value.
struct MapFunction {
  DatasetFunction function;
  // If this is false, a call that fails with OUT_OF_RANGE ends the sequence.
  bool preserves_cardinality = true;

  // Returns the outcome of a call, and moves its results to `element`.
  absl::StatusOr<Progress> Finish(CallableFunction::Results results,
                                  Element& element) const;
};

// Finds the function `f` of a node, which makes the elements of the node's
// dataset from those of the dataset in input 0. `make` makes the dataset from
// its spec, that dataset and the function.
void StartWithMapFunction(
    KernelContext& context, DatasetDone done,
    absl::AnyInvocable<absl::StatusOr<DatasetPtr>(ElementSpec, DatasetPtr,
                                                  MapFunction) &&>
        make);

// Says how many calls run at the same time, and whether their results keep the
// order of the elements. Is a value.
struct ParallelCalls {
  int64_t count = 1;
  bool in_order = true;
};

// Limits how many calls a stage runs at the same time.
inline constexpr int64_t kMaxParallelCalls = 10'000;

// Reads how many calls the node wants from input `i`, and the order from the
// attr `deterministic`. The number -1 stands for as many as there
// are threads. Returns INVALID_ARGUMENT, with TensorFlow's text, for other
// numbers below 1.
absl::StatusOr<ParallelCalls> GetParallelCalls(const KernelContext& context,
                                               int i);

// Returns a stage that takes elements from `input` and gives out the results of
// `function`. It holds at most `parallel.count` calls and results.
std::unique_ptr<Stage> NewParallelMapStage(std::unique_ptr<Stage> input,
                                           const MapFunction& function,
                                           const ParallelCalls& parallel,
                                           const StageContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_PARALLEL_CALLS_H_
