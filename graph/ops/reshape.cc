// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Reshape, Squeeze and ExpandDims, which give the same elements another
// shape.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::reshape {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;

// Describes the number of elements of a shape. `known` is the product of the
// known extents. `unknown_axis` is the axis of the unknown extent if there is
// exactly one.
struct Elements {
  int64_t known = 1;
  int unknown_axis = -1;
  int num_unknown = 0;
};

absl::StatusOr<Elements> CountElements(const PartialShape& shape) {
  Elements result;
  LEAT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(shape));
  if (count != kUnknown) {
    result.known = count;
    return result;
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim_known(i)) {
      LEAT_ASSIGN_OR_RETURN(result.known,
                            MultiplyExtents(result.known, shape.dim(i)));
    } else {
      ++result.num_unknown;
      result.unknown_axis = i;
    }
  }
  return result;
}

absl::Status CannotReshape(const PartialShape& from, const PartialShape& to) {
  return absl::InvalidArgumentError(
      absl::StrCat("Cannot reshape a tensor of shape ", from.DebugString(),
                   " to shape ", to.DebugString()));
}

// Returns `out`, the requested shape. Replaces an unknown extent if the input's
// shape, `in`, determines it. Returns INVALID_ARGUMENT if the numbers of
// elements cannot be equal.
absl::StatusOr<PartialShape> InferReshape(const PartialShape& in,
                                          const PartialShape& out) {
  if (!out.rank_known() || !in.rank_known()) return out;
  LEAT_ASSIGN_OR_RETURN(const Elements from, CountElements(in));
  LEAT_ASSIGN_OR_RETURN(const Elements to, CountElements(out));
  if (from.num_unknown > 1 || to.num_unknown > 1) return out;
  if (from.num_unknown == 0 && to.num_unknown == 0) {
    if (from.known != to.known) return CannotReshape(in, out);
    return out;
  }
  if (from.num_unknown == 0) {
    if (to.known == 0) return out;
    if (from.known % to.known != 0) return CannotReshape(in, out);
    return WithExtent(out, to.unknown_axis, from.known / to.known);
  }
  if (to.num_unknown == 0) {
    if (from.known != 0 && to.known % from.known != 0) {
      return CannotReshape(in, out);
    }
    return out;
  }
  return out;  // both sides have one unknown extent
}

// Sets the output's shape. If the input is a constant and the shape is known,
// the output is a constant, too.
absl::Status SetReshaped(InferenceContext& context, PartialShape shape) {
  const Tensor* value = context.input_value(0);
  if (value != nullptr && shape.IsFullyKnown()) {
    LEAT_ASSIGN_OR_RETURN(const Shape known, shape.ToShape());
    LEAT_ASSIGN_OR_RETURN(Tensor reshaped, value->Reshaped(known));
    context.set_output_value(0, std::move(reshaped));
  }
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status ReshapeShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape wanted, ShapeInput(context, 1));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        InferReshape(context.input(0), wanted));
  return SetReshaped(context, std::move(shape));
}

absl::Status SqueezeShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<int64_t> squeezed,
                        context.Attr<std::vector<int64_t>>("squeeze_dims"));
  const PartialShape& input = context.input(0);
  if (!input.rank_known()) return absl::OkStatus();
  std::vector<bool> squeeze(static_cast<size_t>(input.rank()),
                            squeezed.empty());
  for (const int64_t dim : squeezed) {
    LEAT_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(dim, input.rank()));
    squeeze[static_cast<size_t>(axis)] = true;
  }
  Dims dims;
  for (int i = 0; i < input.rank(); ++i) {
    const int64_t extent = input.dim(i);
    if (!squeeze[static_cast<size_t>(i)]) {
      dims.push_back(extent);
    } else if (squeezed.empty()) {
      if (extent == kUnknown) return absl::OkStatus();
      if (extent != 1) dims.push_back(extent);
    } else if (extent != 1 && extent != kUnknown) {
      return absl::InvalidArgumentError(
          absl::StrCat("Can not squeeze dim[", i,
                       "], expected a dimension of 1, got ", extent));
    }
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Create(dims));
  return SetReshaped(context, std::move(shape));
}

absl::Status ExpandDimsShape(InferenceContext& context) {
  const Tensor* dim = context.input_value(1);
  if (dim == nullptr) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(*dim, "dim"));
  if (values.size() != 1) {
    return absl::InvalidArgumentError(
        "'dim' input must be a tensor with a single value");
  }
  const PartialShape& input = context.input(0);
  if (!input.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis(values[0], input.rank() + 1));
  Dims dims(input.dims().begin(), input.dims().end());
  dims.insert(dims.begin() + axis, 1);
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Create(dims));
  return SetReshaped(context, std::move(shape));
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Reshape",
                .doc = "Gives the elements of a tensor another shape.",
                .inputs = {"tensor: T", "shape: Tshape"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "Tshape: {int32, int64} = int32"},
                .shape = ReshapeShape,
                .work = works::Nothing},
               {OnCpu(), InHostMemory(RoutesOnGpu(), {"shape"})});

  registry.Add(
      {.name = "Squeeze",
       .doc = "Removes the axes whose extent is 1, or those of squeeze_dims.",
       .inputs = {"input: T"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "squeeze_dims: list(int) >= 0 = []"},
       .shape = SqueezeShape,
       .work = works::Nothing},
      {OnCpu(), RoutesOnGpu()});

  registry.Add({.name = "ExpandDims",
                .doc = "Inserts an axis of extent 1 at a given position.",
                .inputs = {"input: T", "dim: Tdim"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "Tdim: {int32, int64} = int32"},
                .shape = ExpandDimsShape,
                .work = works::Nothing},
               {OnCpu(), InHostMemory(RoutesOnGpu(), {"dim"})});
}

}  // namespace leat::ops::reshape
