// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/graph/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::gather {
namespace {

const Tensor& MinusOne() {
  static const Tensor* const tensor = new Tensor(Tensor::Vector({-1}));
  return *tensor;
}

// `shape` without its first entry.
Output Tail(Output shape) {
  return op::StridedSlice(shape, Tensor::Vector<int32_t>({1}),
                          Tensor::Vector<int32_t>({0}),
                          Tensor::Vector<int32_t>({1}), {.end_mask = 1});
}

// Gradient rows of `shape`, one per index.
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
    values_shape =
        op::ConcatV2({{op::ExpandDims(op::Size(indices), 0), Tail(shape)}}, 0);
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

// The variable's shape is the handle's.
void ResourceGatherGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  if (c.attr<int64_t>("batch_dims") != 0) {
    return c.builder().Fail(
        absl::UnimplementedError(
            absl::StrCat("node '", c.operation().name(),
                         "' (ResourceGather): no gradient with batch_dims")),
        SourceLocation{});
  }
  const Output handle = c.input(0);
  const InferredOutput* known = c.builder().inferred(handle.endpoint());
  PartialShape params;
  if (known != nullptr && known->handle.has_value()) {
    params = known->handle->shape;
  }
  const Output shape = params.IsFullyKnown()
                           ? IntVector(c.builder(), params.dims(), "Shape")
                           : op::VariableShape(handle);
  c.set(0, Rows(c.builder(), c.grad(), c.input(1), shape, params));
}

Output Flat(Output x) { return op::Reshape(x, MinusOne()); }

// The entries [begin, end) of a shape vector, end 0 standing for its end.
Output Part(Output shape, int begin, int end) {
  return op::StridedSlice(
      shape, Tensor::Vector<int32_t>({begin}), Tensor::Vector<int32_t>({end}),
      Tensor::Vector<int32_t>({1}), {.end_mask = end == 0 ? 1 : 0});
}

// params [B..., outer..., axis, inner...] -> dy [B..., outer..., I...,
// inner...] Moves the indexed axes to the front, sums rows by index within each
// batch, and moves the axis back.
void AxisGatherGrad(GradientContext& c, int axis, int batch) {
  GraphBuilder& b = c.builder();
  const Output params = c.input(0);
  const Output indices = c.input(1);
  const int rank = params.shape().rank();
  const int index_rank = indices.shape().rank() - batch;
  // dy as [B..., I..., outer..., inner...].
  Dims order;
  for (int i = 0; i < batch; ++i) order.push_back(i);
  for (int i = 0; i < index_rank; ++i) order.push_back(axis + i);
  for (int i = batch; i < axis; ++i) order.push_back(i);
  for (int i = axis + index_rank; i < rank - 1 + index_rank; ++i) {
    order.push_back(i);
  }
  const Output moved = op::Transpose(c.grad(), IntVector(b, order));
  // params likewise as [B..., axis, outer..., inner...].
  Dims params_order;
  for (int i = 0; i < batch; ++i) params_order.push_back(i);
  params_order.push_back(axis);
  for (int i = batch; i < rank; ++i) {
    if (i != axis) params_order.push_back(i);
  }
  Dims back(rank);
  for (int i = 0; i < rank; ++i) back[params_order[i]] = i;
  const Output shape =
      op::GatherV2(ShapeOf(params), IntVector(b, params_order), 0);
  const Output extent = op::GatherV2(ShapeOf(params), axis, 0);

  const Output batches =
      op::Prod(Part(ShapeOf(params), 0, batch), Tensor::Vector<int32_t>({0}));
  Output rows = indices;
  Output segments = extent;
  if (batch > 0) {
    const Output per_batch =
        op::Reshape(indices, op::Pack({{batches, b.Const<int32_t>(-1)}}));
    const Output offsets = op::Cast(
        op::ExpandDims(op::Range(0, batches, 1) * extent, 1), indices.dtype());
    rows = per_batch + offsets;
    segments = batches * extent;
  }
  const Output row_shape = op::ConcatV2(
      {{op::ExpandDims(op::Size(indices), 0),
        op::StridedSlice(shape, Tensor::Vector<int32_t>({batch + 1}),
                         Tensor::Vector<int32_t>({0}),
                         Tensor::Vector<int32_t>({1}), {.end_mask = 1})}},
      0);
  const Output sums = op::UnsortedSegmentSum(op::Reshape(moved, row_shape),
                                             Flat(rows), segments);
  c.set(0, op::Transpose(op::Reshape(sums, shape), IntVector(b, back)));
}

void GatherV2Grad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output params = c.input(0);
  const PartialShape shape = params.shape();
  const PartialShape indices = c.input(1).shape();
  int64_t batch = c.attr<int64_t>("batch_dims");
  const std::optional<Dims> axis = ValuesOf(c.input(2));
  if (batch == 0 && axis.has_value() && axis->size() == 1 &&
      axis->front() == 0) {
    return GatherGrad(c);
  }
  if (batch < 0 && indices.rank_known()) batch += indices.rank();
  int64_t at = axis.has_value() && axis->size() == 1 ? axis->front() : -1;
  if (at < 0 && shape.rank_known()) at += shape.rank();
  if (!axis.has_value() || !shape.rank_known() || !indices.rank_known() ||
      batch < 0 || batch > at || at >= shape.rank() || batch > indices.rank()) {
    return c.builder().Fail(
        absl::UnimplementedError(absl::StrCat(
            "node '", c.operation().name(),
            "' (GatherV2): its gradient needs known ranks and axis")),
        SourceLocation{});
  }
  AxisGatherGrad(c, static_cast<int>(at), static_cast<int>(batch));
}

void GatherNdGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output params = c.input(0);
  const Output indices = c.input(1);
  c.set(0, op::ScatterNd(indices, c.grad(), ShapeOf(params, indices.dtype())));
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
  registry.Add("ScatterNd", ScatterNdGrad);
}

}  // namespace leat::gradients::gather
