// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InstructionRunner runs the kernels of one step on one device, and clears the
// values that nobody will read any more. The executor and the propagators
// decide the order in which instructions run.
//
// An Activation has a slot for the value of each output, and for each slot the
// number of reads that are still to come. The instruction that reads a value
// last clears the slot. If a kernel is the last reader of a value, it may also
// write its output over the bytes of the value
// (KernelContext::ForwardOrAllocate).
#ifndef LEAT_RUNTIME_EXECUTOR_INSTRUCTION_RUNNER_H_
#define LEAT_RUNTIME_EXECUTOR_INSTRUCTION_RUNNER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/session_services.h"
#include "leat/runtime/executor/activation.h"
#include "leat/runtime/executor/program.h"
#include "leat/runtime/executor/step.h"
#include "leat/runtime/executor/step_allocations.h"

namespace leat {

class FunctionCaller;

// Subtracts one from `count`. Returns true if the result is 0. `kShared` must
// be true if several threads work on the step; the operation is then atomic.
template <bool kShared>
bool TakeLast(int32_t& count) {
  if constexpr (kShared) {
    std::atomic_ref<int32_t> shared(count);
    // If the count is 1, only this thread still has to subtract, and no other
    // thread changes the count.
    if (shared.load(std::memory_order_acquire) == 1) {
      shared.store(0, std::memory_order_relaxed);
      return true;
    }
    return shared.fetch_sub(1, std::memory_order_acq_rel) == 1;
  } else {
    return --count == 0;
  }
}

// An InstructionRunner serves one step at a time. It is thread-safe between
// Start and the end of the step.
class InstructionRunner {
 public:
  using Instruction = Program::Instruction;
  using Time = std::chrono::steady_clock::time_point;

  // `program` says where each value lies. It is borrowed and must outlive this
  // object.
  explicit InstructionRunner(const Program& program)
      : program_(program), host_side_(program.device().host_side()) {}

  // Begins a step. Borrows all arguments and the objects in `part` until the
  // step has ended. `session` has the store of the program's device.
  // `functions` is null if the step calls no functions.
  void Start(const StepPart& part, const SessionServices& session,
             FunctionCaller* functions);
  // Returns the step that runs now. REQUIRES: Start was called.
  Step& step() const { return *step_; }

  // Returns what the kernel of `instruction` needs in order to run. `is_dead`
  // tells the kernel of a _Send that the _Send is on a branch that was not
  // taken. The result borrows from this object and from `activation`.
  KernelContext ContextFor(const Instruction& instruction,
                           Activation& activation, bool is_dead = false) const;

  // Returns true if the instruction and the reads of its variables will take
  // negligible time with the current inputs. The instruction may then run on a
  // thread that should not compute.
  bool IsQuick(const Instruction& instruction, Activation& activation) const;

  // For each Program::Snapshot of the instruction, reads the variable and puts
  // its value into the slot of the snapshot. Returns an error if a variable is
  // uninitialised or memory is exhausted.
  absl::Status ReadReferences(const Instruction& instruction,
                              Activation& activation) const;

  // Runs a synchronous kernel and then calls Finish. If the kernel fails, calls
  // Fail and returns false. If Finish returns false, also returns false.
  template <bool kShared>
  bool Run(const Instruction& instruction, Activation& activation,
           bool is_dead = false) const;

  // Starts an async kernel as AsyncKernel::ComputeAsync does.
  void ComputeAsync(const Instruction& instruction, KernelContext& context,
                    AsyncKernel::Done done) const;

  // Must be called after a kernel has succeeded. Drops the outputs that nobody
  // reads, checks that the kernel has set all other outputs, and releases the
  // inputs. If an output is missing, calls Fail and returns false.
  template <bool kShared>
  bool Finish(const Instruction& instruction, Activation& activation) const;

  // Counts one read of each input as done, and clears the inputs that have no
  // reader left.
  template <bool kShared>
  void ReleaseInputs(const Instruction& instruction,
                     Activation& activation) const;

  // Moves input `i` to `value`, or copies it if other instructions will read
  // it, too. Counts one read of the input as done. The instruction must be one
  // that only routes values (Merge, Enter, Exit, NextIteration). If the input
  // is a variable and the instruction takes the variable's value, reads that
  // value. If that read fails, calls Fail and returns false.
  bool TakeInput(const Instruction& instruction, int i, Activation& activation,
                 Value& value) const;

  // Puts input `taken` of a Merge into its output 0, and the number `taken`
  // into its output 1. If the input cannot be read or memory is exhausted,
  // calls Fail and returns false.
  bool RunMerge(const Instruction& merge, int32_t taken,
                Activation& activation) const;

  // Marks the outputs of `instruction` as dead. The caller does this instead of
  // running the instruction.
  void SetOutputsDead(const Instruction& instruction,
                      Activation& activation) const;

  // Adds the node, op, device and input shapes to `status` (kernel_error.h),
  // and makes the step fail with the result.
  void Fail(const Instruction& instruction, Activation& activation,
            const absl::Status& status) const;

  // Returns true if the step has an observer.
  bool IsObserved() const { return step_->observer() != nullptr; }
  // Tells the observer about a run that began at `started` and ends now.
  // `input_shapes` is NodeRun::input_shapes. REQUIRES: IsObserved().
  void Observe(const Instruction& instruction, const Activation& activation,
               Time started, absl::Span<const Shape> input_shapes = {}) const;

