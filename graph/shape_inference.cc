// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/shape_inference.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

absl::Status RankError(const PartialShape& shape, absl::string_view wanted,
                       int rank) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Shape must be ", wanted, "rank ", rank, " but is rank ", shape.rank()));
}

// Returns a text with the shapes of the first few inputs, such as "input
// shapes: [2,3], [?]".
std::string InputShapes(const std::vector<const InferredOutput*>& inputs) {
  constexpr size_t kShown = 8;
  std::string text = "input shapes: ";
  for (size_t i = 0; i < std::min(inputs.size(), kShown); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "",
                    inputs[i] ? inputs[i]->shape.DebugString() : "<unknown>");
  }
  if (inputs.size() > kShown) text += ", ...";
  return text;
}

// Returns what is known of the shape that a tensor of unknown value describes.
// `values` is the shape of that tensor.
absl::StatusOr<PartialShape> ShapeOfLength(const PartialShape& values) {
  if (!values.rank_known() || values.rank() == 0) return PartialShape();
  if (values.rank() > 1) return RankError(values, "", 1);
  if (!values.dim_known(0)) return PartialShape();
  if (values.dim(0) > Shape::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("a shape has ", values.dim(0),
                     " dimensions, but may have at most ", Shape::kMaxRank));
  }
  return PartialShape::UnknownOfRank(static_cast<int>(values.dim(0)));
}

}  // namespace

bool SameHandle(const InferredOutput& a, const InferredOutput& b) {
  if (a.handle.has_value() != b.handle.has_value()) return false;
  return !a.handle || (a.handle->dtype == b.handle->dtype &&
                       a.handle->shape == b.handle->shape);
}

InferenceContext::InferenceContext(const OpDef& op, const AttrMap& attrs,
                                   std::vector<const InferredOutput*> inputs,
                                   int num_outputs)
    : op_(op),
      attrs_(attrs),
      inputs_(std::move(inputs)),
      outputs_(static_cast<size_t>(std::max(num_outputs, 0))) {}

const InferredOutput& InferenceContext::Input(int i) const {
  static const InferredOutput* const kNothing = new InferredOutput;
  const bool known = i >= 0 && i < num_inputs() && inputs_[i] != nullptr;
  return known ? *inputs_[i] : *kNothing;
}

const PartialShape& InferenceContext::input(int i) const {
  return Input(i).shape;
}

const Tensor* InferenceContext::input_value(int i) const {
  return Input(i).value.get();
}

const HandleShape* InferenceContext::input_handle(int i) const {
  const std::optional<HandleShape>& handle = Input(i).handle;
  return handle.has_value() ? &*handle : nullptr;
}

absl::StatusOr<PartialShape> InferenceContext::InputAsShape(int i) const {
  const InferredOutput& input = Input(i);
  if (input.value == nullptr) {
    if (input.value_as_shape.has_value()) return *input.value_as_shape;
    return ShapeOfLength(input.shape);
  }
  LEAT_ASSIGN_OR_RETURN(const Dims dims,
                        GetIndices(*input.value, "a shape argument"));
  if (input.value->rank() > 0) return PartialShape::Create(dims);
  // By TensorFlow's convention, the scalar -1 stands for an unknown shape.
  if (dims.size() == 1 && dims[0] == -1) return PartialShape();
  return absl::InvalidArgumentError(
      "a shape argument that is a scalar must be -1");
}

absl::StatusOr<PartialShape> InferenceContext::WithRank(int i, int rank) const {
  const PartialShape& shape = input(i);
  if (!shape.rank_known()) return PartialShape::UnknownOfRank(rank);
  if (shape.rank() != rank) return RankError(shape, "", rank);
  return shape;
}

absl::StatusOr<PartialShape> InferenceContext::WithRankAtLeast(int i,
                                                               int rank) const {
  const PartialShape& shape = input(i);
  if (shape.rank_known() && shape.rank() < rank) {
    return RankError(shape, "at least ", rank);
  }
  return shape;
}

void InferenceContext::set_output(int i, PartialShape shape) {
  if (HasOutput(i)) outputs_[i].shape = std::move(shape);
}

void InferenceContext::set_output_handle(int i, HandleShape handle) {
  if (HasOutput(i)) outputs_[i].handle = std::move(handle);
}

void InferenceContext::set_output_value(int i, Tensor value) {
  if (!HasOutput(i) || value.num_elements() > kMaxKnownElements) return;
  outputs_[i].value = std::make_shared<const Tensor>(std::move(value));
}

void InferenceContext::set_output_value_as_shape(int i, PartialShape value) {
  if (HasOutput(i)) outputs_[i].value_as_shape = std::move(value);
}

absl::StatusOr<std::vector<InferredOutput>> InferNode(
    const OpDef& op, absl::string_view node_name, const AttrMap& attrs,
    std::vector<const InferredOutput*> inputs, int num_outputs) {
  if (op.shape_function == nullptr) {
    return std::vector<InferredOutput>(
        static_cast<size_t>(std::max(num_outputs, 0)));
  }
  InferenceContext context(op, attrs, std::move(inputs), num_outputs);
  const absl::Status status = op.shape_function(context);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "node '", node_name, "' (", op.name, "): ", status.message(), "; ",
        InputShapes(context.inputs())));
  }
  return std::move(context.outputs());
}

namespace shapes {

absl::Status Unchanged(InferenceContext& context) {
  context.set_output(0, context.input(0));
  return absl::OkStatus();
}

absl::Status Scalar(InferenceContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, Shape{});
  }
  return absl::OkStatus();
}

absl::Status Unknown(InferenceContext&) { return absl::OkStatus(); }

absl::Status NoOutputs(InferenceContext&) { return absl::OkStatus(); }

absl::Status BroadcastBinary(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      PartialShape shape,
      BroadcastPartialShapes(context.input(0), context.input(1)));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status MergeAll(InferenceContext& context) {
  PartialShape merged;
  for (int i = 0; i < context.num_inputs(); ++i) {
    LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, context.input(i)));
  }
  context.set_output(0, std::move(merged));
  return absl::OkStatus();
}

}  // namespace shapes

absl::StatusOr<PartialShape> BroadcastPartialShapes(const PartialShape& a,
                                                    const PartialShape& b) {
  if (!a.rank_known() || !b.rank_known()) return PartialShape();
  const int rank = std::max(a.rank(), b.rank());
  Dims dims(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {  // counts axes from the right
    const int64_t x = i < a.rank() ? a.dim(a.rank() - 1 - i) : 1;
    const int64_t y = i < b.rank() ? b.dim(b.rank() - 1 - i) : 1;
    int64_t& extent = dims[static_cast<size_t>(rank - 1 - i)];
    if (x == y || y == 1) {
      extent = x;
    } else if (x == 1) {
      extent = y;
    } else if (x == PartialShape::kUnknown || y == PartialShape::kUnknown) {
      // One extent is unknown. The op fails unless this extent is 1 or equal to
      // the other one. So the result is the other extent.
      extent = std::max(x, y);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "Incompatible shapes: ", a.DebugString(), " vs. ", b.DebugString()));
    }
  }
  return PartialShape::Create(dims);
}

}  // namespace leat
