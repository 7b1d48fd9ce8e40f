// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::slice {
namespace {

Output Column(Output vector) { return op::ExpandDims(vector, 1); }

// Pads the gradient with zeros to the shape of the input.
void SliceGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output x = c.input(0);
  const Output y = c.output(0);
  const std::optional<Dims> begin = ValuesOf(c.input(1));
  const std::optional<Dims> in = StaticDims(x);
  const std::optional<Dims> out = StaticDims(y);
  if (begin.has_value() && in.has_value() && out.has_value()) {
    std::vector<int32_t> paddings;
    for (size_t i = 0; i < in->size(); ++i) {
      paddings.push_back(static_cast<int32_t>((*begin)[i]));
      paddings.push_back(
          static_cast<int32_t>((*in)[i] - (*out)[i] - (*begin)[i]));
    }
    const Shape shape{static_cast<int64_t>(in->size()), 2};
    c.set(0, op::Pad(c.grad(), Tensor::FromSpan<int32_t>(shape, paddings)));
    return;
  }
  const Output from = c.input(1);
  const Output rest =
      ShapeOf(x, from.dtype()) - ShapeOf(y, from.dtype()) - from;
  c.set(0, op::Pad(c.grad(), op::ConcatV2({Column(from), Column(rest)}, 1)));
}

void StridedSliceGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::StridedSliceGrad(
               ShapeOf(c.input(0), c.input(1).dtype()), c.input(1), c.input(2),
               c.input(3), c.grad(),
               {.begin_mask = c.attr<int64_t>("begin_mask"),
                .end_mask = c.attr<int64_t>("end_mask"),
                .ellipsis_mask = c.attr<int64_t>("ellipsis_mask"),
                .new_axis_mask = c.attr<int64_t>("new_axis_mask"),
                .shrink_axis_mask = c.attr<int64_t>("shrink_axis_mask")}));
}

// Returns the part of the gradient that belongs to the input. This is the
// gradient without the padding.
void PadGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output paddings = c.input(1);
  const InferredOutput* known = c.builder().inferred(paddings.endpoint());
  Output begin;
  if (known != nullptr && known->value != nullptr &&
      known->value->rank() == 2) {
    const auto flat =
        known->value->Reshaped(Shape{known->value->num_elements()});
    const absl::StatusOr<Dims> values =
        flat.ok() ? GetIndices(*flat, "paddings") : flat.status();
    Dims before;
    for (size_t i = 0; values.ok() && i < values->size(); i += 2) {
      before.push_back((*values)[i]);
    }
    if (values.ok()) begin = IntVector(c.builder(), before, "begin");
  }
  if (!begin.IsValid()) {
    const Output columns = op::Unpack(paddings, 2, {.axis = 1})[0];
    begin = paddings.dtype() == DType::kInt32
                ? columns
                : op::Cast(columns, DType::kInt32);
  }
  c.set(0, op::Slice(c.grad(), begin, ShapeOf(c.input(0))));
}

void MirrorPadGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0,
        op::MirrorPadGrad(c.grad(), c.input(1), c.attr<std::string>("mode")));
}

void MirrorPadGradGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::MirrorPad(c.grad(), c.input(1), c.attr<std::string>("mode")));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Slice", SliceGrad);
  registry.Add("StridedSlice", StridedSliceGrad);
  registry.Add("Pad", PadGrad);
  registry.Add("PadV2", PadGrad);
  registry.Add("MirrorPad", MirrorPadGrad);
  registry.Add("MirrorPadGrad", MirrorPadGradGrad);
}

}  // namespace leat::gradients::slice
