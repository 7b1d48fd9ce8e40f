// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/kernel_test_harness.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/files/file_service.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/graph.h"
#include "leat/kernels/indices/index_faults.h"
#include "leat/kernels/variable.h"

namespace leat::testing {
namespace {

class HostDevice final : public Device {
 public:
  explicit HostDevice(WorkQueue& queue)
      : Device({.name = "/job:localhost/replica:0/task:0/device:CPU:0",
                .type = kCpu,
                .memory_bytes = int64_t{1} << 30,
                .incarnation = 1}),
        queue_(queue) {}
  Allocator& allocator() final { return HostAllocator(); }
  Allocator& host_allocator() final { return HostAllocator(); }
  WorkQueue& compute_queue() final { return queue_; }
  FileService* files() final { return &files_; }

 private:
  WorkQueue& queue_;
  FileService files_{FileAccess::Unrestricted()};
};

// Derives the attrs of one argument from the types of its tensors. These types
// are types[begin] to types[end - 1].
void DeriveAttrs(const ArgDef& arg, const std::vector<DType>& types,
                 size_t begin, size_t end, AttrMap& attrs) {
  if (!arg.number_attr.empty() && !attrs.Has(arg.number_attr)) {
    attrs.Set(arg.number_attr, static_cast<int64_t>(end - begin));
  }
  if (!arg.type_attr.empty() && !attrs.Has(arg.type_attr) && begin < end &&
      end <= types.size()) {
    attrs.Set(arg.type_attr, BaseOf(types[begin]));
  }
  if (!arg.type_list_attr.empty() && !attrs.Has(arg.type_list_attr)) {
    attrs.Set(arg.type_list_attr,
              std::vector<DType>(types.begin() + begin, types.begin() + end));
  }
}

void DeriveAttrs(const OpDef& op, const std::vector<DType>& types,
                 AttrMap& attrs) {
  size_t begin = 0;
  for (const ArgDef& arg : op.inputs) {
    size_t count = 1;
    if (!arg.number_attr.empty() || !arg.type_list_attr.empty()) {
      const auto number = attrs.Get<int64_t>(arg.number_attr);
      const auto list = attrs.Get<std::vector<DType>>(arg.type_list_attr);
      if (number.ok()) {
        count = static_cast<size_t>(*number);
      } else if (list.ok()) {
        count = list->size();
      } else {
        // The list has as many elements as there are types left for it.
        count = types.size() + 1 - std::min(types.size(), op.inputs.size());
      }
    }
    const size_t end = std::min(begin + count, types.size());
    DeriveAttrs(arg, types, std::min(begin, end), end, attrs);
    begin = end;
  }
}

absl::Status RunKernel(const Kernel& kernel, KernelContext& context) {
  const AsyncKernel* async = kernel.AsAsync();
  if (async == nullptr) return kernel.Compute(context);
  Mutex mutex;
  CondVar changed;
  bool is_done = false;
  absl::Status result;
  async->ComputeAsync(context, [&](absl::Status status) {
    MutexLock lock(mutex);
    result = std::move(status);
    is_done = true;
    changed.NotifyOne();
  });
  MutexLock lock(mutex);
  while (!is_done) changed.Wait(mutex);
  return result;
}

}  // namespace

const OpRegistry& AllOps() {
  static const OpRegistry* const registry = [] {
    auto* made = new OpRegistry();
    ops::RegisterAll(*made);
    return made;
  }();
  return *registry;
}

Value TensorValue(Tensor tensor) {
  Value value;
  value.tensor = std::move(tensor);
  return value;
}

Value RefValue(std::shared_ptr<kernels::Variable> variable) {
  Value value;
  value.ref = std::move(variable);
  return value;
}

KernelTestHarness::KernelTestHarness(int num_threads)
    : queue_(NewThreadPool("test", num_threads)),
      kernels_(AllKernels()),
      device_(std::make_unique<HostDevice>(*queue_)) {
  FillServices();
}

KernelTestHarness::KernelTestHarness(std::unique_ptr<TestGpu> gpu,
                                     const KernelRegistry& kernels)
    : gpu_(gpu.get()), kernels_(kernels), device_(std::move(gpu)) {
  FillServices();
}

void KernelTestHarness::FillServices() {
  services_.device = device_.get();
  services_.resources = &resources_;
  services_.step_resources = &step_resources_;
  services_.cancellation = &cancellation_;
  services_.step_id = 1;
  session_.device = device_.get();
  session_.resources = &resources_;
  session_.background = &background_;
  services_.session = &session_;
}

KernelTestHarness::~KernelTestHarness() {
  resources_.Clear();
  step_resources_.Clear();
  background_.Wait();
}

absl::StatusOr<TestKernel> KernelTestHarness::Make(
    absl::string_view op, AttrMap attrs,
    const std::vector<DType>& input_types) {
  TestKernel result;
  result.node_ = std::make_unique<NodeDef>();
  NodeDef& node = *result.node_;
  node.name = "test";
  LEAT_ASSIGN_OR_RETURN(node.op, AllOps().Lookup(op));
  DeriveAttrs(*node.op, input_types, attrs);
  LEAT_RETURN_IF_ERROR(CheckAttrs(*node.op, attrs, /*fill_defaults=*/true));
  node.attrs = std::move(attrs);
  LEAT_ASSIGN_OR_RETURN(node.input_types, InputTypes(*node.op, node.attrs));
  LEAT_ASSIGN_OR_RETURN(node.output_types, OutputTypes(*node.op, node.attrs));
  if (node.input_types.size() != input_types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(op, " takes ", node.input_types.size(), " inputs, got ",
                     input_types.size()));
  }
  for (size_t i = 0; i < input_types.size(); ++i) {
    if (BaseOf(node.input_types[i]) == BaseOf(input_types[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "input ", i, " of ", op, " is of type ", Name(node.input_types[i]),
        ", got ", Name(input_types[i])));
  }
  const DeviceType& type = device_->info().type;
  const KernelSignature* const signature =
      AllOps().FindSignature(op, type, node.attrs);
  if (signature == nullptr || signature->runs_on_host) {
    return absl::NotFoundError(
        absl::StrCat("no kernel signature of ", op, " accepts these attrs"));
  }
  LEAT_ASSIGN_OR_RETURN(result.kernel_, kernels_.Create(node, type));
  return result;
}

void KernelTestHarness::CopyInputs(const NodeMemory& memory,
                                   std::vector<Value>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor& tensor = inputs[i].tensor;
    if (tensor.IsValid() && !memory.is_input_on_host[i]) {
      tensor = gpu_->ToDevice(tensor);
    }
  }
}

