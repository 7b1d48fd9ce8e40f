// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/index.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/graph/builder/builder.h"

namespace leat {
namespace {

// A mask of StridedSlice has a bit for each item, and TensorFlow's masks have
// 32 bits.
constexpr size_t kMaxItems = 32;

// Holds the inputs and attrs of a StridedSlice.
struct SliceArguments {
  std::vector<Operand> begin;
  std::vector<Operand> end;
  std::vector<Operand> strides;
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;

  void Append(const Index& index);
};

// StridedSlice takes an end for each item, but ignores the end of a single
// index.
void SliceArguments::Append(const Index& index) {
  const int64_t bit = int64_t{1} << begin.size();
  const bool is_range =
      !index.is_single() && !index.is_ellipsis() && !index.is_new_axis();
  if (is_range && !index.begin().has_value()) begin_mask |= bit;
  if (is_range && !index.end().has_value()) end_mask |= bit;
  if (index.is_ellipsis()) ellipsis_mask |= bit;
  if (index.is_new_axis()) new_axis_mask |= bit;
  if (index.is_single()) shrink_axis_mask |= bit;
  const Operand first = index.begin().value_or(Operand(0));
  begin.push_back(first);
  end.push_back(index.is_single() ? first : index.end().value_or(Operand(0)));
  strides.push_back(index.stride());
}

// Checks that each Output in `items` may be a scalar and has type int16, int32
// or int64. `items` are the begins, the ends or the strides of the slice.
absl::Status CheckItems(const std::vector<Operand>& items,
                        absl::string_view what) {
  for (size_t i = 0; i < items.size(); ++i) {
    const Output& output = items[i].output();
    if (!output.IsValid()) continue;
    const bool is_index = output.dtype() == DType::kInt16 ||
                          output.dtype() == DType::kInt32 ||
                          output.dtype() == DType::kInt64;
    const bool may_be_scalar =
        !output.shape().rank_known() || output.shape().rank() == 0;
    if (items[i].is_output() && is_index && may_be_scalar) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Slice: the ", what, " of item ", i, ", '", output.name(), "', is of ",
        "type ", Name(output.dtype()), output.shape().DebugString(),
        ", but must be an int16, int32 or int64 scalar"));
  }
  return absl::OkStatus();
}

absl::Status CheckArguments(const SliceArguments& arguments) {
  for (const auto& [items, what] :
       {std::pair(&arguments.begin, "begin"), std::pair(&arguments.end, "end"),
        std::pair(&arguments.strides, "stride")}) {
    absl::Status status = CheckItems(*items, what);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

Output Output::Slice(std::initializer_list<Index> indices,
                     SourceLocation location) const {
  SliceArguments arguments;
  absl::Status status;
  if (indices.size() > kMaxItems) {
    status = absl::InvalidArgumentError(absl::StrCat(
        "Slice: takes at most ", kMaxItems, " items, not ", indices.size()));
  } else {
    for (const Index& index : indices) arguments.Append(index);
    status = CheckArguments(arguments);
  }
  if (!status.ok()) {
    if (builder() != nullptr) builder()->Fail(status, location);
    return Output(Operation(builder(), kNoNode), 0);
  }
  return AddOp({.op = "StridedSlice",
                .inputs = {*this, Operand(std::move(arguments.begin)),
                           Operand(std::move(arguments.end)),
                           Operand(std::move(arguments.strides))},
                .attrs = {{"begin_mask", arguments.begin_mask},
                          {"end_mask", arguments.end_mask},
                          {"ellipsis_mask", arguments.ellipsis_mask},
                          {"new_axis_mask", arguments.new_axis_mask},
                          {"shrink_axis_mask", arguments.shrink_axis_mask}},
                .name = "strided_slice",
                .location = location})
      .output(0);
}

Index All(Operand stride) {
  Index index;
  index.stride_ = std::move(stride);
  return index;
}

Index Range(Operand begin, Operand end, Operand stride) {
  Index index;
  index.begin_ = std::move(begin);
  index.end_ = std::move(end);
  index.stride_ = std::move(stride);
  return index;
}

Index From(Operand begin, Operand stride) {
  Index index;
  index.begin_ = std::move(begin);
  index.stride_ = std::move(stride);
  return index;
}

Index Until(Operand end, Operand stride) {
  Index index;
  index.end_ = std::move(end);
  index.stride_ = std::move(stride);
  return index;
}

Index Ellipsis() {
  Index index;
  index.is_ellipsis_ = true;
  return index;
}

Index NewAxis() {
  Index index;
  index.is_new_axis_ = true;
  return index;
}

}  // namespace leat
