// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Where, which outputs the indices of all elements that
// are not zero, in order.
#include <memory>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::where {
namespace {

template <class T>
class Where final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    if (input.rank() == 0) {
      return absl::InvalidArgumentError(
          "WhereOp : Unhandled input dimensions: 0");
    }
    const auto values = input.data<T>();
    int64_t count = 0;
    for (const T& value : values) count += IsTrue(value) ? 1 : 0;
    const int rank = input.rank();
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create({count, rank}));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    int64_t* to = output->mutable_data<int64_t>().data();
    for (size_t i = 0; i < values.size(); ++i) {
      if (!IsTrue(values[i])) continue;
      int64_t rest = static_cast<int64_t>(i);
      for (int d = rank - 1; d >= 0; --d) {
        to[d] = rest % input.dim(d);
        rest /= input.dim(d);
      }
      to += rank;
    }
    return absl::OkStatus();
  }

 private:
  static bool IsTrue(const T& value) {
    return static_cast<Wide<T>>(value) != Wide<T>(0);
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeWhere(const NodeDef& node) {
  return MakeForType(node, "T", kNumbersAndComplexes + kBoolOnly,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<Where<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Where", kCpu, &MakeWhere);
}

}  // namespace leat::kernels::cpu::where
