// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::gather {
namespace {

const Tensor& MinusOne() {
  static const Tensor* const tensor = new Tensor(Tensor::Vector({-1}));
  return *tensor;
}

// Returns the vector `shape` without its first entry.
Output Tail(Output shape) { return shape.Slice({From(1)}); }

// Returns the gradient as slices of a tensor of shape `shape`, one row per
// index. `params` is what is known of `shape` before the step.
IndexedSlices Rows(GraphBuilder& b, Output dy, Output indices, Output shape,
                   const PartialShape& params) {
  Output values_shape;
  if (params.IsFullyKnown() && params.rank() > 0) {
    Dims dims(params.dims().begin(), params.dims().end());
    dims[0] = -1;
    const bool empty = std::count(dims.begin(), dims.end(), 0) > 0;
    if (!empty) values_shape = IntVector(b, dims);
  }
  if (!values_shape.IsValid()) {
    values_shape = op::ConcatV2({{op::Size(indices)}, Tail(shape)}, 0);
  }
  const PartialShape list = indices.shape();
  const bool is_list = list.rank_known() && list.rank() == 1;
  return {.values = is_list ? dy : op::Reshape(dy, values_shape),
          .indices = is_list ? indices : op::Reshape(indices, MinusOne()),
          .dense_shape = shape};
}

void GatherGrad(GradientContext& c) {
  const Output params = c.input(0);
  c.set(0, Rows(c.builder(), c.grad(), c.input(1), ShapeOf(params),
                params.shape()));
}

// Returns what shape inference knows of the shape of the variable whose handle
// is input 0.
PartialShape KnownVariableShape(const GradientContext& c) {
  const InferredOutput* known = c.builder().inferred(c.input(0).endpoint());
  if (known == nullptr || !known->handle.has_value()) return PartialShape();
  return known->handle->shape;
}

// If the shape of the variable is known, adds it as a constant. Otherwise adds
// a node that computes the shape.
Output VariableShape(const GradientContext& c, const PartialShape& known) {
  return known.IsFullyKnown() ? IntVector(c.builder(), known.dims(), "Shape")
                              : op::VariableShape(c.input(0));
}

void ResourceGatherGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  if (c.attr<int64_t>("batch_dims") != 0) {
    return c.builder().Fail(absl::UnimplementedError(absl::StrCat(
                                "node '", c.operation().name(),
                                "' (ResourceGather) has batch_dims, for which "
                                "the gradient is not implemented")),
                            SourceLocation{});
  }
  const PartialShape params = KnownVariableShape(c);
  c.set(0, Rows(c.builder(), c.grad(), c.input(1), VariableShape(c, params),
                params));
}

Output Flat(Output x) { return op::Reshape(x, MinusOne()); }

Output AsInt32(Output x) {
  return x.dtype() == DType::kInt32 ? x : op::Cast(x, DType::kInt32);
}

// Returns the product of the entries [begin, end) of the vector `shape`.
Output Product(Output shape, Output begin, Output end) {
  return op::Prod(shape.Slice({Range(begin, end)}), {0});
}

// params has the shape [B..., outer..., axis, inner...] and indices has the
// shape [B..., count...]. `shape` is the shape of params. Each other field is
// the product of the extents in one group of dimensions.
struct GatherExtents {
  GatherExtents(Output params, Output indices, Output axis, Output batch)
      : shape(ShapeOf(params)) {
    const Output index_shape = ShapeOf(indices);
    batches = Product(shape, op::ZerosLike(batch), batch);
    outer = Product(shape, batch, axis);
    extent = op::GatherV2(shape, axis, 0);
    inner = Product(shape, axis + 1, op::Size(shape));
    count = Product(index_shape, batch, op::Size(index_shape));
  }

  Output shape;
  Output batches, outer, extent, inner, count;
};

