// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernel of Where, which outputs the indices of all elements
// that are not zero, in order. The size of the output depends on the elements.
// So the GPU counts them first, and the kernel waits for the number without
// holding a thread.
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/where.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::where {
namespace {

using leat::cuda::Extents;
using leat::cuda::kCountedPiece;

class Where final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, Done done) const final {
    const absl::Status started = Start(context, done);
    if (done != nullptr) std::move(done)(started);
  }

 private:
  // Starts the count. Takes `done` if the kernel has to wait for the count, and
  // otherwise leaves `done` to the caller.
  static absl::Status Start(KernelContext& context, Done& done) {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Extents extents, ExtentsOf(input.shape()));
    const int64_t n = input.num_elements();
    if (n == 0) {
      return context.AllocateOutput(0, Shape{0, input.rank()}).status();
    }
    const int64_t num_pieces = (n + kCountedPiece - 1) / kCountedPiece;
    LEAT_ASSIGN_OR_RETURN(
        Tensor offsets,
        context.AllocateTemporary(DType::kInt64, Shape{num_pieces + 1}));
    LEAT_ASSIGN_OR_RETURN(
        Tensor count, Tensor::Allocate(context.step().device->host_allocator(),
                                       DType::kInt64, Shape{1}));
    LEAT_RETURN_IF_ERROR(OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchCountNonZero(
          stream, TypeOf(input), input.raw_data(), n, AddressIn(offsets));
    }));
    StreamOf(context)->CopyToHost(
        offsets.Slice(num_pieces, num_pieces + 1), count,
        [&context, offsets, count, extents,
         done = std::exchange(done, nullptr)](absl::Status status) mutable {
          if (status.ok()) {
            status = Write(context, offsets, count.data<int64_t>()[0], extents);
          }
          std::move(done)(status);
        });
    return absl::OkStatus();
  }

  static absl::StatusOr<Extents> ExtentsOf(const Shape& shape) {
    if (shape.rank() == 0) {
      return absl::InvalidArgumentError(
          "WhereOp : Unhandled input dimensions: 0");
    }
    Extents extents;
    if (shape.rank() > static_cast<int>(std::size(extents.extents))) {
      return absl::UnimplementedError(
          absl::StrCat("WhereOp : Unhandled input dimensions: ", shape.rank()));
    }
    for (const int64_t extent : shape.dims()) {
      extents.extents[extents.rank++] = extent;
    }
    return extents;
  }

  // Allocates an output of `count` rows and queues the work that fills it.
  static absl::Status Write(KernelContext& context, Tensor& offsets,
                            int64_t count, const Extents& extents) {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(0, Shape{count, extents.rank}));
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchFindNonZero(
          stream, TypeOf(input), input.raw_data(), input.num_elements(),
          AddressIn(offsets), extents, AddressIn(*output));
    });
  }

  static int64_t* AddressIn(Tensor& tensor) {
    return reinterpret_cast<int64_t*>(tensor.mutable_raw_data());
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Where", kGpu, &Make<Where>);
}

}  // namespace leat::kernels::cuda::where
