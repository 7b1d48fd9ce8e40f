// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of BatchDatasetV2, ParallelBatchDataset and
// MapAndBatchDataset. Each of their elements is made of several elements of
// another dataset. The copies of a large batch run on several threads anyway,
// so ParallelBatchDataset does what BatchDatasetV2 does.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/batch.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/parallel_calls.h"

namespace leat::kernels::datasets::batch {
namespace {

struct BatchOptions {
  int64_t size = 1;
  bool drop_remainder = false;
};

class BatchStage final : public Stage {
 public:
  BatchStage(std::unique_ptr<Stage> input, const BatchOptions& options,
             const StageContext& context,
             AfterError after_error = AfterError::kNextBatch)
      : batches_(std::move(input), options.size, options.drop_remainder,
                 context, after_error),
        pipeline_(context.pipeline) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    std::vector<Element> elements;
    LEAT_ASSIGN_OR_RETURN(const Progress progress, batches_.Next(elements));
    if (progress != Progress::kElement) return progress;
    LEAT_ASSIGN_OR_RETURN(element, StackBatch(elements, pipeline_->allocator(),
                                              pipeline_->queue()));
    return Progress::kElement;
  }

 private:
  ElementCollector batches_;
  const std::shared_ptr<const Pipeline> pipeline_;
};

class BatchDataset final : public Dataset {
 public:
  BatchDataset(ElementSpec spec, DatasetPtr input, const BatchOptions& options)
      : Dataset(std::move(spec)), input_(std::move(input)), options_(options) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<BatchStage>(std::move(input), options_, context);
  }
  int64_t ComputeCardinality() const override {
    return NumBatches(input_->Cardinality(), options_.size,
                      options_.drop_remainder);
  }

 private:
  const DatasetPtr input_;
  const BatchOptions options_;
};

// Is a MapAndBatchDataset: calls a function on several elements at the same
// time and makes batches of the results.
class MapAndBatchDataset final : public Dataset {
 public:
  MapAndBatchDataset(ElementSpec spec, DatasetPtr input, MapFunction function,
                     const ParallelCalls& parallel, const BatchOptions& options)
      : Dataset(std::move(spec)),
        input_(std::move(input)),
        function_(std::move(function)),
        parallel_(parallel),
        options_(options) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<BatchStage>(
        NewParallelMapStage(std::move(input), function_, parallel_, context),
        options_, context, AfterError::kDropBatch);
  }

 private:
  const DatasetPtr input_;
  const MapFunction function_;
  const ParallelCalls parallel_;
  const BatchOptions options_;
};

absl::StatusOr<BatchOptions> GetOptions(const KernelContext& context,
                                        int size_input, int drop_input) {
  BatchOptions options;
  LEAT_ASSIGN_OR_RETURN(options.size, BatchSizeArgument(context, size_input));
  LEAT_ASSIGN_OR_RETURN(
      options.drop_remainder,
      ScalarArgument<bool>(context, drop_input, "drop_remainder"));
  return options;
}

// The inputs are the dataset and batch_size, and drop_remainder comes last.
absl::StatusOr<DatasetPtr> MakeBatch(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr input, InputDataset(context));
  LEAT_ASSIGN_OR_RETURN(const BatchOptions options,
                        GetOptions(context, 1, context.num_inputs() - 1));
  LEAT_ASSIGN_OR_RETURN(ElementSpec spec,
                        BatchSpec(input->spec(), options.drop_remainder
                                                     ? options.size
                                                     : PartialShape::kUnknown));
  return std::make_shared<const BatchDataset>(std::move(spec), std::move(input),
                                              options);
}

// The inputs after the captured ones are batch_size, num_parallel_calls and
// drop_remainder.
void StartMapAndBatch(KernelContext& context, DatasetDone done) {
  const int first = context.num_inputs() - 3;
  const absl::StatusOr<BatchOptions> options =
      GetOptions(context, first, first + 2);
  if (!options.ok()) return std::move(done)(options.status());
  const absl::StatusOr<ParallelCalls> parallel =
      GetParallelCalls(context, first + 1);
  if (!parallel.ok()) return std::move(done)(parallel.status());
  StartWithMapFunction(context, std::move(done),
                       [options = *options, parallel = *parallel](
                           ElementSpec spec, DatasetPtr input,
                           MapFunction function) -> absl::StatusOr<DatasetPtr> {
                         return std::make_shared<const MapAndBatchDataset>(
                             std::move(spec), std::move(input),
                             std::move(function), parallel, options);
                       });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("BatchDatasetV2", kCpu, &MakeDatasetKernel<&MakeBatch>);
  registry.Add("ParallelBatchDataset", kCpu, &MakeDatasetKernel<&MakeBatch>);
  registry.Add("MapAndBatchDataset", kCpu,
               &StartDatasetKernel<&StartMapAndBatch>);
}

}  // namespace leat::kernels::datasets::batch
