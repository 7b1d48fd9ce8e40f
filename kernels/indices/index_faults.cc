// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/indices/index_faults.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {
namespace {

using leat::cuda::CheckedIndices;
using leat::cuda::IndexFault;

// Owns the IndexFault of a step on one GPU. The name of the resource is the
// name of the GPU.
class StepIndexFault final : public Resource {
 public:
  static constexpr char kTypeName[] = "IndexFault";

  // REQUIRES: `memory` has room for an IndexFault.
  explicit StepIndexFault(BufferRef memory)
      : memory_(std::move(memory)),
        fault_(new (static_cast<void*>(memory_->data())) IndexFault) {}

  IndexFault* fault() const { return fault_; }
  std::string DebugString() const final {
    return "The first index of a step that is out of range";
  }

 private:
  const BufferRef memory_;
  IndexFault* const fault_;
};

absl::StatusOr<std::shared_ptr<StepIndexFault>> FaultOf(
    const KernelContext& context) {
  Device& gpu = *context.step().device;
  return context.step().step_resources->FindOrMake<StepIndexFault>(
      "", gpu.name(), [&]() -> absl::StatusOr<std::shared_ptr<StepIndexFault>> {
        BufferRef memory = gpu.gpu_stream()->AllocatePinned(sizeof(IndexFault));
        if (memory == nullptr) {
          return absl::ResourceExhaustedError(absl::StrCat(
              "no pinned memory is left for the errors of a step on ",
              gpu.name()));
        }
        return std::make_shared<StepIndexFault>(std::move(memory));
      });
}

}  // namespace

absl::StatusOr<CheckedIndices> CheckIndices(const KernelContext& context,
                                            const Tensor& indices,
                                            IndexRule rule,
                                            absl::Span<const int64_t> dims,
                                            int64_t depth,
                                            absl::Span<const int64_t> limits) {
  constexpr size_t kMost = CheckedIndices::kMaxDims;
  if (depth > CheckedIndices::kMaxDims) {
    return absl::UnimplementedError(
        absl::StrCat("On GPUs an index has at most ", kMost,
                     " coordinates, but there are ", depth));
  }
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<StepIndexFault> fault,
                        FaultOf(context));
  CheckedIndices checked = {.data = indices.raw_data(),
                            .is_int64 = indices.dtype() == DType::kInt64,
                            .depth = static_cast<int>(depth),
                            .rule = rule,
                            .node = &context.node(),
                            .fault = fault->fault()};
  limits = limits.first(std::min(limits.size(), kMost));
  checked.num_limits = static_cast<int>(limits.size());
  std::copy(limits.begin(), limits.end(), checked.limits);
  const int64_t count = indices.num_elements() / std::max<int64_t>(depth, 1);
  if (dims.size() > kMost) dims = absl::MakeConstSpan(&count, 1);
  checked.num_dims = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), checked.dims);
  return checked;
}

FoundIndexFault FindIndexFault(const ResourceStore& step_resources,
                               const Device& gpu) {
  const auto found = step_resources.Find<StepIndexFault>("", gpu.name());
  if (!found.ok()) return {};
  const IndexFault& fault = *(*found)->fault();
  if (fault.is_set == 0) return {};
  const CheckedIndices& indices = fault.indices;
  const auto span = [](const int64_t* values, int size) {
    return absl::MakeConstSpan(values, static_cast<size_t>(size));
  };
  return {static_cast<const NodeDef*>(indices.node),
          IndexError(indices.rule, span(indices.dims, indices.num_dims),
                     fault.position, span(fault.values, indices.depth),
                     span(indices.limits, indices.num_limits))};
}

bool HasIndexFault(const ResourceStore& step_resources, const Device& gpu) {
  const auto found = step_resources.Find<StepIndexFault>("", gpu.name());
  return found.ok() && std::atomic_ref<uint32_t>((*found)->fault()->is_set)
                               .load(std::memory_order_relaxed) != 0;
}

}  // namespace leat::kernels
