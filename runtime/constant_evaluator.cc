// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/constant_evaluator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/device.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/flush_denormals.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"

namespace leat {
namespace {

// A BoundedAllocator is an allocator that refuses blocks that are too large for
// a constant. Without this limit a graph of a few bytes could ask for a
// terabyte.
class BoundedAllocator final : public Allocator {
 public:
  explicit BoundedAllocator(int64_t max_bytes) : max_bytes_(max_bytes) {}
  BufferRef Allocate(size_t bytes) override {
    if (bytes > static_cast<size_t>(max_bytes_)) return nullptr;
    return HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const override { return "constants"; }

 private:
  const int64_t max_bytes_;
};

// A PlanningDevice is the device on which kernels run while a step is planned.
class PlanningDevice final : public Device {
 public:
  PlanningDevice(WorkQueue& queue, int64_t max_bytes)
      : Device({.name = "/device:CPU:0", .type = kCpu, .incarnation = 1}),
        queue_(queue),
        allocator_(max_bytes) {}
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return allocator_; }
  WorkQueue& compute_queue() override { return queue_; }

 private:
  WorkQueue& queue_;
  BoundedAllocator allocator_;
};

class KernelEvaluator final : public ConstantEvaluator {
 public:
  KernelEvaluator(const KernelRegistry& kernels, WorkQueue& queue)
      : kernels_(kernels), queue_(queue) {}

  absl::StatusOr<std::vector<Tensor>> Evaluate(const NodeDef& node,
                                               absl::Span<const Tensor> inputs,
                                               int64_t max_bytes) override {
    LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel,
                          kernels_.Create(node, kCpu));
    if (node.op->is_stateful || kernel->AsAsync() != nullptr) {
      return absl::UnimplementedError(absl::StrCat(
          "node '", node.name, "' (", node.op->name, ") is no constant"));
    }
    std::vector<Value> slots(inputs.size() + node.output_types.size());
    // Gives every input two readers, so that no kernel writes its output over
    // an input.
    const std::vector<int32_t> readers(slots.size(), 2);
    std::vector<int32_t> input_slots;
    for (size_t i = 0; i < inputs.size(); ++i) {
      slots[i].tensor = inputs[i];
      input_slots.push_back(static_cast<int32_t>(i));
    }
    LEAT_RETURN_IF_ERROR(
        Compute(*kernel, node,
                ValueSlots{.slots = slots.data(),
                           .readers = readers.data(),
                           .inputs = input_slots,
                           .first_output = static_cast<int32_t>(inputs.size()),
                           .num_outputs =
                               static_cast<int32_t>(node.output_types.size())},
                max_bytes));
    return Outputs(node, absl::MakeSpan(slots).subspan(inputs.size()));
  }

 private:
  absl::Status Compute(const Kernel& kernel, const NodeDef& node,
                       const ValueSlots& values, int64_t max_bytes) {
    PlanningDevice device(queue_, max_bytes);
    ResourceStore resources, step_resources;
    Cancellation cancellation;
    const StepServices services{.device = &device,
                                .resources = &resources,
                                .step_resources = &step_resources,
                                .cancellation = &cancellation};
    const FlushDenormals flush;
    KernelContext context(node, services, values);
    return kernel.Compute(context);
  }

  static absl::StatusOr<std::vector<Tensor>> Outputs(const NodeDef& node,
                                                     absl::Span<Value> slots) {
    std::vector<Tensor> outputs;
    for (Value& slot : slots) {
      if (!slot.tensor.IsValid()) {
        return absl::InternalError(
            absl::StrCat("node '", node.name, "' (", node.op->name,
                         ") gives no tensor while it is planned"));
      }
      outputs.push_back(std::move(slot.tensor));
    }
    return outputs;
  }

  const KernelRegistry& kernels_;
  WorkQueue& queue_;
};

}  // namespace

std::unique_ptr<ConstantEvaluator> NewConstantEvaluator(
    const KernelRegistry& kernels, WorkQueue& queue) {
  return std::make_unique<KernelEvaluator>(kernels, queue);
}

}  // namespace leat
