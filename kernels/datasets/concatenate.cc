// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ConcatenateDataset.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::concatenate {
namespace {

class ConcatenateStage final : public Stage {
 public:
  ConcatenateStage(std::unique_ptr<Stage> first, DatasetPtr second,
                   const StageContext& context)
      : stage_(std::move(first)),
        second_(std::move(second)),
        context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    LEAT_ASSIGN_OR_RETURN(const Progress progress, stage_->Next(element));
    if (progress != Progress::kEnd || second_ == nullptr) return progress;
    LEAT_ASSIGN_OR_RETURN(stage_, MakeStage(*second_, OfInput(context_, 1)));
    second_.reset();
    return stage_->Next(element);
  }

 private:
  std::unique_ptr<Stage> stage_;
  DatasetPtr second_;  // null once `stage_` is the stage of it
  const StageContext context_;
};

class ConcatenateDataset final : public Dataset {
 public:
  ConcatenateDataset(ElementSpec spec, DatasetPtr first, DatasetPtr second)
      : Dataset(std::move(spec)),
        first_(std::move(first)),
        second_(std::move(second)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> first,
                          MakeStage(*first_, OfInput(context, 0)));
    return std::make_unique<ConcatenateStage>(std::move(first), second_,
                                              context);
  }
  int64_t ComputeCardinality() const override {
    const int64_t first = first_->Cardinality();
    const int64_t second = second_->Cardinality();
    if (first == kInfinite || second == kInfinite) return kInfinite;
    if (first == kUnknown || second == kUnknown) return kUnknown;
    return SaturatingAdd(first, second);
  }

 private:
  const DatasetPtr first_;
  const DatasetPtr second_;
};

absl::StatusOr<DatasetPtr> MakeConcatenate(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(DatasetPtr first, InputDataset(context, 0));
  LEAT_ASSIGN_OR_RETURN(DatasetPtr second, InputDataset(context, 1));
  if (first->spec().dtypes != second->spec().dtypes) {
    return absl::InvalidArgumentError(
        "input dataset and dataset to concatenate have different output_types "
        "and output_types");
  }
  ElementSpec spec = first->spec();
  for (size_t i = 0; i < spec.shapes.size(); ++i) {
    spec.shapes[i] = Relax(spec.shapes[i], second->spec().shapes[i]);
  }
  return std::make_shared<const ConcatenateDataset>(
      std::move(spec), std::move(first), std::move(second));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ConcatenateDataset", kCpu,
               &MakeDatasetKernel<&MakeConcatenate>);
}

}  // namespace leat::kernels::datasets::concatenate
