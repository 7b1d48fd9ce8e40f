// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions help the shape functions in graph/ops/: arithmetic on extents
// that may be unknown (PartialShape::kUnknown), values that are partly known,
// reductions and windows. The functions of this header are thread-safe. Every
// error is INVALID_ARGUMENT.
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

// Merges two descriptions of the same extent: returns the known one of `a` and
// `b`, or kUnknown if neither is known. Fails if both are known and differ:
// "Dimensions must be equal, but are 2 and 3".
absl::StatusOr<int64_t> MergeExtents(int64_t a, int64_t b);

// AddExtents returns the sum of two extents, and MultiplyExtents returns their
// product. The result is unknown if one extent is unknown, except that 0 times
// an unknown extent is 0. Both functions fail on overflow.
absl::StatusOr<int64_t> AddExtents(int64_t a, int64_t b);
absl::StatusOr<int64_t> MultiplyExtents(int64_t a, int64_t b);

// Return the extents [begin, end) of a shape. Without `end`, the range reaches
// to the last axis. Negative bounds count from the end. A shape of unknown rank
// gives an unknown shape. REQUIRES: the bounds are within the rank if it is
// known.
PartialShape Subshape(const PartialShape& shape, int begin);
PartialShape Subshape(const PartialShape& shape, int begin, int end);

// Returns the extents of `a` followed by those of `b`. The result is unknown if
// one of the two has an unknown rank.
absl::StatusOr<PartialShape> ConcatenateShapes(const PartialShape& a,
                                               const PartialShape& b);

// Returns a copy with one extent replaced. REQUIRES: the rank is known, and 0
// <= i < rank.
absl::StatusOr<PartialShape> WithExtent(const PartialShape& shape, int i,
                                        int64_t extent);

// Returns extent i; a negative `i` counts from the end. Returns kUnknown if the
// rank is unknown or `i` is out of range.
int64_t ExtentOf(const PartialShape& shape, int i);

// Returns the product of all extents. If an extent is 0, the product is 0 even
// if another extent is unknown. Otherwise returns kUnknown if an extent or the
// rank is unknown. Fails on overflow.
absl::StatusOr<int64_t> ElementCount(const PartialShape& shape);

// Returns the value of the scalar input i, or nothing if the value is not
// known. Fails if the rank is known and not 0, or if a known value is not of a
// signed integer type.
absl::StatusOr<std::optional<int64_t>> ScalarInput(
    const InferenceContext& context, int i);

// Returns the value of the scalar input i as an extent, or kUnknown if it is
// not known. Fails for a negative value. But if `minus_one_is_unknown` is set,
// the value -1 means kUnknown.
absl::StatusOr<int64_t> ExtentInput(const InferenceContext& context, int i,
                                    bool minus_one_is_unknown = false);

// Returns context.InputAsShape(i). Also fails if the rank of the input is known
// and not 1.
absl::StatusOr<PartialShape> ShapeInput(const InferenceContext& context, int i);

// Describes an integer tensor of rank 0 or 1. Some of its values may be
// unknown.
struct PartialValues {
  bool is_scalar = false;  // the rank is 0, and there is one value
  std::vector<std::optional<int64_t>> values = {};  // nullopt where unknown
};
// Returns what is known of the values of input i. All values in the result may
// be unknown. Returns nothing if the rank of the input is above 1, or if its
// value is known but has no integer type. Also returns nothing if no value is
// known and the length of the input is unknown or above Shape::kMaxRank.
std::optional<PartialValues> PartialInput(const InferenceContext& context,
                                          int i);
// Records `known` for an output of type `dtype`. If all values are known,
// records them as the output's value. Otherwise records the values of a vector
// as a shape, in which an unknown or negative value becomes an unknown extent.
// Records nothing for a scalar of unknown value, or if `dtype` is not int32 or
// int64.
void SetPartialValues(InferenceContext& context, int output, DType dtype,
                      const PartialValues& known);

// Returns the shape of the variable that input `i`, a reference or a resource
// handle, refers to.
PartialShape VariableShapeOf(const InferenceContext& context, int i);

// Gives output 0 the shape with these extents. Fails as PartialShape::Create
// does.
absl::Status SetOutput(absl::Span<const int64_t> extents,
                       InferenceContext& context);

// Returns the extent of the output if `window` slides over an axis of extent
// `input`. Returns kUnknown if `input` is unknown. Fails if the window is not
// valid or does not fit into the axis.
absl::StatusOr<int64_t> WindowedExtent(int64_t input, const Window& window);

namespace shapes {

// Copy everything that is known of an input (shape, handle and value) to the
// output with the same number. PassThrough does this for output 0, and
// PassThroughAll for every output.
absl::Status PassThrough(InferenceContext& context);
absl::Status PassThroughAll(InferenceContext& context);

// The shape function of Sum, Max, All and similar ops: input 0 is reduced over
// the axes in input 1. If attr keep_dims is set, the reduced axes stay with
// extent 1.
absl::Status Reduction(InferenceContext& context);

}  // namespace shapes
}  // namespace leat

#endif  // LEAT_GRAPH_SHAPE_FUNCTIONS_H_
