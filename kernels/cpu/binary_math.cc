// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Add, AddV2, Sub, Mul, SquaredDifference, Maximum and
// Minimum.
#include <array>
#include <memory>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/binary_math.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::binary_math {
namespace {

// Computes Add of strings, which concatenates them.
class AddStrings final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan,
                          PlanBroadcast(a.shape(), b.shape()));
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.AllocateOutput(0, plan.shape, JoinedBytes(a, b, plan.shape)));
    if (plan.shape.num_elements() == 0) return absl::OkStatus();
    const std::string* left = a.data<std::string>().data();
    const std::string* right = b.data<std::string>().data();
    std::string* to = output->mutable_data<std::string>().data();
    const int64_t a_step = plan.strides[0].back();
    const int64_t b_step = plan.strides[1].back();
    const int64_t row_size = plan.row_size();
    plan.ForEachRow(
        0, plan.num_rows(), [&](const std::array<int64_t, 2>& from) {
          ParallelFor(context.compute_queue(), row_size, /*cost=*/25,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                          to[i] = absl::StrCat(left[from[0] + i * a_step],
                                               right[from[1] + i * b_step]);
                        }
                      });
          to += row_size;
        });
    return absl::OkStatus();
  }

 private:
  // Returns an upper bound for the bytes that the joined strings hold.
  static int64_t JoinedBytes(const Tensor& a, const Tensor& b,
                             const Shape& shape) {
    const int64_t n = shape.num_elements();
    int64_t text = 0;
    for (const Tensor* part : {&a, &b}) {
      if (n == 0) break;
      text = SaturatingAdd(
          text, SaturatingMultiply(TextBytes(part->data<std::string>()),
                                   n / part->num_elements()));
    }
    return MostHeldBytes(n, text);
  }
};

template <class Op, const auto& types = kNumbersAndComplexes>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBinary(const NodeDef& node) {
  return MakeForType(node, "T", types, [](auto tag) -> std::unique_ptr<Kernel> {
    using T = typename decltype(tag)::type;
    return std::make_unique<BinaryKernel>(&BinaryRowOf<Op, T, T>,
                                          /*cost=*/4);
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeAdd(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (dtype != DType::kString) return MakeBinary<functors::Add>(node);
  return std::unique_ptr<Kernel>(std::make_unique<AddStrings>());
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Add", kCpu, &MakeAdd);
  registry.Add("AddV2", kCpu, &MakeBinary<functors::Add>);
  registry.Add("Sub", kCpu, &MakeBinary<functors::Sub>);
  registry.Add("Mul", kCpu, &MakeBinary<functors::Mul>);
  registry.Add("SquaredDifference", kCpu,
               &MakeBinary<functors::SquaredDifference>);
  registry.Add("Maximum", kCpu, &MakeBinary<functors::Maximum, kNumbers>);
  registry.Add("Minimum", kCpu, &MakeBinary<functors::Minimum, kNumbers>);
}

}  // namespace leat::kernels::cpu::binary_math
