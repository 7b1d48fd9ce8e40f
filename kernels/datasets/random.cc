// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of RandomDataset and RandomDatasetV2. The numbers for a
// seed are TensorFlow's.
#include <memory>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/seeds.h"

namespace leat::kernels::datasets::random {
namespace {

class RandomStage final : public Stage {
 public:
  RandomStage(const Seeds& seeds, const StageContext& context)
      : words_(seeds), pipeline_(context.pipeline) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    LEAT_ASSIGN_OR_RETURN(
        Tensor number,
        Tensor::Allocate(pipeline_->allocator(), DType::kInt64, Shape{}));
    number.mutable_data<int64_t>()[0] = words_.Next();
    element.clear();
    element.push_back(std::move(number));
    return Progress::kElement;
  }

 private:
  RandomWords words_;
  const std::shared_ptr<const Pipeline> pipeline_;
};

class RandomDataset final : public Dataset {
 public:
  RandomDataset(ElementSpec spec, const Seeds& seeds, bool changes)
      : Dataset(std::move(spec)),
        seeds_(std::make_unique<SeedGenerator>(seeds, changes)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return std::make_unique<RandomStage>(seeds_->Next(), context);
  }
  int64_t ComputeCardinality() const override { return kInfinite; }

 private:
  const std::unique_ptr<SeedGenerator> seeds_;
};

// The handle of a seed generator names no generator in a graph
// (DummySeedGenerator), so the dataset has a generator of its own.
absl::StatusOr<DatasetPtr> MakeRandom(KernelContext& context) {
  Seeds seeds;
  LEAT_ASSIGN_OR_RETURN(seeds.seed,
                        ScalarArgument<int64_t>(context, 0, "seed"));
  LEAT_ASSIGN_OR_RETURN(seeds.seed2,
                        ScalarArgument<int64_t>(context, 1, "seed2"));
  LEAT_ASSIGN_OR_RETURN(
      const bool changes,
      context.node().attrs.GetOr<bool>("rerandomize_each_iteration", false));
  return std::make_shared<const RandomDataset>(
      ElementSpec{.dtypes = {DType::kInt64}, .shapes = {Shape{}}}, seeds,
      changes);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("RandomDataset", kCpu, &MakeDatasetKernel<&MakeRandom>);
  registry.Add("RandomDatasetV2", kCpu, &MakeDatasetKernel<&MakeRandom>);
}

}  // namespace leat::kernels::datasets::random
