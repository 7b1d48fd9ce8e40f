// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/file_kernel.h"

#include <memory>
#include <utility>

#include "leat/core/files/file_service.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

void FileKernel::ComputeAsync(KernelContext& context, Done done) const {
  FileService* const files = context.step().device->files();
  if (files == nullptr) {
    std::move(done)(
        absl::PermissionDeniedError("this device has no files for graphs"));
    return;
  }
  // The closure and an error of Run need `done`, but only one of them calls it.
  auto shared = std::make_shared<Done>(std::move(done));
  const absl::Status started = files->Run([this, &context, files, shared] {
    // The step may have ended while the closure waited for its turn.
    const Cancellation* const cancellation = context.step().cancellation;
    absl::Status status =
        cancellation != nullptr ? cancellation->status() : absl::OkStatus();
    if (status.ok()) status = Run(context, files->access());
    std::move (*shared)(std::move(status));
  });
  if (!started.ok()) std::move (*shared)(started);
}

BundleOptions FileKernel::OptionsOf(const KernelContext& context) {
  return {.allocator = &context.step().device->host_allocator(),
          .cancellation = context.step().cancellation};
}

}  // namespace leat::kernels
