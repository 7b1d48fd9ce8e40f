// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of StringJoin, which joins strings element by element. A
// scalar input is joined to every element.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::string_join {
namespace {

// Returns the common shape of all inputs that are not scalars. Returns
// INVALID_ARGUMENT if their shapes differ.
absl::StatusOr<Shape> CommonShape(const KernelContext& context) {
  Shape shape;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Shape& other = context.input(i).shape();
    if (other.IsScalar()) continue;
    if (!shape.IsScalar() && shape != other) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input shapes do not match: ", shape.DebugString(),
                       " vs. ", other.DebugString()));
    }
    shape = other;
  }
  return shape;
}

class StringJoin final : public Kernel {
 public:
  explicit StringJoin(std::string separator)
      : separator_(std::move(separator)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Shape shape, CommonShape(context));
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.AllocateOutput(0, shape,
                               JoinedBytes(context, shape.num_elements())));
    auto to = output->mutable_data<std::string>();
    std::vector<absl::string_view> parts(
        static_cast<size_t>(context.num_inputs()));
    for (size_t k = 0; k < to.size(); ++k) {
      for (int i = 0; i < context.num_inputs(); ++i) {
        const auto from = context.input(i).data<std::string>();
        parts[i] = from[context.input(i).shape().IsScalar() ? 0 : k];
      }
      // The string gets its final size at once, because a string that grows may
      // take up to twice as much memory.
      to[k] = absl::StrJoin(parts, separator_);
    }
    return absl::OkStatus();
  }

 private:
  // Returns an upper bound for the bytes that the `n` joined strings hold.
  int64_t JoinedBytes(const KernelContext& context, int64_t n) const {
    const int64_t separators = context.num_inputs() - 1;
    int64_t text = SaturatingMultiply(
        n, separators * static_cast<int64_t>(separator_.size()));
    for (int i = 0; i < context.num_inputs(); ++i) {
      const Tensor& from = context.input(i);
      const int64_t times = from.shape().IsScalar() ? n : 1;
      text = SaturatingAdd(
          text, SaturatingMultiply(TextBytes(from.data<std::string>()), times));
    }
    return MostHeldBytes(n, text);
  }

  const std::string separator_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeStringJoin(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string separator,
                        node.attrs.GetOr<std::string>("separator", ""));
  return std::unique_ptr<Kernel>(
      std::make_unique<StringJoin>(std::move(separator)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StringJoin", kCpu, &MakeStringJoin);
}

}  // namespace leat::kernels::any::string_join
