// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/through_float.h"

#include <numeric>
#include <utility>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {
namespace {

constexpr DTypeList<half, bfloat16> kNarrow;
constexpr int64_t kCost = 1;  // cost of one element, in nanoseconds

// Converts a tensor of half or bfloat16 to a tensor of float.
absl::StatusOr<Tensor> Widen(KernelContext& context, const Tensor& input) {
  LEAT_ASSIGN_OR_RETURN(
      Tensor wide, context.AllocateTemporary(DType::kFloat, input.shape()));
  VisitDType(kNarrow, input.dtype(), [&](auto tag) {
    const auto from = input.data<typename decltype(tag)::type>();
    const auto to = wide.mutable_data<float>();
    ParallelFor(context.compute_queue(), input.num_elements(), kCost,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    to[i] = static_cast<float>(from[i]);
                  }
                });
  });
  return wide;
}

// Rounds the values of `wide` to the dtype of `output`. REQUIRES: equal shapes.
void Round(KernelContext& context, const Tensor& wide, Tensor& output) {
  VisitDType(kNarrow, output.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto from = wide.data<float>();
    const auto to = output.mutable_data<T>();
    ParallelFor(context.compute_queue(), wide.num_elements(), kCost,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) to[i] = T(from[i]);
                });
  });
}

// Runs the float kernel in a context of its own, with widened inputs.
class WideKernel final : public Kernel {
 public:
  WideKernel(std::unique_ptr<const NodeDef> node,
             std::unique_ptr<Kernel> kernel)
      : node_(std::move(node)), kernel_(std::move(kernel)) {}

  absl::Status Compute(KernelContext& context) const final {
    const int num_inputs = context.num_inputs();
    const int num_outputs = context.num_outputs();
    std::vector<Value> values(num_inputs + num_outputs);
    for (int i = 0; i < num_inputs; ++i) {
      values[i].tensor = context.input(i);
      if (!IsHalfOrBfloat16(context.input(i).dtype())) continue;
      LEAT_ASSIGN_OR_RETURN(values[i].tensor, Widen(context, context.input(i)));
    }
    std::vector<int32_t> slots(num_inputs);
    std::iota(slots.begin(), slots.end(), 0);
    const std::vector<int32_t> readers(values.size(), 1);
    KernelContext inner(*node_, context.step(),
                        ValueSlots{.slots = values.data(),
                                   .readers = readers.data(),
                                   .inputs = slots,
                                   .first_output = num_inputs,
                                   .num_outputs = num_outputs});
    LEAT_RETURN_IF_ERROR(kernel_->Compute(inner));
    for (int i = 0; i < num_outputs; ++i) {
      Tensor& wide = values[num_inputs + i].tensor;
      if (!IsHalfOrBfloat16(context.node().output_types[i])) {
        context.set_output(i, std::move(wide));
        continue;
      }
      LEAT_ASSIGN_OR_RETURN(Tensor * output,
                            context.AllocateOutput(i, wide.shape()));
      Round(context, wide, *output);
    }
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<const NodeDef> node_;  // the node with T = float
  const std::unique_ptr<Kernel> kernel_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Kernel>> ThroughFloat(const NodeDef& node,
                                                     KernelFactory factory) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  auto wide = std::make_unique<NodeDef>(node);
  wide->attrs.Set("T", DType::kFloat);
  for (DType& type : wide->input_types) {
    if (type == dtype) type = DType::kFloat;
  }
  for (DType& type : wide->output_types) {
    if (type == dtype) type = DType::kFloat;
  }
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, factory(*wide));
  return std::unique_ptr<Kernel>(
      std::make_unique<WideKernel>(std::move(wide), std::move(kernel)));
}

}  // namespace leat::kernels
