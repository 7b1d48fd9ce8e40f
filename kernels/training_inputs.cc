// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/training_inputs.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/graph.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels {
namespace {

// Returns what TensorFlow's messages call the scalar input `name`.
absl::string_view TitleOf(absl::string_view name) {
  if (name == "l1") return "l1 regularization strength";
  if (name == "l2") return "l2 regularization strength";
  if (name == "l2_shrinkage") return "l2 shrinkage regularization strength";
  return name;
}

}  // namespace

absl::Status TrainingInputs::Read(const KernelContext& context, DType dtype) {
  op_ = context.node().op;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const ArgDef& arg = op_->inputs[static_cast<size_t>(i)];
    if (arg.is_ref || arg.type == DType::kResource) {
      LEAT_ASSIGN_OR_RETURN(auto owner, GetVariable(context, i, dtype));
      variables_.push_back(owner.get());
      owners_.push_back(std::move(owner));
    } else if (arg.name == "grad" || arg.name == "delta") {
      gradient = context.input(i);
      gradient_name_ = arg.name;
    } else if (arg.name == "indices") {
      indices = context.input(i);
    } else {
      const Tensor& value = context.input(i);
      if (!value.shape().IsScalar()) {
        return absl::InvalidArgumentError(
            absl::StrCat(TitleOf(arg.name),
                         " is not a scalar: ", value.shape().DebugString()));
      }
      scalars_.push_back(&value);
    }
  }
  return absl::OkStatus();
}

absl::Status TrainingInputs::CheckSlots(
    absl::Span<Tensor* const> values) const {
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i]->shape() == values[0]->shape()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "var and ", op_->inputs[i].name, " do not have the same shape",
        values[0]->shape().DebugString(), " ",
        values[i]->shape().DebugString()));
  }
  return absl::OkStatus();
}

absl::Status TrainingInputs::CheckGradient(
    absl::Span<Tensor* const> values) const {
  if (gradient.shape() == values[0]->shape()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "var and ", gradient_name_, " do not have the same shape",
      values[0]->shape().DebugString(), " ", gradient.shape().DebugString()));
}

absl::Status TrainingInputs::CheckRows(absl::Span<Tensor* const> values) const {
  const Shape& var = values[0]->shape();
  const Shape& grad = gradient.shape();
  if (!indices.shape().IsVector()) {
    return absl::InvalidArgumentError("indices must be one-dimensional");
  }
  if (var.rank() < 1) {
    return absl::InvalidArgumentError("var must be at least 1 dimensional");
  }
  if (grad.rank() < 1 || grad.dim(0) != indices.num_elements()) {
    return absl::InvalidArgumentError(
        "grad must be the same size as indices in the first dimension.");
  }
  if (grad.dims().subspan(1) != var.dims().subspan(1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "var and grad must match in all dimensions but the first: ",
        var.DebugString(), " vs. ", grad.DebugString()));
  }
  return absl::OkStatus();
}

}  // namespace leat::kernels
