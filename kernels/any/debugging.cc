// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Assert, Abort and CheckNumerics.
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_summary.h"

namespace leat::kernels::any::debugging {
namespace {

class Assert final : public Kernel {
 public:
  explicit Assert(int64_t summarize) : summarize_(summarize) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& condition = context.input(0);
    if (condition.rank() != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "In[0] should be a scalar: ", condition.shape().DebugString()));
    }
    if (condition.scalar<bool>()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "assertion failed: ", SummarizeInputs(context, summarize_, " ")));
  }

 private:
  const int64_t summarize_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeAssert(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t summarize,
                        node.attrs.GetInt32("summarize"));
  return std::unique_ptr<Kernel>(std::make_unique<Assert>(summarize));
}

// Ends the step with an error. In TensorFlow the op ends the process.
class Abort final : public Kernel {
 public:
  explicit Abort(std::string message) : message_(std::move(message)) {}

  absl::Status Compute(KernelContext& context) const final {
    return absl::AbortedError(
        absl::StrCat("Abort '", context.node().name, "': ", message_));
  }

 private:
  const std::string message_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeAbort(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string message,
                        node.attrs.GetOr<std::string>("error_msg", ""));
  return std::unique_ptr<Kernel>(std::make_unique<Abort>(std::move(message)));
}

template <class T>
class CheckNumerics final : public Kernel {
 public:
  explicit CheckNumerics(std::string message) : message_(std::move(message)) {}

  absl::Status Compute(KernelContext& context) const final {
    const auto values = context.input(0).data<T>();
    std::atomic<bool> has_nan{false};
    std::atomic<bool> has_infinity{false};
    ParallelFor(context.compute_queue(), values.size(), 1,
                [&](int64_t begin, int64_t end) {
                  if (IsFinite(values.subspan(begin, end - begin))) return;
                  for (int64_t i = begin; i < end; ++i) {
                    const auto value = Widen(values[i]);
                    if (std::isnan(value)) has_nan = true;
                    if (std::isinf(value)) has_infinity = true;
                  }
                });
    if (has_nan || has_infinity) {
      return absl::InvalidArgumentError(absl::StrCat(
          message_, " : Tensor had ",
          has_nan ? (has_infinity ? "Inf and NaN" : "NaN") : "Inf", " values"));
    }
    context.set_output(0, context.input(0));
    return absl::OkStatus();
  }

 private:
  static auto Widen(T value) {
    if constexpr (std::is_same_v<T, double>) {
      return value;
    } else {
      return static_cast<float>(value);
    }
  }
  // Returns true if no value is NaN or infinite. Zero times NaN or infinity is
  // NaN, and zero times any other number is zero.
  static bool IsFinite(absl::Span<const T> values) {
    decltype(Widen(T())) sum = 0;
    for (const T value : values) sum += Widen(value) * 0;
    return sum == 0;
  }

  const std::string message_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeCheckNumerics(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string message,
                        node.attrs.Get<std::string>("message"));
  return MakeForType(node, "T", kFloats,
                     [&](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<CheckNumerics<T>>(message);
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Assert", kCpu, &MakeAssert);
  registry.Add("Abort", kCpu, &MakeAbort);
  registry.Add("CheckNumerics", kCpu, &MakeCheckNumerics);
}

}  // namespace leat::kernels::any::debugging
