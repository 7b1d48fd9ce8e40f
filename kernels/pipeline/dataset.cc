// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/dataset.h"

#include "absl/strings/str_cat.h"

namespace leat::kernels {

absl::StatusOr<std::unique_ptr<Stage>> MakeStage(const Dataset& dataset,
                                                 const StageContext& context) {
  if (context.depth >= kMaxStageDepth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("an input pipeline has more than ", kMaxStageDepth,
                     " datasets upon one another, which is the limit"));
  }
  StageContext below = context;
  ++below.depth;
  return dataset.NewStage(below);
}

absl::string_view DatasetValue::type_name() const {
  return "tensorflow::DatasetVariantWrapper";
}

Tensor TensorOf(DatasetPtr dataset) {
  return Tensor::Scalar(Variant::Of(DatasetValue(std::move(dataset))));
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
