// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of CollectiveAssignGroupV2.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::collective_group {
namespace {

absl::Status CheckShapes(const Tensor& groups, const Tensor& device,
                         const Tensor& base) {
  if (device.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "device_index must be a scalar, but received tensor of shape: ",
        device.shape().DebugString()));
  }
  if (groups.rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "group_assignment must be a 2-d Tensor, but received tensor of shape: ",
        groups.shape().DebugString()));
  }
  if (base.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "base_key must be a scalar, but received tensor of shape: ",
        base.shape().DebugString()));
  }
  return absl::OkStatus();
}

// Returns the key of the group, a row of `groups`, that has the device. Keys
// count from `base` and wrap around.
absl::StatusOr<int32_t> KeyOf(const Tensor& groups, int32_t device,
                              int32_t base) {
  const absl::Span<const int32_t> devices = groups.data<int32_t>();
  const auto columns = static_cast<size_t>(groups.dim(1));
  for (int64_t row = 0; row < groups.dim(0); ++row) {
    const auto key = static_cast<int32_t>(static_cast<uint32_t>(base) +
                                          static_cast<uint32_t>(row));
    if (key == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Using the reserved group_key = 0 is not allowed: "
                       "group_id = ",
                       row, ", base_key = ", base));
    }
    for (const int32_t index :
         devices.subspan(static_cast<size_t>(row) * columns, columns)) {
      if (index < 0 || index >= groups.num_elements()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Not all items in group_assignment ", groups.DebugString(),
            " is within [0, number of devices)"));
      }
      if (index == device) return key;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("device_index ", device,
                   " is not found in group_assignment ", groups.DebugString()));
}

class CollectiveAssignGroup final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& groups = context.input(0);
    const Tensor& device = context.input(1);
    const Tensor& base = context.input(2);
    LEAT_RETURN_IF_ERROR(CheckShapes(groups, device, base));
    LEAT_ASSIGN_OR_RETURN(
        const int32_t key,
        KeyOf(groups, device.scalar<int32_t>(), base.scalar<int32_t>()));
    LEAT_ASSIGN_OR_RETURN(Tensor* const size_output,
                          context.AllocateOutput(0, Shape{}));
    LEAT_ASSIGN_OR_RETURN(Tensor* const key_output,
                          context.AllocateOutput(1, Shape{}));
    size_output->mutable_data<int32_t>()[0] =
        static_cast<int32_t>(groups.dim(1));
    key_output->mutable_data<int32_t>()[0] = key;
    return absl::OkStatus();
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("CollectiveAssignGroupV2", kCpu,
               [](const NodeDef&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
                 return std::make_unique<CollectiveAssignGroup>();
               });
}

}  // namespace leat::kernels::any::collective_group
