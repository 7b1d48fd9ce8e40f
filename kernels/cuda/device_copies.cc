// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of _CopyToDevice and _CopyToHost.
#include <cstdint>
#include <memory>
#include <utility>

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/device_variants.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::device_copies {
namespace {

// Queues the copy. Work that is queued on the GPU later sees the bytes.
absl::Status CopyToDevice(KernelContext& context) {
  const Tensor& from = context.input(0);
  if (from.dtype() == DType::kVariant) {
    LEAT_ASSIGN_OR_RETURN(Tensor copy, CopyVariantsToGpu(context, from));
    context.set_output(0, std::move(copy));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(Tensor* const to,
                        context.AllocateOutput(0, from.shape()));
  return context.step().device->gpu_stream()->CopyToDevice(from, *to);
}

// Waits for the copies of one run of a kernel. Is thread-safe.
class Copies {
 public:
  // Calls `done` with the first error when End has been called once for each
  // call of Expect, and one more time. The additional call says that there will
  // be no more calls of Expect.
  explicit Copies(GpuStream::Done done) : done_(std::move(done)) {}

  void Expect() {
    MutexLock lock(mutex_);
    ++expected_;
  }
  void End(const absl::Status& status) {
    absl::Status first;
    {
      MutexLock lock(mutex_);
      first_error_.Update(status);
      if (--expected_ > 0) return;
      first = first_error_;
    }
    std::move(done_)(first);
  }

 private:
  GpuStream::Done done_;
  Mutex mutex_;
  int64_t expected_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::Status first_error_ ABSL_GUARDED_BY(mutex_);
};

// The kernel is done only when the bytes have arrived, because the host reads
// them next.
class CopyToHost final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, Done done) const final {
    const Tensor& from = context.input(0);
    GpuStream& stream = *context.step().device->gpu_stream();
    if (from.dtype() == DType::kVariant) {
      return CopyVariants(context, from, std::move(done));
    }
    const absl::StatusOr<Tensor*> to = context.AllocateOutput(0, from.shape());
    if (!to.ok()) return std::move(done)(to.status());
    stream.CopyToHost(from, **to, std::move(done));
  }

 private:
  static void CopyVariants(KernelContext& context, const Tensor& from,
                           Done done) {
    const auto copies = std::make_shared<Copies>(std::move(done));
    const auto new_done = [&]() -> GpuStream::Done {
      copies->Expect();
      return [copies](absl::Status status) { copies->End(status); };
    };
    absl::StatusOr<Tensor> copy = CopyVariantsToHost(context, from, new_done);
    const absl::Status status = copy.status();
    if (copy.ok()) context.set_output(0, *std::move(copy));
    copies->End(status);
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("_CopyToDevice", kGpu, &MakeFunction<&CopyToDevice>);
  registry.Add("_CopyToHost", kGpu, &Make<CopyToHost>);
}

}  // namespace leat::kernels::cuda::device_copies
