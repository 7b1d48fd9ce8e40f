// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MapDataset and of ParallelMapDatasetV2, which call a
// function on each element of another dataset.
#include <memory>
#include <optional>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/parallel_calls.h"

namespace leat::kernels::datasets::map {
namespace {

class MapStage final : public Stage {
 public:
  MapStage(std::unique_ptr<Stage> input, const MapFunction& function,
           const StageContext& context)
      : input_(std::move(input)), function_(function), context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    if (has_ended_) return Progress::kEnd;
    if (!run_.IsActive()) {
      LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(element));
      if (progress != Progress::kElement) return progress;
      run_.Start(function_.function, context_, std::move(element));
    }
    if (!run_.IsDone()) return Progress::kWaiting;
    LEAT_ASSIGN_OR_RETURN(const Progress progress,
                          function_.Finish(run_.Take(), element));
    has_ended_ = progress == Progress::kEnd;
    return progress;
  }

 private:
  const std::unique_ptr<Stage> input_;
  const MapFunction function_;
  const StageContext context_;
  FunctionRun run_;
  bool has_ended_ = false;  // because the function has ended the sequence
};

class MapDataset final : public Dataset {
 public:
  // `parallel` is null if one call follows another.
  MapDataset(ElementSpec spec, DatasetPtr input, MapFunction function,
             std::optional<ParallelCalls> parallel)
      : Dataset(std::move(spec)),
        input_(std::move(input)),
        function_(std::move(function)),
        parallel_(parallel) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    if (parallel_.has_value()) {
      return NewParallelMapStage(std::move(input), function_, *parallel_,
                                 context);
    }
    return std::make_unique<MapStage>(std::move(input), function_, context);
  }
  int64_t ComputeCardinality() const override {
    const int64_t count = input_->Cardinality();
    return function_.preserves_cardinality || count == kInfinite ? count
                                                                 : kUnknown;
  }

 private:
  const DatasetPtr input_;
  const MapFunction function_;
  const std::optional<ParallelCalls> parallel_;
};

void Start(KernelContext& context, std::optional<ParallelCalls> parallel,
           DatasetDone done) {
  StartWithMapFunction(
      context, std::move(done),
      [parallel](ElementSpec spec, DatasetPtr input,
                 MapFunction function) -> absl::StatusOr<DatasetPtr> {
        return std::make_shared<const MapDataset>(
            std::move(spec), std::move(input), std::move(function), parallel);
      });
}

void StartMap(KernelContext& context, DatasetDone done) {
  Start(context, std::nullopt, std::move(done));
}

void StartParallelMap(KernelContext& context, DatasetDone done) {
  const absl::StatusOr<ParallelCalls> parallel =
      GetParallelCalls(context, context.num_inputs() - 1);
  if (!parallel.ok()) return std::move(done)(parallel.status());
  Start(context, *parallel, std::move(done));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MapDataset", kCpu, &StartDatasetKernel<&StartMap>);
  registry.Add("ParallelMapDatasetV2", kCpu,
               &StartDatasetKernel<&StartParallelMap>);
}

}  // namespace leat::kernels::datasets::map
