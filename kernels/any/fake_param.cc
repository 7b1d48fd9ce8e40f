// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of FakeParam. A branch of an If outputs a FakeParam in the
// place of a value that only the other branch computes for the gradient.
// Nothing reads the output of a FakeParam, so the kernel outputs zeros. An
// unknown extent becomes 0, and a shape of unknown rank becomes a scalar.
#include <algorithm>
#include <memory>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels::any::fake_param {
namespace {

class FakeParam final : public Kernel {
 public:
  FakeParam(DType dtype, Shape shape)
      : dtype_(dtype), shape_(std::move(shape)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(Tensor zeros, MakeZeros(context, dtype_, shape_));
    context.set_output(0, std::move(zeros));
    return absl::OkStatus();
  }

 private:
  const DType dtype_;
  const Shape shape_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeFakeParam(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape partial,
                        node.attrs.Get<PartialShape>("shape"));
  Dims dims(partial.dims().begin(), partial.dims().end());
  for (int64_t& extent : dims) extent = std::max<int64_t>(extent, 0);
  LEAT_ASSIGN_OR_RETURN(Shape shape, Shape::Create(dims));
  return std::unique_ptr<Kernel>(
      std::make_unique<FakeParam>(dtype, std::move(shape)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("FakeParam", &MakeFakeParam);
}

}  // namespace leat::kernels::any::fake_param
