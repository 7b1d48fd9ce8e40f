// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ReduceJoin, which joins strings along axes. The order
// of the axes decides in which order the strings are joined: the first axis
// varies fastest.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::reduce_join {
namespace {

// Says which axes of the input are joined, and which ones stay.
struct Axes {
  std::vector<int> joined = {};  // the one that varies fastest comes last
  std::vector<int> kept = {};
};

absl::StatusOr<Axes> ReadAxes(const Tensor& indices, int rank) {
  Axes axes;
  std::vector<bool> is_joined(static_cast<size_t>(rank));
  for (const int32_t index : indices.data<int32_t>()) {
    if (index < -rank || index >= rank) {
      return absl::OutOfRangeError(absl::StrCat("Invalid reduction dimension ",
                                                index, " for input with ", rank,
                                                " dimension(s)"));
    }
    const int axis = index < 0 ? index + rank : index;
    if (is_joined[axis]) {
      return absl::InvalidArgumentError(
          absl::StrCat("Duplicate reduction dimension ", index));
    }
    is_joined[axis] = true;
    axes.joined.push_back(axis);
  }
  std::reverse(axes.joined.begin(), axes.joined.end());
  for (int axis = 0; axis < rank; ++axis) {
    if (!is_joined[axis]) axes.kept.push_back(axis);
  }
  return axes;
}

// Returns the positions of the elements along some axes of a tensor. Some of
// the extents of a valid shape are a valid shape, too.
BroadcastPlan<1> PlanAlong(const std::vector<int>& axes, const Shape& shape) {
  const Dims all = shape.Strides();
  Dims dims;
  Dims strides;
  for (const int axis : axes) {
    dims.push_back(shape.dim(axis));
    strides.push_back(all[axis]);
  }
  return PlanStrided(Shape::Create(dims).value(), strides);
}

// Calls `visit` with each position of the plan, in order.
template <class Visit>
void ForEachPosition(const BroadcastPlan<1>& plan, Visit visit) {
  if (plan.shape.num_elements() == 0) return;
  plan.ForEachRow(0, plan.num_rows(), [&](const auto& offsets) {
    for (int64_t i = 0; i < plan.row_size(); ++i) {
      visit(offsets[0] + i * plan.strides[0].back());
    }
  });
}

class ReduceJoin final : public Kernel {
 public:
  ReduceJoin(bool keep_dims, std::string separator)
      : keep_dims_(keep_dims), separator_(std::move(separator)) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Axes axes,
                          ReadAxes(context.input(1), input.rank()));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, OutputShape(axes, input.shape()));
    const int64_t text_bytes = SaturatingAdd(
        TextBytes(input.data<std::string>()),
        SaturatingMultiply(input.num_elements(),
                           static_cast<int64_t>(separator_.size())));
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(
            0, shape, MostHeldBytes(shape.num_elements(), text_bytes)));
    if (input.num_elements() == 0) return absl::OkStatus();
    Join(input, axes, output->mutable_data<std::string>());
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Shape> OutputShape(const Axes& axes,
                                    const Shape& input) const {
    Dims dims(input.dims().begin(), input.dims().end());
    for (const int axis : axes.joined) dims[axis] = 1;
    if (keep_dims_) return Shape::Create(dims);
    Dims kept;
    for (const int axis : axes.kept) kept.push_back(dims[axis]);
    return Shape::Create(kept);
  }

  void Join(const Tensor& input, const Axes& axes,
            absl::Span<std::string> to) const {
    const auto from = input.data<std::string>();
    const BroadcastPlan<1> joined = PlanAlong(axes.joined, input.shape());
    std::string* result = to.data();
    ForEachPosition(PlanAlong(axes.kept, input.shape()), [&](int64_t first) {
      // The string gets its final size at once, because a string that grows may
      // take up to twice as much memory.
      size_t size = 0;
      ForEachPosition(joined, [&](int64_t offset) {
        size += from[first + offset].size() + separator_.size();
      });
      result->reserve(size);
      bool is_first = true;
      ForEachPosition(joined, [&](int64_t offset) {
        if (!is_first) result->append(separator_);
        is_first = false;
        result->append(from[first + offset]);
      });
      ++result;
    });
  }

  const bool keep_dims_;
  const std::string separator_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeReduceJoin(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool keep_dims,
                        node.attrs.Get<bool>("keep_dims"));
  LEAT_ASSIGN_OR_RETURN(std::string separator,
                        node.attrs.Get<std::string>("separator"));
  return std::unique_ptr<Kernel>(
      std::make_unique<ReduceJoin>(keep_dims, std::move(separator)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ReduceJoin", kCpu, &MakeReduceJoin);
}

}  // namespace leat::kernels::any::reduce_join
