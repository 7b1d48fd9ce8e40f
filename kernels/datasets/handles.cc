// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of DummyMemoryCache and DummySeedGenerator. Their handles
// name nothing: in a graph, each dataset has a cache or a generator of its own.
#include "leat/core/resource_handle.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::datasets::handles {
namespace {

absl::Status NameNothing(KernelContext& context) {
  ResourceHandle handle;
  handle.device = context.step().device->name();
  handle.name = context.node().op->name;
  context.set_output(0, Tensor::Scalar(handle));
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("DummyMemoryCache", kCpu, &MakeFunction<&NameNothing>);
  registry.Add("DummySeedGenerator", kCpu, &MakeFunction<&NameNothing>);
}

}  // namespace leat::kernels::datasets::handles