Tensor KernelTestHarness::ToDevice(const Tensor& tensor) {
  return gpu_ != nullptr ? gpu_->ToDevice(tensor) : tensor;
}

Tensor KernelTestHarness::ToHost(const Tensor& tensor) {
  return gpu_ != nullptr ? gpu_->ToHost(tensor) : tensor;
}

absl::StatusOr<std::vector<Value>> KernelTestHarness::Run(
    const TestKernel& kernel, std::vector<Value> inputs) {
  const NodeDef& node = kernel.node();
  const int num_inputs = static_cast<int>(inputs.size());
  const int num_outputs = static_cast<int>(node.output_types.size());
  std::vector<int32_t> input_slots;
  for (int i = 0; i < num_inputs; ++i) {
    input_slots.push_back(i);
    // Reads the value, as the executor does if a node uses a reference as a
    // value.
    if (inputs[i].ref != nullptr && !IsRef(node.input_types[i])) {
      LEAT_ASSIGN_OR_RETURN(inputs[i].tensor,
                            inputs[i].ref->Read(device_->allocator()));
      inputs[i].ref.reset();
    }
  }
  NodeMemory memory;
  if (gpu_ != nullptr) {
    LEAT_ASSIGN_OR_RETURN(
        memory, MemoryOf(node, *AllOps().FindSignature(node.op->name, kGpu,
                                                       node.attrs)));
    CopyInputs(memory, inputs);
  }
  std::vector<Value> slots = std::move(inputs);
  slots.resize(num_inputs + num_outputs);
  const std::vector<int32_t> readers(slots.size(), 1);
  KernelContext context(
      node, services_,
      ValueSlots{.slots = slots.data(),
                 .readers = readers.data(),
                 .inputs = input_slots,
                 .first_output = num_inputs,
                 .num_outputs = num_outputs,
                 .memory = gpu_ == nullptr ? nullptr : &memory});
  const absl::Status status = RunKernel(kernel.kernel(), context);
  slots.erase(slots.begin(), slots.begin() + num_inputs);
  if (gpu_ != nullptr) {
    // The queued work runs only here, after the inputs have been released.
    LEAT_RETURN_IF_ERROR(gpu_->RunAll());
    const kernels::FoundIndexFault fault =
        kernels::FindIndexFault(step_resources_, *device_);
    step_resources_.Clear();
    LEAT_RETURN_IF_ERROR(status);
    LEAT_RETURN_IF_ERROR(fault.error);
    for (Value& slot : slots) {
      if (slot.tensor.IsValid()) slot.tensor = ToHost(slot.tensor);
    }
  }
  LEAT_RETURN_IF_ERROR(status);
  return slots;
}

absl::StatusOr<std::vector<Tensor>> KernelTestHarness::Run(
    absl::string_view op, AttrMap attrs, std::vector<Tensor> inputs) {
  std::vector<DType> types;
  std::vector<Value> values;
  for (Tensor& input : inputs) {
    types.push_back(input.dtype());
    values.push_back(TensorValue(std::move(input)));
  }
  LEAT_ASSIGN_OR_RETURN(TestKernel kernel, Make(op, std::move(attrs), types));
  LEAT_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                        Run(kernel, std::move(values)));
  std::vector<Tensor> result;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& tensor = outputs[i].tensor;
    if (tensor.dtype() != kernel.node().output_types[i]) {
      return absl::InternalError(absl::StrCat(
          "output ", i, " of ", op, " has dtype ", Name(tensor.dtype())));
    }
    result.push_back(tensor);
  }
  return result;
}

absl::StatusOr<Tensor> KernelTestHarness::RunOne(absl::string_view op,
                                                 AttrMap attrs,
                                                 std::vector<Tensor> inputs) {
  LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                        Run(op, std::move(attrs), std::move(inputs)));
  if (outputs.size() != 1) {
    return absl::InternalError(
        absl::StrCat(op, " has ", outputs.size(), " outputs"));
  }
  return outputs[0];
}

}  // namespace leat::testing
