// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/learning_rate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/graph/ops.h"

namespace leat::nn {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Returns step / steps as a float. The result is invalid after an error.
Output Progress(Output step, int64_t steps, SourceLocation location) {
  if (steps <= 0) {
    step.builder()->Fail(absl::InvalidArgumentError(absl::StrCat(
                             "learning rate '", step.builder()->name_prefix(),
                             "': steps must be positive, got ", steps)),
                         location);
    return Output(Operation(step.builder(), kNoNode), 0);
  }
  return op::Cast(step, DType::kFloat, {}, location) /
         static_cast<double>(steps);
}

}  // namespace

Variable GlobalStep(GraphBuilder& builder, SourceLocation location) {
  const Scope site = builder.CallSite(location);
  return builder.GetVariable("global_step", DType::kInt64, Shape{},
                             [&] { return builder.Const<int64_t>(0, "zeros"); },
                             {.trainable = false});
}

Output ConstantRate(GraphBuilder& builder, double rate,
                    SourceLocation location) {
  return builder.Const(static_cast<float>(rate), "learning_rate", location);
}

Output ExponentialDecay(Output step, ExponentialDecayAttrs attrs,
                        SourceLocation location) {
  GraphBuilder* b = step.builder();
  if (b == nullptr) return step;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope("ExponentialDecay", location);
  Output progress = Progress(step, attrs.steps, location);
  if (attrs.staircase) progress = op::Floor(progress, location);
  return attrs.initial * op::Pow(attrs.rate, progress, location);
}

Output PiecewiseConstant(Output step, PiecewiseConstantAttrs attrs,
                         SourceLocation location) {
  GraphBuilder* b = step.builder();
  if (b == nullptr) return step;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope("PiecewiseConstant", location);
  if (attrs.rates.size() != attrs.boundaries.size() + 1) {
    b->Fail(absl::InvalidArgumentError(absl::StrCat(
                "PiecewiseConstant: ", attrs.boundaries.size(),
                " boundaries need one more rate, got ", attrs.rates.size())),
            location);
    return Output(Operation(b, kNoNode), 0);
  }
  if (!std::is_sorted(attrs.boundaries.begin(), attrs.boundaries.end())) {
    b->Fail(absl::InvalidArgumentError(
                absl::StrCat("PiecewiseConstant: boundaries must ascend, got ",
                             absl::StrJoin(attrs.boundaries, ", "))),
            location);
    return Output(Operation(b, kNoNode), 0);
  }
  Output rate = b->Const(static_cast<float>(attrs.rates.back()), "rate");
  for (size_t i = attrs.boundaries.size(); i-- > 0;) {
    rate = op::SelectV2(op::LessEqual(step, attrs.boundaries[i], location),
                        attrs.rates[i], rate, location);
  }
  return rate;
}

Output CosineDecay(Output step, CosineDecayAttrs attrs,
                   SourceLocation location) {
  GraphBuilder* b = step.builder();
  if (b == nullptr) return step;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope("CosineDecay", location);
  const Output progress =
      op::Minimum(Progress(step, attrs.steps, location), 1.0, location);
  const Output cosine = 0.5 * (1.0 + op::Cos(progress * kPi, location));
  return attrs.initial * ((1.0 - attrs.alpha) * cosine + attrs.alpha);
}

}  // namespace leat::nn
