// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of DynamicPartition. Output p gets the rows data[i] for
// which partitions[i] is p, in their order.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::dynamic_partition {
namespace {

absl::Status CheckShapes(const Shape& data, const Shape& partitions) {
  const int rank = partitions.rank();
  if (rank <= data.rank() &&
      partitions.dims() == data.dims().subspan(0, rank)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "data.shape must start with partitions.shape, got data.shape = ",
      data.DebugString(), ", partitions.shape = ", partitions.DebugString()));
}

// Returns how many rows each output gets. Returns INVALID_ARGUMENT if a row is
// for an output that does not exist.
absl::StatusOr<std::vector<int64_t>> CountRows(const Tensor& partitions,
                                               int num_partitions) {
  std::vector<int64_t> rows(static_cast<size_t>(num_partitions), 0);
  const auto values = partitions.data<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    const int32_t partition = values[i];
    if (partition < 0 || partition >= num_partitions) {
      return absl::InvalidArgumentError(absl::StrCat(
          "partitions",
          PositionIn(partitions.shape().dims(), static_cast<int64_t>(i)), " = ",
          partition, " is not in [0, ", num_partitions, ")"));
    }
    ++rows[static_cast<size_t>(partition)];
  }
  return rows;
}

template <class E>
class DynamicPartition final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& data = context.input(0);
    const Tensor& partitions = context.input(1);
    LEAT_RETURN_IF_ERROR(CheckShapes(data.shape(), partitions.shape()));
    LEAT_ASSIGN_OR_RETURN(const std::vector<int64_t> rows,
                          CountRows(partitions, context.num_outputs()));
    const auto row = data.shape().dims().subspan(partitions.rank());
    Dims dims(row.begin(), row.end());
    dims.insert(dims.begin(), 0);
    std::vector<E*> to;
    for (int p = 0; p < context.num_outputs(); ++p) {
      dims[0] = rows[static_cast<size_t>(p)];
      LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
      LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(p, shape));
      to.push_back(MutableElements<E>(*output));
    }
    if (data.num_elements() == 0) return absl::OkStatus();
    const int64_t size = data.num_elements() / partitions.num_elements();
    const E* from = Elements<E>(data);
    if (StreamOf(context) != nullptr) {
      return CopyOnGpu(context, from, size, rows, to);
    }
    for (const int32_t partition : partitions.data<int32_t>()) {
      E*& out = to[static_cast<size_t>(partition)];
      CopyElements(from, size, out);
      from += size;
      out += size;
    }
    return absl::OkStatus();
  }

 private:
  // Queues copies of the rows of `from`, each of `size` elements. Output p gets
  // rows[p] of them.
  static absl::Status CopyOnGpu(KernelContext& context, const E* from,
                                int64_t size, absl::Span<const int64_t> rows,
                                absl::Span<E* const> to) {
    std::vector<RowAddresses> addresses;
    for (const int64_t count : rows) {
      LEAT_ASSIGN_OR_RETURN(RowAddresses each,
                            RowAddresses::New(context, count));
      addresses.push_back(std::move(each));
    }
    std::vector<int64_t> next(rows.size(), 0);
    for (const int32_t partition : context.input(1).data<int32_t>()) {
      const auto p = static_cast<size_t>(partition);
      addresses[p][next[p]++] = reinterpret_cast<uintptr_t>(from);
      from += size;
    }
    for (size_t p = 0; p < rows.size(); ++p) {
      LEAT_RETURN_IF_ERROR(addresses[p].Gather(
          context, static_cast<size_t>(size) * sizeof(E), to[p]));
    }
    return absl::OkStatus();
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("DynamicPartition",
                            &MakeAnyElementKernel<DynamicPartition, kAttrT>);
}

}  // namespace leat::kernels::any::dynamic_partition
