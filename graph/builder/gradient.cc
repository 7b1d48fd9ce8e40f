// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/gradient.h"

#include "leat/graph/builder/builder.h"

namespace leat {

Output Gradient::AsDense() const {
  if (!slices_.has_value()) return dense_;
  const IndexedSlices& slices = *slices_;
  const PartialShape values = slices.values.shape();
  const InferredOutput* shape = slices.dense_shape.builder() == nullptr
                                    ? nullptr
                                    : slices.dense_shape.builder()->inferred(
                                          slices.dense_shape.endpoint());
  Operand rows = slices.dense_shape;
  if (shape != nullptr && shape->value_as_shape.has_value() &&
      shape->value_as_shape->rank() > 0 &&
      shape->value_as_shape->dim_known(0)) {
    rows = Operand(Tensor::Scalar<int32_t>(
        static_cast<int32_t>(shape->value_as_shape->dim(0))));
  } else {
    rows = AddOp({.op = "StridedSlice",
                  .inputs = {slices.dense_shape,
                             Operand(Tensor::Vector<int32_t>({0})),
                             Operand(Tensor::Vector<int32_t>({1})),
                             Operand(Tensor::Vector<int32_t>({1}))},
                  .attrs = {{"shrink_axis_mask", int64_t{1}}}})
               .output(0);
  }
  return AddOp({.op = "UnsortedSegmentSum",
                .inputs = {slices.values, slices.indices, rows}})
      .output(0);
}

}  // namespace leat
