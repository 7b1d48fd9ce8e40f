// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of DynamicStitch and ParallelDynamicStitch, which set
// merged[indices[m][i]] = data[m][i]. If an index occurs twice, the last of its
// rows is used. Rows of the output that no index names are zero.
#include <algorithm>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::dynamic_stitch {
namespace {

// Returns the shape of one row of data[m]: the shape of data[m] without the
// dimensions of indices[m].
absl::StatusOr<Dims> RowShape(const KernelContext& context, int m) {
  const Shape& indices = context.input(m).shape();
  const Shape& data = context.input(m + context.num_inputs() / 2).shape();
  bool fits = indices.rank() <= data.rank();
  for (int i = 0; fits && i < indices.rank(); ++i) {
    fits = indices.dim(i) == data.dim(i);
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("data[", m, "].shape = ", data.DebugString(),
                     " does not start with indices[", m,
                     "].shape = ", indices.DebugString()));
  }
  return Dims(data.dims().begin() + indices.rank(), data.dims().end());
}

template <class E>
class DynamicStitch final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const int count = context.num_inputs() / 2;
    LEAT_ASSIGN_OR_RETURN(Dims dims, RowShape(context, 0));
    int64_t rows = 0;
    for (int m = 0; m < count; ++m) {
      LEAT_ASSIGN_OR_RETURN(const Dims other, RowShape(context, m));
      if (other != dims) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Need data[0].shape[1:] = data[", m,
            "].shape[1:] after the dimensions of indices, got data[0].shape = ",
            context.input(count).shape().DebugString(), ", data[", m,
            "].shape = ", context.input(count + m).shape().DebugString()));
      }
      for (const int32_t index : context.input(m).data<int32_t>()) {
        if (index < 0) {
          return absl::InvalidArgumentError(
              absl::StrCat("indices[", m, "] has the negative index ", index));
        }
        rows = std::max<int64_t>(rows, int64_t{index} + 1);
      }
    }
    if (rows > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the largest index asks for ", rows,
                       " rows, more than int32 counts"));
    }
    dims.insert(dims.begin(), rows);
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    E* to = MutableElements<E>(*output);
    const int64_t size = shape.num_elements() / rows;
    if (StreamOf(context) != nullptr) {
      return CopyOnGpu(context, rows, size, to);
    }
    ClearElements(to, shape.num_elements());
    for (int m = 0; m < count; ++m) {
      const E* from = Elements<E>(context.input(count + m));
      for (const int32_t index : context.input(m).data<int32_t>()) {
        CopyElements(from, size, to + index * size);
        from += size;
      }
    }
    return absl::OkStatus();
  }

 private:
  // Queues the copies that set `to`, which has `rows` rows of `size` elements
  // each.
  static absl::Status CopyOnGpu(KernelContext& context, int64_t rows,
                                int64_t size, E* to) {
    LEAT_ASSIGN_OR_RETURN(RowAddresses addresses,
                          RowAddresses::New(context, rows));
    const int count = context.num_inputs() / 2;
    for (int m = 0; m < count; ++m) {
      const E* from = Elements<E>(context.input(count + m));
      for (const int32_t index : context.input(m).data<int32_t>()) {
        addresses[index] = reinterpret_cast<uintptr_t>(from);
        from += size;
      }
    }
    return addresses.Gather(context, static_cast<size_t>(size) * sizeof(E), to);
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    registry.AddForAllDevices(op, &MakeAnyElementKernel<DynamicStitch, kAttrT>);
  }
}

}  // namespace leat::kernels::any::dynamic_stitch