 private:
  // Reads the references of the instruction, and runs its synchronous kernel.
  absl::Status RunKernel(const Instruction& instruction, Activation& activation,
                         bool is_dead) const;
  // Does the same, and tells the observer about a run that has succeeded.
  // REQUIRES: IsObserved().
  absl::Status RunKernelObserved(const Instruction& instruction,
                                 Activation& activation, bool is_dead) const;
  // Returns the shapes of the inputs. They must be read before the kernel runs,
  // because it may take its inputs.
  std::vector<Shape> InputShapes(const Instruction& instruction,
                                 const Activation& activation) const;
  // Runs a synchronous kernel. Remembers if it launches work on a GPU.
  absl::Status Compute(const Instruction& instruction,
                       KernelContext& context) const;
  // Returns true if the kernel of `instruction` may launch work on a GPU.
  bool MayLaunch(const Instruction& instruction) const;

  // Returns the services for the kernel of `instruction`.
  const StepServices& ServicesFor(const Instruction& instruction) const {
    return ABSL_PREDICT_TRUE(all_share_services_) ? services_
                                                  : OwnServices(instruction);
  }
  const StepServices& OwnServices(const Instruction& instruction) const;

  const Program& program_;
  Device& host_side_;  // of the program's device
  // The current step, set by Start.
  Step* step_ = nullptr;
  LaunchedNodes* launched_ = nullptr;  // null if the device is not a GPU
  // `services_` are the services that all kernels of the step share.
  // `host_services_` are the services of kernels that run on the host for a
  // node on a GPU.
  StepServices services_;
  StepServices host_services_;  // set for a GPU only
  // Is true if all kernels get `services_`. This is the case on a CPU if nobody
  // counts allocations.
  bool all_share_services_ = true;
};

inline KernelContext InstructionRunner::ContextFor(
    const Instruction& instruction, Activation& activation,
    bool is_dead) const {
  // An instruction without a kernel only routes values. The context gets none
  // of its inputs, because other threads may write or clear them at the same
  // time.
  const bool has_inputs = instruction.kernel != nullptr;
  return KernelContext(
      *instruction.def, ServicesFor(instruction),
      ValueSlots{.slots = activation.slots.data(),
                 .readers = activation.readers(),
                 .inputs = has_inputs ? program_.InputSlots(instruction)
                                      : absl::Span<const int32_t>(),
                 .first_output = instruction.first_output,
                 .num_outputs = instruction.num_outputs,
                 .memory = ABSL_PREDICT_TRUE(all_share_services_)
                               ? nullptr
                               : program_.MemoryOf(instruction)},
      {.frame_id = activation.loop == nullptr ? 0 : activation.loop->id,
       .iteration = activation.iteration,
       .is_dead = is_dead});
}

inline absl::Status InstructionRunner::RunKernel(const Instruction& instruction,
                                                 Activation& activation,
                                                 bool is_dead) const {
  // The references of a dead _Send may be dead too, so they are not read.
  if (instruction.num_snapshots != 0 && !is_dead) {
    absl::Status status = ReadReferences(instruction, activation);
    if (!status.ok()) return status;
  }
  KernelContext context = ContextFor(instruction, activation, is_dead);
  return ABSL_PREDICT_TRUE(all_share_services_)
             ? instruction.kernel->Compute(context)
             : Compute(instruction, context);
}

template <bool kShared>
bool InstructionRunner::Run(const Instruction& instruction,
                            Activation& activation, bool is_dead) const {
  const absl::Status status =
      ABSL_PREDICT_TRUE(!IsObserved())
          ? RunKernel(instruction, activation, is_dead)
          : RunKernelObserved(instruction, activation, is_dead);
  if (ABSL_PREDICT_FALSE(!status.ok())) {
    Fail(instruction, activation, status);
    return false;
  }
  return Finish<kShared>(instruction, activation);
}

template <bool kShared>
bool InstructionRunner::Finish(const Instruction& instruction,
                               Activation& activation) const {
  const int32_t* const readers = activation.readers();
  for (int i = 0; i < instruction.num_outputs; ++i) {
    const int32_t slot = instruction.first_output + i;
    if (readers[slot] == 0) {  // nobody reads this output
      activation.slots[slot].Clear();
    } else if (ABSL_PREDICT_FALSE(activation.slots[slot].IsEmpty())) {
      Fail(instruction, activation,
           absl::InternalError("the kernel did not set an output"));
      return false;
    }
  }
  ReleaseInputs<kShared>(instruction, activation);
  return true;
}

template <bool kShared>
void InstructionRunner::ReleaseInputs(const Instruction& instruction,
                                      Activation& activation) const {
  int32_t* const readers = activation.readers();
  for (int32_t slot : program_.InputSlots(instruction)) {
    if (TakeLast<kShared>(readers[slot])) activation.slots[slot].Clear();
  }
  for (const Program::Snapshot& snapshot : program_.Snapshots(instruction)) {
    if (TakeLast<kShared>(readers[snapshot.reference])) {
      activation.slots[snapshot.reference].Clear();
    }
  }
}

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_INSTRUCTION_RUNNER_H_
