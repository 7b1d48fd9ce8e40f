// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the shape functions of several op files share: arithmetic on extents
// that may be unknown (PartialShape::kUnknown), values that are partly known,
// reductions and windows. Thread-safe; every error is INVALID_ARGUMENT.
#ifndef LEAT_GRAPH_SHAPE_FUNCTIONS_H_
#define LEAT_GRAPH_SHAPE_FUNCTIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/partial_shape.h"
#include "leat/core/window.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// The extent that both describe. "Dimensions must be equal, but are 2 and 3".
absl::StatusOr<int64_t> MergeExtents(int64_t a, int64_t b);

// Sum and product; unknown if an argument is (0 times unknown is 0).
absl::StatusOr<int64_t> AddExtents(int64_t a, int64_t b);
absl::StatusOr<int64_t> MultiplyExtents(int64_t a, int64_t b);

// Extents [begin, end) of a shape; negative bounds count from the end and an
// unknown rank gives an unknown shape. REQUIRES: within the rank if it is
// known.
PartialShape Subshape(const PartialShape& shape, int begin);
PartialShape Subshape(const PartialShape& shape, int begin, int end);

// The extents of `a`, then those of `b`; unknown if one has unknown rank.
absl::StatusOr<PartialShape> ConcatenateShapes(const PartialShape& a,
                                               const PartialShape& b);

// A copy with one extent replaced. REQUIRES: known rank, 0 <= i < rank.
absl::StatusOr<PartialShape> WithExtent(const PartialShape& shape, int i,
                                        int64_t extent);

// Extent i, kUnknown when the rank is unknown; negative i counts from the end.
int64_t ExtentOf(const PartialShape& shape, int i);

// The product of all extents: 0 if one is, else kUnknown if one is.
absl::StatusOr<int64_t> ElementCount(const PartialShape& shape);

// The value of a scalar input of an integer type, nothing while it is unknown.
absl::StatusOr<std::optional<int64_t>> ScalarInput(
    const InferenceContext& context, int i);

// The same for an extent: kUnknown while unknown, an error below 0 (-1 is an
// unknown extent where `minus_one_is_unknown`).
absl::StatusOr<int64_t> ExtentInput(const InferenceContext& context, int i,
                                    bool minus_one_is_unknown = false);

// InputAsShape for ops that refuse a scalar.
absl::StatusOr<PartialShape> ShapeInput(const InferenceContext& context, int i);

// An integer tensor of rank 0 or 1 of which some values may be known.
struct PartialValues {
  bool is_scalar = false;
  std::vector<std::optional<int64_t>> values = {};
};
// Nothing when the input is of another type, or not even its length is known.
std::optional<PartialValues> PartialInput(const InferenceContext& context,
                                          int i);
// Records what is known of an output of type `dtype` (int32 or int64, else
// nothing is recorded): a constant, or a shape with unknown extents.
void SetPartialValues(InferenceContext& context, int output, DType dtype,
                      const PartialValues& known);

// The extent of the output of a window over an extent that may be unknown.
absl::StatusOr<int64_t> WindowedExtent(int64_t input, const Window& window);

namespace shapes {

// Output 0 is input 0: shape, handle and known value. With PassThroughAll every
// output is the input of its number.
absl::Status PassThrough(InferenceContext& context);
absl::Status PassThroughAll(InferenceContext& context);

// Sum, Max, All, ...: input 1 has the axes, attr keep_dims.
absl::Status Reduction(InferenceContext& context);

}  // namespace shapes
}  // namespace leat

#endif  // LEAT_GRAPH_SHAPE_FUNCTIONS_H_
