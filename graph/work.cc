// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/work.h"

#include <algorithm>
#include <string>

#include "leat/core/dtype_list.h"

namespace leat {
namespace {

// Bounds each number of a Work, so that sums over all nodes of the largest
// graph stay finite.
constexpr double kMaxWork = 1e30;

double Bounded(double amount) {
  // The comparison is false for a NaN, which becomes 0.
  return amount > 0 ? std::min(amount, kMaxWork) : 0;
}

const TensorSpec& At(absl::Span<const TensorSpec> tensors, int i) {
  static const auto* const kNone = new TensorSpec();
  return i >= 0 && static_cast<size_t>(i) < tensors.size() ? tensors[i]
                                                           : *kNone;
}

double Extent(const Shape& shape, int axis) {
  if (axis < 0) axis += shape.rank();
  if (axis < 0 || axis >= shape.rank()) return 1;
  return static_cast<double>(shape.dim(axis));
}

// Returns the bytes of an element, or of the object that stands for it.
double ElementBytes(DType dtype) {
  const size_t plain = SizeOf(dtype);
  return static_cast<double>(plain != 0 ? plain : sizeof(std::string));
}

}  // namespace

double TensorSpec::num_bytes() const {
  return num_elements() * ElementBytes(dtype);
}

double FlopsOf(const TensorSpec& tensor) {
  return tensor.num_elements() * (kComplexes.Contains(tensor.dtype) ? 4 : 1);
}

const TensorSpec& WorkContext::input(int i) const { return At(inputs_, i); }

const TensorSpec& WorkContext::output(int i) const { return At(outputs_, i); }

const TensorSpec& WorkContext::variable(int i) const {
  return input(i).dtype == DType::kResource ? At(handles_, i) : input(i);
}

double WorkContext::InputExtent(int i, int axis) const {
  return Extent(input(i).shape, axis);
}

double WorkContext::OutputExtent(int i, int axis) const {
  return Extent(output(i).shape, axis);
}

bool WorkContext::Flag(absl::string_view attr) const {
  return attrs_.Get<bool>(attr).value_or(false);
}

Work ElementWiseWork(const WorkContext& context) {
  Work work;
  for (const TensorSpec& input : context.inputs()) {
    work.bytes_read += input.num_bytes();
    work.flops = std::max(work.flops, FlopsOf(input));
  }
  for (const TensorSpec& output : context.outputs()) {
    work.bytes_written += output.num_bytes();
    work.flops = std::max(work.flops, FlopsOf(output));
  }
  return work;
}

Work WorkOf(const WorkContext& context) {
  const WorkFunction function = context.op().work_function;
  Work work =
      function == nullptr ? ElementWiseWork(context) : function(context);
  work.flops = Bounded(work.flops);
  work.bytes_read = Bounded(work.bytes_read);
  work.bytes_written = Bounded(work.bytes_written);
  work.scratch_bytes = Bounded(work.scratch_bytes);
  return work;
}

}  // namespace leat
