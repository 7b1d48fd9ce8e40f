// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/layers.h"

namespace leat::nn {
namespace {

struct Moments {
  Output mean = {};
  Output variance = {};
};

// Adds the update average -= (average - value) * (1 - momentum), which runs
// with the training step.
void UpdateAverage(GraphBuilder& b, const leat::Variable& average, Output value,
                   double momentum, SourceLocation location) {
  Scope colocated = b.ColocateWith(average.handle().operation(), location);
  const Output change = (average.value() - value) * (1.0 - momentum);
  b.AddUpdate(op::AssignSubVariableOp(average.handle(), change, location));
}

// Returns the moments over all axes except the last one.
Moments MomentsOf(Output x, SourceLocation location) {
  Dims axes;
  for (int i = 0; i + 1 < x.shape().rank(); ++i) axes.push_back(i);
  const Output list = gradients::IntVector(*x.builder(), axes);
  const Output mean = op::Mean(x, list, {}, location);
  const Output centred =
      op::SquaredDifference(x, op::StopGradient(mean, location), location);
  return {.mean = mean, .variance = op::Mean(centred, list, {}, location)};
}

Output Normalize(Output x, const Moments& by, Output gamma, Output beta,
                 double epsilon, SourceLocation location) {
  const Output scale = op::Rsqrt(by.variance + epsilon, location) * gamma;
  return x * scale + (beta - by.mean * scale);
}

// Describes a normalized input, and the moments by which it was normalized.
struct Normalized {
  Output y = {};
  Moments batch = {};
};

// Normalizes `x` with one op. In training, `by` is ignored, because the op
// itself computes the moments.
Normalized FusedNormalize(Output x, const Moments& by, Output gamma,
                          Output beta, const BatchNormalizationAttrs& attrs,
                          SourceLocation location) {
  Moments given = by;
  if (attrs.training) {
    given.mean = given.variance =
        x.builder()->Const(Tensor::Filled<float>(Shape{0}, 0.0f));
  }
  const auto result =
      op::FusedBatchNormV3(x, gamma, beta, given.mean, given.variance,
                           {.epsilon = static_cast<float>(attrs.epsilon),
                            .data_format = attrs.data_format,
                            .is_training = attrs.training},
                           location);
  return {
      .y = result.y,
      .batch = {.mean = result.batch_mean, .variance = result.batch_variance}};
}

}  // namespace

Output BatchNormalization(Output x, BatchNormalizationAttrs attrs,
                          SourceLocation location) {
  GraphBuilder* b = x.builder();
  if (b == nullptr || !x.IsValid()) return x;
  const Scope site = b->CallSite(location);
  const std::string name =
      attrs.name.empty() ? b->LayerName("batch_normalization") : attrs.name;
  const PartialShape shape = x.shape();
  const bool nchw = attrs.data_format == "NCHW";
  const bool fused =
      shape.rank_known() && shape.rank() == 4 && x.dtype() == DType::kFloat;
  const int axis = nchw ? 1 : shape.rank() - 1;
  if (!shape.rank_known() || shape.rank() < 2 || !shape.dim_known(axis) ||
      (nchw && !fused)) {
    b->Fail(absl::InvalidArgumentError(absl::StrCat(
                "layer '", b->name_prefix(), name,
                "' (BatchNormalization) needs an input whose channels are "
                "known (NCHW: float of rank 4), got ",
                Name(x.dtype()), shape.DebugString())),
            location);
    return Output(Operation(b, kNoNode), 0);
  }
  Scope scope = b->VariableScope(name, location);
  const Shape channels{shape.dim(axis)};
  const auto variable = [&](absl::string_view which, const Initializer& value,
                            bool trainable) {
    return b->GetVariable(
        which, x.dtype(), channels,
        [&] { return value(*b, channels, x.dtype(), channels); },
        {.trainable = trainable && attrs.trainable}, location);
  };
  const leat::Variable gamma = variable("gamma", Ones(), true);
  const leat::Variable beta = variable("beta", Zeros(), true);
  const leat::Variable mean = variable("moving_mean", Zeros(), false);
  const leat::Variable variance = variable("moving_variance", Ones(), false);
  if (!b->status().ok()) return Output(Operation(b, kNoNode), 0);
  Normalized result;
  if (!attrs.training) {
    result.batch = {.mean = mean.value(), .variance = variance.value()};
  }
  if (fused) {
    result = FusedNormalize(x, result.batch, gamma.value(), beta.value(), attrs,
                            location);
  } else {
    if (attrs.training) result.batch = MomentsOf(x, location);
    result.y = Normalize(x, result.batch, gamma.value(), beta.value(),
                         attrs.epsilon, location);
  }
  if (attrs.training) {
    UpdateAverage(*b, mean, result.batch.mean, attrs.momentum, location);
    UpdateAverage(*b, variance, result.batch.variance, attrs.momentum,
                  location);
  }
  return result.y;
}

}  // namespace leat::nn