// Sets the gradient of params for any axis. The shape of dy is [B..., outer...,
// count..., inner...]. The variable `values` gets one row per index. Within
// each batch, rows with equal indices are summed.
void AxisGatherGrad(GradientContext& c, Output axis, Output batch) {
  const Output indices = c.input(1);
  const GatherExtents e(c.input(0), indices, axis, batch);
  const Tensor swap = Tensor::Vector<int32_t>({0, 2, 1, 3});
  const Output values = op::Transpose(
      op::Reshape(c.grad(), {e.batches, e.outer, e.count, e.inner}), swap);
  const Output offsets =
      op::Cast(op::ExpandDims(op::Range(0, e.batches, 1) * e.extent, 1),
               indices.dtype());
  const Output rows = op::Reshape(indices, {e.batches, e.count}) + offsets;
  const Output sums = op::UnsortedSegmentSum(
      op::Reshape(values, {e.batches * e.count, e.outer * e.inner}), Flat(rows),
      e.batches * e.extent);
  const Output ordered = op::Transpose(
      op::Reshape(sums, {e.batches, e.extent, e.outer, e.inner}), swap);
  c.set(0, op::Reshape(ordered, e.shape));
}

void GatherV2Grad(GradientContext& c) {
  if (!c.needs(0)) return;
  GraphBuilder& b = c.builder();
  const std::optional<Dims> known = ValuesOf(c.input(2));
  const int64_t batch = c.attr<int64_t>("batch_dims");
  const bool has_axis = known.has_value() && known->size() == 1;
  if (batch == 0 && has_axis && known->front() == 0) return GatherGrad(c);

  const Output first = b.Const(static_cast<int32_t>(batch));
  Output axis;
  if (has_axis && known->front() >= 0) {
    axis = b.Const(static_cast<int32_t>(known->front()));
  } else {
    const Output rank = op::Rank(c.input(0));
    axis = op::FloorMod(AsInt32(c.input(2)) + rank, rank);
  }
  AxisGatherGrad(c, axis, batch < 0 ? op::Rank(c.input(1)) + first : first);
}

void GatherNdGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output params = c.input(0);
  Output indices = c.input(1);
  Output dy = c.grad();
  // ScatterNd does not accept a vector of indices, which would be a single
  // point. ExpandDims makes the vector the only row of a matrix.
  if (!indices.shape().rank_known() || indices.shape().rank() == 1) {
    indices = op::ExpandDims(indices, 0);
    dy = op::ExpandDims(dy, 0);
  }
  c.set(0, op::ScatterNd(indices, dy, ShapeOf(params, indices.dtype())));
}

// The gradient consists of rows if each row of the indices is one number.
void ResourceGatherNdGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const PartialShape known = KnownVariableShape(c);
  const Output shape = VariableShape(c, known);
  Output indices = c.input(1);
  const PartialShape of_indices = indices.shape();
  if (of_indices.rank_known() && of_indices.rank() == 2 &&
      of_indices.dim(1) == 1) {
    return c.set(
        0, Rows(c.builder(), c.grad(),
                op::Squeeze(indices, {.squeeze_dims = {-1}}), shape, known));
  }
  Output dy = c.grad();
  if (!of_indices.rank_known() || of_indices.rank() == 1) {
    indices = op::ExpandDims(indices, 0);
    dy = op::ExpandDims(dy, 0);
  }
  c.set(0, op::ScatterNd(indices, dy, op::Cast(shape, indices.dtype())));
}

void ScatterNdGrad(GradientContext& c) {
  if (c.needs(1)) c.set(1, op::GatherNd(c.grad(), c.input(0)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Gather", GatherGrad);
  registry.Add("GatherV2", GatherV2Grad);
  registry.Add("GatherNd", GatherNdGrad);
  registry.Add("ResourceGather", ResourceGatherGrad);
  registry.Add("ResourceGatherNd", ResourceGatherNdGrad);
  registry.Add("ScatterNd", ScatterNdGrad);
}

}  // namespace leat::gradients::gather
