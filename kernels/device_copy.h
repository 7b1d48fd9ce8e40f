// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions move elements in the memory of the device on which a kernel
// runs. A kernel in kernels/any/ that uses them runs on CPUs and on GPUs
// without device code of its own. On a GPU, the functions queue the work.
//
//   const BroadcastPlan<1> plan = PlanStrided(shape, strides);
//   return CopyFromStrided(context, plan, Elements<E>(input),
//                          MutableElements<E>(*output));
#ifndef LEAT_KERNELS_DEVICE_COPY_H_
#define LEAT_KERNELS_DEVICE_COPY_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns the stream of the GPU on which the kernel runs, or null if it runs on
// a CPU.
inline GpuStream* StreamOf(const KernelContext& context) {
  return context.step().device->gpu_stream();
}

// These functions do the work of the templates at the end of this header on a
// GPU. They queue the work for elements of `element_bytes` bytes. They return
// UNIMPLEMENTED if a plan has more than eight dimensions.
absl::Status CopyFromStridedOnGpu(GpuStream& stream,
                                  const BroadcastPlan<1>& plan,
                                  size_t element_bytes, const void* from,
                                  void* to);
absl::Status CopyToStridedOnGpu(GpuStream& stream, const BroadcastPlan<1>& plan,
                                size_t element_bytes, const void* from,
                                void* to);
absl::Status FillOnGpu(GpuStream& stream, size_t element_bytes,
                       const void* value, void* to, int64_t n);
// Does the same as FillOnGpu, but `value` lies in host memory.
absl::Status FillValueOnGpu(GpuStream& stream, size_t element_bytes,
                            const void* value, void* to, int64_t n);

// Sets each element of `to` to the element of `then` where the condition is
// true, and to the element of `otherwise` where it is false. The operands of
// `plan` are `conditions`, `then` and `otherwise`. `to` has the shape
// plan.shape.
absl::Status SelectOnGpu(GpuStream& stream, const BroadcastPlan<3>& plan,
                         size_t element_bytes, const bool* conditions,
                         const void* then, const void* otherwise, void* to);

// Holds the addresses of rows in the memory of a GPU. A kernel fills in the
// addresses and then gathers the rows, which may belong to several tensors, in
// one launch:
//
//   LEAT_ASSIGN_OR_RETURN(RowAddresses rows, RowAddresses::New(context, n));
//   for (int64_t i = 0; i < n; ++i) rows[i] = AddressOf(elements[i]);
//   return rows.Gather(context, row_bytes, output->mutable_raw_data());
//
// Copies of a RowAddresses share the addresses.
class RowAddresses {
 public:
  // Returns `count` addresses, which are 0 at first. Returns RESOURCE_EXHAUSTED
  // if there is no memory for them.
  static absl::StatusOr<RowAddresses> New(KernelContext& context,
                                          int64_t count);

  // Returns the address of row `i`. A row at the address 0 is gathered as
  // zeros.
  uint64_t& operator[](int64_t i) { return addresses_[i]; }

  // Queues the copy of all rows to `to`, one after another. Each row has
  // `row_bytes` bytes. REQUIRES: the kernel runs on a GPU.
  absl::Status Gather(KernelContext& context, size_t row_bytes, void* to) const;

 private:
  explicit RowAddresses(Tensor tensor)
      : tensor_(std::move(tensor)),
        addresses_(tensor_.mutable_data<uint64_t>().data()) {}

  Tensor tensor_;        // in memory of the host
  uint64_t* addresses_;  // the elements of tensor_
};

// Returns the address of the tensor's first byte, for RowAddresses. Returns 0
// for Tensor().
inline uint64_t AddressOf(const Tensor& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.raw_data());
}

// Gathers a strided view, as CopyFromStrided of element_copy.h does.
template <class E>
absl::Status CopyFromStrided(KernelContext& context,
                             const BroadcastPlan<1>& plan, const E* from,
                             E* to) {
  if (GpuStream* stream = StreamOf(context)) {
    return CopyFromStridedOnGpu(*stream, plan, sizeof(E), from, to);
  }
  CopyFromStrided(context.compute_queue(), plan, from, to);
  return absl::OkStatus();
}

// Spreads a contiguous tensor over a strided view, as CopyToStrided of
// element_copy.h does.
template <class E>
absl::Status CopyToStrided(KernelContext& context, const BroadcastPlan<1>& plan,
                           const E* from, E* to) {
  if (GpuStream* stream = StreamOf(context)) {
    return CopyToStridedOnGpu(*stream, plan, sizeof(E), from, to);
  }
  CopyToStrided(context.compute_queue(), plan, from, to);
  return absl::OkStatus();
}

// Sets `n` elements to zero, or to empty objects.
template <class E>
absl::Status ClearElements(KernelContext& context, E* to, int64_t n) {
  if (GpuStream* stream = StreamOf(context)) {
    return stream->Fill(to, 0, static_cast<size_t>(n) * sizeof(E));
  }
  ClearElements(to, n);
  return absl::OkStatus();
}

// Sets `n` elements to the element at `value`, which is in the device's memory.
template <class E>
absl::Status FillElements(KernelContext& context, const E* value, E* to,
                          int64_t n) {
  if (GpuStream* stream = StreamOf(context)) {
    return FillOnGpu(*stream, sizeof(E), value, to, n);
  }
  const E element = *value;
  ParallelFor(context.compute_queue(), n, 1, [&](int64_t begin, int64_t end) {
    std::fill(to + begin, to + end, element);
  });
  return absl::OkStatus();
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DEVICE_COPY_H_
