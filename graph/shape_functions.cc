// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/shape_functions.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;

bool IsIndexType(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64;
}

template <class T>
Tensor IndexTensor(const PartialValues& known) {
  std::vector<T> values;
  values.reserve(known.values.size());
  for (const std::optional<int64_t>& value : known.values) {
    values.push_back(static_cast<T>(*value));
  }
  const Shape shape =
      known.is_scalar ? Shape{} : Shape{static_cast<int64_t>(values.size())};
  return Tensor::FromSpan<T>(shape, values);
}

absl::StatusOr<int64_t> IntegerScalar(const Tensor& tensor) {
  if (tensor.num_elements() == 1) {
    switch (tensor.dtype()) {
      case DType::kInt8:
        return tensor.scalar<int8_t>();
      case DType::kInt16:
        return tensor.scalar<int16_t>();
      case DType::kInt32:
        return tensor.scalar<int32_t>();
      case DType::kInt64:
        return tensor.scalar<int64_t>();
      default:
        break;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "an input must be an integer scalar, but is ", tensor.DebugString()));
}

// Returns one flag per axis of a shape of rank `rank`. A flag is true if `axes`
// names the axis.
absl::StatusOr<std::vector<bool>> ReducedAxes(const Tensor& axes, int rank) {
  LEAT_ASSIGN_OR_RETURN(const Dims values,
                        GetIndices(axes, "reduction_indices"));
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (const int64_t value : values) {
    if (value < -rank || value >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid reduction dimension ", value,
                       " for input with ", rank, " dimensions."));
    }
    reduced[static_cast<size_t>(value < 0 ? value + rank : value)] = true;
  }
  return reduced;
}

}  // namespace

absl::StatusOr<int64_t> MergeExtents(int64_t a, int64_t b) {
  if (a == kUnknown) return b;
  if (b == kUnknown || a == b) return a;
  return absl::InvalidArgumentError(
      absl::StrCat("Dimensions must be equal, but are ", a, " and ", b));
}

absl::StatusOr<int64_t> AddExtents(int64_t a, int64_t b) {
  if (a == kUnknown || b == kUnknown) return kUnknown;
  return CheckedAdd(a, b);
}

absl::StatusOr<int64_t> MultiplyExtents(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a == kUnknown || b == kUnknown) return kUnknown;
  return CheckedMultiply(a, b);
}

PartialShape Subshape(const PartialShape& shape, int begin) {
  return shape.rank_known() ? Subshape(shape, begin, shape.rank())
                            : PartialShape();
}

