// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of For, which calls a function once for each number of a
// range.
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/function_call.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::for_loop {
namespace {

// Describes the numbers start, start + delta and so on, up to but without
// `limit`. The members have 64 bits, so that no sum overflows.
struct Range {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t delta = 0;

  bool IsPast(int64_t i) const {
    return i == limit || (delta > 0 ? i > limit : i < limit);
  }
};

absl::StatusOr<int64_t> GetScalar(const KernelContext& context, int input,
                                  absl::string_view name) {
  const Tensor& tensor = context.input(input);
  if (tensor.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " must be a scalar, but ", tensor.shape().DebugString()));
  }
  return tensor.scalar<int32_t>();
}

absl::StatusOr<Range> GetRange(const KernelContext& context) {
  Range range;
  LEAT_ASSIGN_OR_RETURN(range.start, GetScalar(context, 0, "start"));
  LEAT_ASSIGN_OR_RETURN(range.limit, GetScalar(context, 1, "limit"));
  LEAT_ASSIGN_OR_RETURN(range.delta, GetScalar(context, 2, "delta"));
  if (range.start != range.limit &&
      (range.delta == 0 || (range.delta > 0) != (range.limit > range.start))) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid start/limit/delta: ", range.start, " ",
                     range.limit, " ", range.delta));
  }
  return range;
}

// A Loop is one run of a For. The callbacks of its calls share its ownership.
class Loop : public std::enable_shared_from_this<Loop> {
 public:
  Loop(const FunctionRef& body, const Range& range, KernelContext& context,
       AsyncKernel::Done done)
      : body_(body),
        range_(range),
        context_(context),
        done_(std::move(done)),
        next_(range.start) {
    for (int i = 3; i < context.num_inputs(); ++i) {
      values_.push_back(context.input(i));
    }
  }

  // Calls the body again and again. Returns when the loop has ended or waits
  // for a call. Calls that complete at once need no stack, however many they
  // are.
  void Run() {
    do {
      if (!status_.ok() || range_.IsPast(next_)) return End();
      one_has_come_.store(false, std::memory_order_relaxed);
      CallBody();
    } while (one_has_come_.exchange(true, std::memory_order_acq_rel));
  }

 private:
  void CallBody() {
    std::vector<Tensor> args = {
        Tensor::Scalar<int32_t>(static_cast<int32_t>(next_))};
    for (Tensor& value : values_) args.push_back(std::move(value));
    next_ += range_.delta;
    const absl::Span<const DType> types = context_.node().output_types;
    CallFunction({.function = body_,
                  .device = context_.step().device->name(),
                  .args = std::move(args),
                  .return_types = types},
                 context_,
                 [self = shared_from_this()](CallableFunction::Results values) {
                   self->Take(std::move(values));
                 });
  }

  void Take(CallableFunction::Results values) {
    if (values.ok()) {
      values_ = *std::move(values);
    } else {
      status_ = values.status();
    }
    // The second of two events continues the loop. The events are this one and
    // the return of CallBody. This thread may be one that must not compute.
    if (one_has_come_.exchange(true, std::memory_order_acq_rel)) {
      context_.compute_queue().Add(
          [self = shared_from_this()] { self->Run(); });
    }
  }

  void End() {
    for (size_t i = 0; status_.ok() && i < values_.size(); ++i) {
      context_.set_output(static_cast<int>(i), std::move(values_[i]));
    }
    std::move(done_)(status_);
  }

  const FunctionRef& body_;
  const Range range_;
  KernelContext& context_;
  AsyncKernel::Done done_;
  int64_t next_;
  std::vector<Tensor> values_;
  absl::Status status_;
  std::atomic<bool> one_has_come_{false};
};

class For final : public AsyncKernel {
 public:
  explicit For(FunctionRef body) : body_(std::move(body)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    const absl::StatusOr<Range> range = GetRange(context);
    if (!range.ok()) return std::move(done)(range.status());
    std::make_shared<Loop>(body_, *range, context, std::move(done))->Run();
  }

 private:
  const FunctionRef body_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeFor(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(FunctionRef body, node.attrs.Get<FunctionRef>("body"));
  return std::unique_ptr<Kernel>(std::make_unique<For>(std::move(body)));
}

}  // namespace

void Register(KernelRegistry& registry) { registry.Add("For", kCpu, &MakeFor); }

}  // namespace leat::kernels::any::for_loop
