// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/elementwise.h"

#include <algorithm>
#include <atomic>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/broadcast.h"

namespace leat::kernels {
namespace {

// Is the number of elements in one item of ParallelFor. Each thread gets whole
// items, so that its elements fill whole vectors of floats.
constexpr int64_t kBlock = 16;

// Calls `body(begin, end)` on chunks that cover [0, n). If there are few
// elements, they are one chunk on this thread. Otherwise the chunks run in
// parallel.
template <class Body>
void ForElements(KernelContext& context, int64_t n, int64_t cost, Body body) {
  if (n <= 1024) {
    body(int64_t{0}, n);
    return;
  }
  ParallelFor(context.compute_queue(), (n + kBlock - 1) / kBlock, cost,
              [&](int64_t begin, int64_t end) {
                body(begin * kBlock, std::min(end * kBlock, n));
              });
}

// Returns the number of bytes from one element to the next.
int64_t Step(const Tensor& tensor) {
  return tensor.num_elements() == 0
             ? 0
             : tensor.num_bytes() / tensor.num_elements();
}

// Returns true if `scalar` has one element and broadcasting it adds no
// dimension to `shape`.
bool ActsAsScalar(const Tensor& scalar, const Shape& shape) {
  return scalar.num_elements() == 1 && scalar.rank() <= shape.rank();
}

}  // namespace

absl::Status CheckSameShape(const KernelContext& context) {
  const Shape& a = context.input(0).shape();
  const Shape& b = context.input(1).shape();
  if (a == b) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Inputs must have the same shape: ", a.DebugString(),
                   " vs. ", b.DebugString()));
}

absl::Status CheckSameSizeAndShape(const KernelContext& context, int i) {
  const Shape& a = context.input(0).shape();
  const Shape& b = context.input(i).shape();
  if (a == b) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Inputs to operation ", context.node().name, " of type ",
      context.node().op->name, " must have the same size and shape.  Input 0: ",
      a.DebugString(), " != input ", i, ": ", b.DebugString()));
}

absl::Status UnaryKernel::Compute(KernelContext& context) const {
  const Tensor& input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.ForwardOrAllocate({0}, 0, input.shape()));
  const int64_t n = input.num_elements();
  if (n == 0) return absl::OkStatus();
  const char* from = input.raw_data();
  char* to = output->mutable_raw_data();
  const int64_t from_step = Step(input);
  const int64_t to_step = Step(*output);
  ForElements(context, n, cost_, [&](int64_t begin, int64_t end) {
    row_(from + begin * from_step, to + begin * to_step, end - begin);
  });
  return absl::OkStatus();
}

absl::Status BinaryKernel::Result(bool ok) const {
  return ok ? absl::OkStatus() : absl::InvalidArgumentError(failure_);
}

absl::Status BinaryKernel::ComputeContiguous(KernelContext& context,
                                             const Shape& shape, int64_t a_step,
                                             int64_t b_step) const {
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.ForwardOrAllocate({0, 1}, 0, shape));
  const int64_t n = shape.num_elements();
  if (n == 0) return absl::OkStatus();
  const char* a = context.input(0).raw_data();
  const char* b = context.input(1).raw_data();
  char* to = output->mutable_raw_data();
  if (n == 1) return Result(row_(a, 1, b, 1, to, 1));
  const int64_t size = Step(context.input(0));
  const int64_t to_size = Step(*output);
  std::atomic<bool> ok{true};
  ForElements(context, n, cost_, [&](int64_t begin, int64_t end) {
    if (!row_(a + begin * a_step * size, a_step, b + begin * b_step * size,
              b_step, to + begin * to_size, end - begin)) {
      ok = false;
    }
  });
  return Result(ok);
}

absl::Status BinaryKernel::ComputeBroadcast(KernelContext& context) const {
  const Tensor& left = context.input(0);
  const Tensor& right = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan,
                        PlanBroadcast(left.shape(), right.shape()));
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.ForwardOrAllocate({0, 1}, 0, plan.shape));
  if (plan.shape.num_elements() == 0) return absl::OkStatus();
  const char* a = left.raw_data();
  const char* b = right.raw_data();
  char* to = output->mutable_raw_data();
  const int64_t size = Step(left);
  const int64_t to_size = Step(*output);
  const int64_t row_size = plan.row_size();
  const int64_t a_step = plan.strides[0].back();
  const int64_t b_step = plan.strides[1].back();
  std::atomic<bool> ok{true};
  ParallelFor(context.compute_queue(), plan.num_rows(),
              4 + row_size * cost_ / kBlock, [&](int64_t begin, int64_t end) {
                char* row_to = to + begin * row_size * to_size;
                plan.ForEachRow(
                    begin, end, [&](const std::array<int64_t, 2>& from) {
                      if (!row_(a + from[0] * size, a_step, b + from[1] * size,
                                b_step, row_to, row_size)) {
                        ok = false;
                      }
                      row_to += row_size * to_size;
                    });
              });
  return Result(ok);
}

absl::Status BinaryKernel::Compute(KernelContext& context) const {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  if (a.shape() == b.shape()) {
    return ComputeContiguous(context, a.shape(), 1, 1);
  }
  if (shapes_ == Shapes::kEqual) return CheckSameShape(context);
  if (ActsAsScalar(b, a.shape())) {
    return ComputeContiguous(context, a.shape(), 1, 0);
  }
  if (ActsAsScalar(a, b.shape())) {
    return ComputeContiguous(context, b.shape(), 0, 1);
  }
  return ComputeBroadcast(context);
}

}  // namespace leat::kernels
