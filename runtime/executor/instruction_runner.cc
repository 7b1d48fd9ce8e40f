// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/instruction_runner.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/kernels/variable.h"
#include "leat/runtime/executor/kernel_error.h"

namespace leat {
namespace {

// Returns the shape of a tensor, or of the value of a variable. A variable that
// has no value yet counts as a scalar.
Shape ShapeOf(const Value& value) {
  if (value.tensor.IsValid()) return value.tensor.shape();
  Shape shape;
  if (value.ref != nullptr) {
    value.ref
        ->WithValue([&shape](const Tensor& tensor) {
          shape = tensor.shape();
          return absl::OkStatus();
        })
        .IgnoreError();
  }
  return shape;
}

}  // namespace

void InstructionRunner::Start(const StepPart& part,
                              const SessionServices& session,
                              FunctionCaller* functions) {
  Step& step = part.step;
  step_ = &step;
  launched_ = part.launched;
  services_ = {.device = &program_.device(),
               .resources = session.resources,
               .step_resources = &step.resources(),
               .rendezvous = &step.rendezvous(),
               .cancellation = &step.cancellation(),
               .step_id = step.id(),
               .args = step.args(),
               .returns = step.returns(),
               .functions = functions,
               .session = &session,
               .collectives = step.collectives(),
               .observer = step.observer(),
               .call_depth = step.call_depth()};
  const bool is_gpu = &host_side_ != services_.device;
  all_share_services_ =
      !is_gpu && !program_.has_memories() && step.allocations() == nullptr;
  if (!is_gpu) return;
  host_services_ = services_;
  host_services_.device = &host_side_;
}

const StepServices& InstructionRunner::OwnServices(
    const Instruction& instruction) const {
  const NodeMemory* const memory = program_.MemoryOf(instruction);
  const bool runs_on_host = memory != nullptr && memory->runs_on_host;
  const StepServices& services = runs_on_host ? host_services_ : services_;
  StepAllocations* const allocations = step_->allocations();
  return allocations == nullptr
             ? services
             : allocations->ServicesFor(*instruction.def, services);
}

bool InstructionRunner::MayLaunch(const Instruction& instruction) const {
  return launched_ != nullptr && !program_.MemoryOf(instruction)->runs_on_host;
}

absl::Status InstructionRunner::Compute(const Instruction& instruction,
                                        KernelContext& context) const {
  if (!MayLaunch(instruction)) return instruction.kernel->Compute(context);
  GpuStream& stream = *services_.device->gpu_stream();
  const uint64_t before = stream.num_queued();
  const absl::Status status = instruction.kernel->Compute(context);
  if (stream.num_queued() != before) launched_->Add(*instruction.def);
  return status.ok() ? stream.EndKernel() : status;
}

void InstructionRunner::ComputeAsync(const Instruction& instruction,
                                     KernelContext& context,
                                     AsyncKernel::Done done) const {
  const AsyncKernel& kernel = *instruction.kernel->AsAsync();
  if (!MayLaunch(instruction)) {
    return kernel.ComputeAsync(context, std::move(done));
  }
  GpuStream& stream = *services_.device->gpu_stream();
  launched_->Add(*instruction.def);
  launched_->BeginWait();
  kernel.ComputeAsync(
      context, [&stream, launched = launched_,
                done = std::move(done)](absl::Status status) mutable {
        launched->EndWait();
        std::move(done)(status.ok() ? stream.EndKernel() : status);
      });
}

bool InstructionRunner::IsQuick(const Instruction& instruction,
                                Activation& activation) const {
  if (!instruction.is_quick) return false;
  for (const Program::Snapshot& snapshot : program_.Snapshots(instruction)) {
    const Value& reference = activation.slots[snapshot.reference];
    if (reference.ref != nullptr && !reference.ref->IsQuickToRead()) {
      return false;
    }
  }
  if (instruction.kernel == nullptr) return true;
  KernelContext context = ContextFor(instruction, activation);
  return instruction.kernel->IsQuick(context);
}

absl::Status InstructionRunner::ReadReferences(const Instruction& instruction,
                                               Activation& activation) const {
  for (const Program::Snapshot& snapshot : program_.Snapshots(instruction)) {
    const Value& reference = activation.slots[snapshot.reference];
    auto value =
        reference.ref->Read(ServicesFor(instruction).device->allocator());
    if (!value.ok()) return value.status();
    activation.slots[snapshot.value].tensor = *std::move(value);
  }
  return absl::OkStatus();
}

bool InstructionRunner::TakeInput(const Instruction& instruction, int i,
                                  Activation& activation, Value& value) const {
  const int32_t slot = program_.InputSlots(instruction)[i];
  int32_t& readers = activation.readers()[slot];
  Value& from = activation.slots[slot];
  if (std::atomic_ref<int32_t>(readers).load(std::memory_order_acquire) == 1) {
    readers = 0;
    value = std::exchange(from, Value());
  } else {
    value = from;
    if (TakeLast<true>(readers)) from.Clear();
  }
  if (value.ref == nullptr || IsRef(instruction.def->input_types[i])) {
    return true;
  }
  auto read = value.ref->Read(services_.device->allocator());
  if (!read.ok()) {
    Fail(instruction, activation, read.status());
    return false;
  }
  value = Value{.tensor = *std::move(read)};
  return true;
}

bool InstructionRunner::RunMerge(const Instruction& merge, int32_t taken,
                                 Activation& activation) const {
  const int32_t* const readers = activation.readers();
  const Time started = IsObserved() ? std::chrono::steady_clock::now() : Time();
  Value value;
  if (!TakeInput(merge, taken, activation, value)) return false;
  if (readers[merge.first_output] != 0) {
    activation.slots[merge.first_output] = std::move(value);
  }
  if (readers[merge.first_output + 1] != 0) {
    auto index = Tensor::Allocate(program_.device().host_allocator(),
                                  DType::kInt32, Shape());
    if (!index.ok()) {
      Fail(merge, activation, index.status());
      return false;
    }
    index->mutable_data<int32_t>()[0] = taken;
    activation.slots[merge.first_output + 1].tensor = *std::move(index);
  }
  if (IsObserved()) Observe(merge, activation, started);
  return true;
}

void InstructionRunner::SetOutputsDead(const Instruction& instruction,
                                       Activation& activation) const {
  for (int i = 0; i < instruction.num_outputs; ++i) {
    const int32_t slot = instruction.first_output + i;
    if (activation.readers()[slot] != 0) activation.slots[slot].dead = true;
  }
}

void InstructionRunner::Fail(const Instruction& instruction,
                             Activation& activation,
                             const absl::Status& status) const {
  absl::Status error = KernelError(status, *instruction.def, *services_.device,
                                   ContextFor(instruction, activation));
  if (launched_ != nullptr) {
    error =
        WithLaunchedNodes(error, *launched_, *services_.device->gpu_stream());
  }
  step_->Fail(
      IsOutOfMemory(error)
          ? WithAllocations(error, step_->allocations(), *services_.device)
          : error);
}

std::vector<Shape> InstructionRunner::InputShapes(
    const Instruction& instruction, const Activation& activation) const {
  const absl::Span<const Program::Snapshot> snapshots =
      program_.Snapshots(instruction);
  std::vector<Shape> shapes;
  for (const int32_t slot : program_.InputSlots(instruction)) {
    // The values of variables are not read yet.
    const auto snapshot = std::find_if(
        snapshots.begin(), snapshots.end(),
        [slot](const Program::Snapshot& each) { return each.value == slot; });
    shapes.push_back(ShapeOf(
        activation
            .slots[snapshot == snapshots.end() ? slot : snapshot->reference]));
  }
  return shapes;
}

absl::Status InstructionRunner::RunKernelObserved(
    const Instruction& instruction, Activation& activation,
    bool is_dead) const {
  std::vector<Shape> input_shapes;
  if (!is_dead && step_->observer()->WantsInputShapes()) {
    input_shapes = InputShapes(instruction, activation);
  }
  const Time started = std::chrono::steady_clock::now();
  absl::Status status = RunKernel(instruction, activation, is_dead);
  if (status.ok()) Observe(instruction, activation, started, input_shapes);
  return status;
}

void InstructionRunner::Observe(const Instruction& instruction,
                                const Activation& activation, Time started,
                                absl::Span<const Shape> input_shapes) const {
  const Time ended = std::chrono::steady_clock::now();
  absl::InlinedVector<const Tensor*, 4> outputs;
  // Enter, Exit and NextIteration put their outputs into another activation.
  const bool has_outputs = instruction.kernel != nullptr ||
                           instruction.kind == InstructionKind::kMerge;
  for (int i = 0; has_outputs && i < instruction.num_outputs; ++i) {
    const Tensor& tensor =
        activation.slots[instruction.first_output + i].tensor;
    outputs.push_back(tensor.IsValid() ? &tensor : nullptr);
  }
  step_->observer()->OnNodeRun(
      {.node = instruction.def->name,
       .op = instruction.def->op->name,
       .device = services_.device,
       .scheduled = activation.scheduled.empty()
                        ? started
                        : activation.scheduled[instruction.local_index],
       .started = started,
       .ended = ended,
       .is_async = instruction.is_async,
       .outputs = outputs,
       .input_shapes = input_shapes});
}

}  // namespace leat
