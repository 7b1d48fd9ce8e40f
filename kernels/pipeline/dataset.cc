// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/dataset.h"

#include <algorithm>
#include <atomic>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"

namespace leat::kernels {

StageContext OfInput(const StageContext& context, size_t index) {
  StageContext input = context;
  if (context.place != 0) {
    // The lowest bit is set because no input has the place 0, which stands for
    // the datasets that functions return.
    input.place = absl::HashOf(context.place, index) | 1;
  }
  return input;
}

StageContext OfFunction(const StageContext& context) {
  StageContext result = context;
  result.place = 0;
  return result;
}

absl::StatusOr<std::unique_ptr<Stage>> MakeStage(const Dataset& dataset,
                                                 const StageContext& context) {
  if (context.depth >= kMaxStageDepth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("an input pipeline has more than ", kMaxStageDepth,
                     " datasets upon one another, which is the limit"));
  }
  std::atomic<int64_t>& num_stages = context.pipeline->num_stages();
  if (num_stages.fetch_add(1) >= kMaxStages) {
    num_stages.fetch_sub(1);
    return absl::ResourceExhaustedError(
        absl::StrCat("an input pipeline has more than ", kMaxStages,
                     " stages, which is the limit"));
  }
  StageContext below = context;
  ++below.depth;
  absl::StatusOr<std::unique_ptr<Stage>> stage = dataset.NewStage(below);
  // A dataset may return the stage of another one, which is counted already.
  if (!stage.ok() || (*stage)->counted_ != nullptr) {
    num_stages.fetch_sub(1);
  } else {
    (*stage)->counted_ = context.pipeline;
  }
  return stage;
}

absl::string_view DatasetValue::type_name() const {
  return "tensorflow::DatasetVariantWrapper";
}

Tensor TensorOf(DatasetPtr dataset, int num_below) {
  return Tensor::Scalar(
      Variant::Of(DatasetValue(std::move(dataset), num_below)));
}

int NumDatasetsIn(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant) return 0;
  int most = 0;
  for (const Variant& variant : tensor.data<Variant>()) {
    const auto* value = variant.get<DatasetValue>();
    if (value != nullptr) most = std::max(most, value->num_below() + 1);
  }
  return most;
}

absl::StatusOr<DatasetPtr> DatasetOf(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant || tensor.rank() != 0) {
    return absl::InvalidArgumentError(
        "Dataset tensor must be a scalar of dtype DT_VARIANT.");
  }
  const auto* value = tensor.scalar<Variant>().get<DatasetValue>();
  if (value == nullptr) {
    return absl::InvalidArgumentError("Tensor must be a Dataset object.");
  }
  return value->dataset();
}

}  // namespace leat::kernels
