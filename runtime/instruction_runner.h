// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InstructionRunner: runs the kernels of one step on one device and lets go of
// the values that they were the last to read. Knows nothing of order.
#ifndef LEAT_RUNTIME_INSTRUCTION_RUNNER_H_
#define LEAT_RUNTIME_INSTRUCTION_RUNNER_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"
#include "leat/runtime/activation.h"
#include "leat/runtime/program.h"
#include "leat/runtime/step.h"

namespace leat {

// Takes one from a count; true when that was the last. Only a step that several
// threads work on pays for an atomic operation.
template <bool kShared>
bool TakeLast(int32_t& count) {
  if constexpr (kShared) {
    std::atomic_ref<int32_t> shared(count);
    // Whoever takes the last one has no rival left.
    if (shared.load(std::memory_order_acquire) == 1) {
      shared.store(0, std::memory_order_relaxed);
      return true;
    }
    return shared.fetch_sub(1, std::memory_order_acq_rel) == 1;
  } else {
    return --count == 0;
  }
}

// Thread-safe between Start and the step's end.
class InstructionRunner {
 public:
  using Instruction = Program::Instruction;
  using Time = std::chrono::steady_clock::time_point;

  explicit InstructionRunner(const Program& program) : program_(program) {}

  // Everything is borrowed until the step ends.
  void Start(Step& step, ResourceStore& resources);
  Step& step() const { return *step_; }

  KernelContext ContextFor(const Instruction& instruction,
                           Activation& activation, bool is_dead = false) const;

  // Runs in no time, whatever the sizes of its inputs.
  bool IsQuick(const Instruction& instruction, Activation& activation) const;

  // Reads the variables that the instruction takes as values.
  absl::Status ReadReferences(const Instruction& instruction,
                              Activation& activation) const;

  // Runs a synchronous kernel; false, and the step has failed, when it did.
  template <bool kShared>
  bool Run(const Instruction& instruction, Activation& activation,
           bool is_dead = false) const;

  // After a kernel: checks its outputs and releases its inputs.
  template <bool kShared>
  bool Finish(const Instruction& instruction, Activation& activation) const;

  template <bool kShared>
  void ReleaseInputs(const Instruction& instruction,
                     Activation& activation) const;

  // Takes input `i` of an instruction that only routes values: one reader is
  // then done with it. A variable that is routed as a value is read; false, and
  // the step has failed, when it is uninitialised.
  bool TakeInput(const Instruction& instruction, int i, Activation& activation,
                 Value& value) const;

  // Marks the outputs of an instruction that does not run.
  void SetOutputsDead(const Instruction& instruction,
                      Activation& activation) const;

  void Fail(const Instruction& instruction, Activation& activation,
            const absl::Status& status) const;

  // Tells the observer of a run that ends now. REQUIRES: IsObserved().
  bool IsObserved() const { return step_->observer() != nullptr; }
  void Observe(const Instruction& instruction, const Activation& activation,
               Time started) const;

 private:
  const Program& program_;
  Step* step_ = nullptr;
  StepServices services_;
};

template <bool kShared>
bool InstructionRunner::Run(const Instruction& instruction,
                            Activation& activation, bool is_dead) const {
  const bool observed = IsObserved();
  const Time started = observed ? std::chrono::steady_clock::now() : Time();
  // A dead instruction's references may be dead too.
  absl::Status status = instruction.num_snapshots == 0 || is_dead
                            ? absl::OkStatus()
                            : ReadReferences(instruction, activation);
  if (status.ok()) {
    KernelContext context = ContextFor(instruction, activation, is_dead);
    status = instruction.kernel->Compute(context);
  }
  if (ABSL_PREDICT_FALSE(!status.ok())) {
    Fail(instruction, activation, status);
    return false;
  }
  if (observed) Observe(instruction, activation, started);
  return Finish<kShared>(instruction, activation);
}

template <bool kShared>
bool InstructionRunner::Finish(const Instruction& instruction,
                               Activation& activation) const {
  const int32_t* const readers = activation.readers();
  for (int i = 0; i < instruction.num_outputs; ++i) {
    const int32_t slot = instruction.first_output + i;
    if (readers[slot] == 0) {
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

#endif  // LEAT_RUNTIME_INSTRUCTION_RUNNER_H_
