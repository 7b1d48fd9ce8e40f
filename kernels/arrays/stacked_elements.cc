// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/arrays/stacked_elements.h"

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels {
namespace {

// Copies the `size` values of `element` to `to`, or zeros if the element was
// never written.
template <class E>
void CopyElement(const Tensor& element, int64_t size, E* to) {
  if (element.IsValid()) {
    CopyElements(Elements<E>(element), size, to);
  } else {
    ClearElements(to, size);
  }
}

absl::Status CheckMemoryOfAll(const KernelContext& context, int64_t count,
                              ElementAt at) {
  for (int64_t i = 0; i < count; ++i) {
    LEAT_RETURN_IF_ERROR(CheckMemory(context, at(i)));
  }
  return absl::OkStatus();
}

// Queues copies of all elements to `output`, one after another. Element i has
// rows[i] rows of the shape `row`.
absl::Status ConcatOnGpu(KernelContext& context, absl::Span<const int64_t> rows,
                         const Shape& row, ElementAt at, Tensor& output) {
  GpuStream& stream = *StreamOf(context);
  const size_t row_bytes =
      static_cast<size_t>(row.num_elements()) * SizeOf(output.dtype());
  char* to = output.mutable_raw_data();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Tensor& element = at(static_cast<int64_t>(i));
    const size_t bytes = static_cast<size_t>(rows[i]) * row_bytes;
    if (element.IsValid()) {
      LEAT_RETURN_IF_ERROR(stream.CopyOnDevice(to, element.raw_data(), bytes));
    } else {
      LEAT_RETURN_IF_ERROR(stream.Fill(to, 0, bytes));
    }
    to += bytes;
  }
  return absl::OkStatus();
}

}  // namespace

int64_t HeldBytesOf(int64_t count, ElementAt at) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < count; ++i) {
    bytes = SaturatingAdd(bytes, at(i).held_bytes());
  }
  return bytes;
}

absl::StatusOr<Shape> WithRows(int64_t rows, const Shape& row) {
  Dims dims = {rows};
  dims.insert(dims.end(), row.dims().begin(), row.dims().end());
  return Shape::Create(dims);
}

absl::StatusOr<Tensor> RowOf(const Tensor& tensor, int64_t i,
                             const Shape& shape) {
  return tensor.Slice(i, i + 1).Reshaped(shape);
}

absl::Status StackElements(KernelContext& context, int64_t count, ElementAt at,
                           Tensor& output) {
  if (output.num_elements() == 0) return absl::OkStatus();
  const int64_t size = output.num_elements() / count;
  LEAT_RETURN_IF_ERROR(CheckMemoryOfAll(context, count, at));
  if (AreHeldOnGpu(context, output.dtype())) {
    LEAT_ASSIGN_OR_RETURN(RowAddresses rows, RowAddresses::New(context, count));
    for (int64_t i = 0; i < count; ++i) rows[i] = AddressOf(at(i));
    return rows.Gather(context,
                       static_cast<size_t>(size) * SizeOf(output.dtype()),
                       output.mutable_raw_data());
  }
  VisitAnyElement(output.dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    E* const to = MutableElements<E>(output);
    ParallelFor(context.compute_queue(), count, 4 + size / 4,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    CopyElement(at(i), size, to + i * size);
                  }
                });
  });
  return absl::OkStatus();
}

absl::Status ConcatElements(KernelContext& context,
                            absl::Span<const int64_t> rows, const Shape& row,
                            ElementAt at, Tensor& output) {
  if (output.num_elements() == 0) return absl::OkStatus();
  const int64_t count = static_cast<int64_t>(rows.size());
  LEAT_RETURN_IF_ERROR(CheckMemoryOfAll(context, count, at));
  if (AreHeldOnGpu(context, output.dtype())) {
    return ConcatOnGpu(context, rows, row, at, output);
  }
  // The elements are in host memory, even on a GPU, so the host copies them.
  LEAT_ASSIGN_OR_RETURN(
      Tensor starts_tensor,
      Tensor::Allocate(context.step().device->host_allocator(), DType::kInt64,
                       Shape{count}));
  // Element i begins at starts[i].
  const auto starts = starts_tensor.mutable_data<int64_t>();
  int64_t start = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    starts[i] = start;
    start += rows[i] * row.num_elements();
  }
  VisitAnyElement(output.dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    E* const to = MutableElements<E>(output);
    ParallelFor(
        context.compute_queue(), count, 4 + output.num_elements() / count / 4,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const size_t n = static_cast<size_t>(i);
            CopyElement(at(i), rows[n] * row.num_elements(), to + starts[n]);
          }
        });
  });
  return absl::OkStatus();
}

}  // namespace leat::kernels
