// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddInTopK registers the kernels of InTopK, where k is an attr, and of
// InTopKV2, where k is an input. Each device has its own function that computes
// both ops for a known k.
//
//   absl::Status ComputeInTopK(KernelContext& context, int64_t k);
//   AddInTopK<&ComputeInTopK>(registry, kCpu);
#ifndef LEAT_KERNELS_SHAPES_IN_TOP_K_KERNEL_H_
#define LEAT_KERNELS_SHAPES_IN_TOP_K_KERNEL_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/in_top_k_shapes.h"

namespace leat::kernels {

template <absl::Status (*kCompute)(KernelContext&, int64_t k)>
class InTopK final : public Kernel {
 public:
  explicit InTopK(int64_t k) : k_(k) {}
  absl::Status Compute(KernelContext& context) const final {
    return kCompute(context, k_);
  }

  static absl::StatusOr<std::unique_ptr<Kernel>> Make(const NodeDef& node) {
    LEAT_ASSIGN_OR_RETURN(const int64_t k, node.attrs.GetInt32("k"));
    return std::unique_ptr<Kernel>(std::make_unique<InTopK>(k));
  }

 private:
  const int64_t k_;
};

template <absl::Status (*kCompute)(KernelContext&, int64_t k)>
absl::Status ComputeInTopKV2(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t k, InTopKInput(context));
  return kCompute(context, k);
}

template <absl::Status (*kCompute)(KernelContext&, int64_t k)>
void AddInTopK(KernelRegistry& registry, absl::string_view device_type) {
  registry.Add("InTopK", device_type, &InTopK<kCompute>::Make);
  registry.Add("InTopKV2", device_type,
               &MakeFunction<&ComputeInTopKV2<kCompute>>);
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_IN_TOP_K_KERNEL_H_