PartialShape Subshape(const PartialShape& shape, int begin, int end) {
  if (!shape.rank_known()) return PartialShape();
  const int rank = shape.rank();
  if (begin < 0) begin += rank;
  if (end < 0) end += rank;
  LEAT_CHECK(0 <= begin && begin <= end && end <= rank);
  const absl::StatusOr<PartialShape> part =
      PartialShape::Create(shape.dims().subspan(
          static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  LEAT_CHECK(part.ok());  // A part of a valid shape is valid.
  return *part;
}

absl::StatusOr<PartialShape> ConcatenateShapes(const PartialShape& a,
                                               const PartialShape& b) {
  if (!a.rank_known() || !b.rank_known()) return PartialShape();
  Dims dims(a.dims().begin(), a.dims().end());
  dims.insert(dims.end(), b.dims().begin(), b.dims().end());
  return PartialShape::Create(dims);
}

absl::StatusOr<PartialShape> WithExtent(const PartialShape& shape, int i,
                                        int64_t extent) {
  LEAT_CHECK(shape.rank_known() && 0 <= i && i < shape.rank());
  Dims dims(shape.dims().begin(), shape.dims().end());
  dims[static_cast<size_t>(i)] = extent;
  return PartialShape::Create(dims);
}

int64_t ExtentOf(const PartialShape& shape, int i) {
  if (!shape.rank_known()) return kUnknown;
  if (i < 0) i += shape.rank();
  return i >= 0 && i < shape.rank() ? shape.dim(i) : kUnknown;
}

absl::StatusOr<int64_t> ElementCount(const PartialShape& shape) {
  if (!shape.rank_known()) return kUnknown;
  bool known = true;
  int64_t count = 1;  // the product of the known extents
  for (const int64_t extent : shape.dims()) {
    if (extent == 0) return 0;
    if (extent == kUnknown) {
      known = false;
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(count, MultiplyExtents(count, extent));
  }
  return known ? count : kUnknown;
}

absl::StatusOr<std::optional<int64_t>> ScalarInput(
    const InferenceContext& context, int i) {
  LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
  const Tensor* value = context.input_value(i);
  if (value == nullptr) return std::optional<int64_t>();
  LEAT_ASSIGN_OR_RETURN(const int64_t scalar, IntegerScalar(*value));
  return std::optional<int64_t>(scalar);
}

absl::StatusOr<int64_t> ExtentInput(const InferenceContext& context, int i,
                                    bool minus_one_is_unknown) {
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> value,
                        ScalarInput(context, i));
  if (!value.has_value()) return kUnknown;
  if (*value >= 0) return *value;
  if (*value == -1 && minus_one_is_unknown) return kUnknown;
  return absl::InvalidArgumentError(
      absl::StrCat("Dimension size, given by scalar input ", i,
                   ", must be non-negative but is ", *value));
}

absl::StatusOr<PartialShape> ShapeInput(const InferenceContext& context,
                                        int i) {
  LEAT_RETURN_IF_ERROR(context.WithRank(i, 1).status());
  return context.InputAsShape(i);
}

std::optional<PartialValues> PartialInput(const InferenceContext& context,
                                          int i) {
  if (i < 0 || i >= context.num_inputs()) return std::nullopt;
  const InferredOutput* input = context.inputs()[static_cast<size_t>(i)];
  if (input == nullptr) return std::nullopt;
  PartialValues known;
  if (input->value != nullptr) {
    const absl::StatusOr<Dims> values = GetIndices(*input->value, "");
    if (!values.ok()) return std::nullopt;
    known.is_scalar = input->value->rank() == 0;
    known.values.assign(values->begin(), values->end());
    return known;
  }
  const PartialShape& shape = input->shape;
  if (input->value_as_shape.has_value() &&
      input->value_as_shape->rank_known()) {
    for (const int64_t extent : input->value_as_shape->dims()) {
      known.values.push_back(
          extent == kUnknown ? std::nullopt : std::optional<int64_t>(extent));
    }
    return known;
  }
  if (!shape.rank_known() || shape.rank() > 1) return std::nullopt;
  known.is_scalar = shape.rank() == 0;
  const int64_t length = known.is_scalar ? 1 : shape.dim(0);
  if (length == kUnknown || length > Shape::kMaxRank) return std::nullopt;
  known.values.resize(static_cast<size_t>(length));
  return known;
}

void SetPartialValues(InferenceContext& context, int output, DType dtype,
                      const PartialValues& known) {
  if (!IsIndexType(dtype)) return;
  const auto is_known = [&](const std::optional<int64_t>& value) {
    return value.has_value() &&
           (dtype == DType::kInt64 ||
            (*value >= std::numeric_limits<int32_t>::min() &&
             *value <= std::numeric_limits<int32_t>::max()));
  };
  if (known.values.size() <= static_cast<size_t>(kMaxKnownElements) &&
      std::all_of(known.values.begin(), known.values.end(), is_known)) {
    context.set_output_value(output, dtype == DType::kInt32
                                         ? IndexTensor<int32_t>(known)
                                         : IndexTensor<int64_t>(known));
    return;
  }
  if (known.is_scalar) return;
  Dims dims;
  for (const std::optional<int64_t>& value : known.values) {
    dims.push_back(is_known(value) && *value >= 0 ? *value : kUnknown);
  }
  absl::StatusOr<PartialShape> shape = PartialShape::Create(dims);
  if (!shape.ok()) return;  // The values cannot be used as a shape.
  context.set_output_value_as_shape(output, *std::move(shape));
}

absl::StatusOr<int64_t> WindowedExtent(int64_t input, const Window& window) {
  const bool known = input != kUnknown;
  Window checked = window;
  // Checks the window even if the extent is unknown. The check then uses extent
  // 0 and padding kSame, because every valid window fits with kSame.
  if (!known) checked.padding = Padding::kSame;
  LEAT_ASSIGN_OR_RETURN(const WindowPositions positions,
                        PlaceWindow(known ? input : 0, checked));
  if (!known) return kUnknown;
  // A kernel gives an empty output for an input that is a little too small. But
  // shape inference fails if it already sees that the input is too small, as in
  // TensorFlow. The sums below do not overflow, because PlaceWindow has
  // computed the same sums and checked for overflow.
  const int64_t padded = input + positions.before + positions.after;
  const int64_t span = (window.size - 1) * window.dilation + 1;
  if (window.padding != Padding::kSame && padded < span) {
    return absl::InvalidArgumentError(
        absl::StrCat("Negative dimension size caused by subtracting ", span,
                     " from ", padded));
  }
  return positions.count;
}

PartialShape VariableShapeOf(const InferenceContext& context, int i) {
  if (context.op().inputs[static_cast<size_t>(i)].is_ref) {
    return context.input(i);
  }
  const HandleShape* handle = context.input_handle(i);
  return handle == nullptr ? PartialShape() : handle->shape;
}

absl::Status SetOutput(absl::Span<const int64_t> extents,
                       InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Create(extents));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

namespace shapes {

absl::Status PassThrough(InferenceContext& context) {
  if (context.num_inputs() > 0 && context.inputs()[0] != nullptr &&
      context.num_outputs() > 0) {
    context.outputs()[0] = *context.inputs()[0];
  }
  return absl::OkStatus();
}

absl::Status PassThroughAll(InferenceContext& context) {
  const int count = std::min(context.num_inputs(), context.num_outputs());
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const InferredOutput* input = context.inputs()[i];
    if (input != nullptr) context.outputs()[i] = *input;
  }
  return absl::OkStatus();
}

absl::Status Reduction(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const bool keep_dims, context.Attr<bool>("keep_dims"));
  const PartialShape& input = context.input(0);
  const PartialShape& axes_shape = context.input(1);
  if (axes_shape.rank_known() && axes_shape.rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("reduction_indices must be a scalar or a vector, got ",
                     axes_shape.DebugString()));
  }
  const Tensor* axes = context.input_value(1);
  if (!input.rank_known() || axes == nullptr) {
    if (keep_dims && input.rank_known()) {
      context.set_output(0, PartialShape::UnknownOfRank(input.rank()));
    }
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const std::vector<bool> reduced,
                        ReducedAxes(*axes, input.rank()));
  Dims dims;
  for (int i = 0; i < input.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) {
      dims.push_back(input.dim(i));
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  return SetOutput(dims, context);
}

}  // namespace shapes
}  // namespace leat
