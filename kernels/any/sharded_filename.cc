// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ShardedFilename and ShardedFilespec, which make the
// names of files that belong together.
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::sharded_filename {
namespace {

absl::Status SetName(std::string name, KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, Shape{}, HeldBytes(name)));
  output->mutable_data<std::string>()[0] = std::move(name);
  return absl::OkStatus();
}

class ShardedFilename final : public Kernel {
  absl::Status Compute(KernelContext& context) const override {
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(0), "basename"));
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(1), "shard"));
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(2), "num_shards"));
    return SetName(absl::StrFormat("%s-%05d-of-%05d",
                                   context.input(0).scalar<std::string>(),
                                   context.input(1).scalar<int32_t>(),
                                   context.input(2).scalar<int32_t>()),
                   context);
  }
};

class ShardedFilespec final : public Kernel {
  absl::Status Compute(KernelContext& context) const override {
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(0), "basename"));
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(1), "num_shards"));
    return SetName(absl::StrFormat("%s-\?\?\?\?\?-of-%05d",
                                   context.input(0).scalar<std::string>(),
                                   context.input(1).scalar<int32_t>()),
                   context);
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ShardedFilename", kCpu, &Make<ShardedFilename>);
  registry.Add("ShardedFilespec", kCpu, &Make<ShardedFilespec>);
}

}  // namespace leat::kernels::any::sharded_filename
