// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Program: one device's part of a step, compiled. Nodes are renumbered in
// execution order; every output has a slot; edges are flat arrays. A loop
// (frame) has instructions and slots of its own, laid out once and allocated
// per iteration; what is outside of loops is frame 0. Immutable and shared by
// all steps that run it.
#ifndef LEAT_RUNTIME_PROGRAM_H_
#define LEAT_RUNTIME_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel.h"
#include "leat/runtime/session_kernels.h"

namespace leat {

// What a step must keep track of.
enum class Propagation : uint8_t {
  kStraight,  // nothing can be dead
  kFlat,      // branches: Switch and Merge
  kFramed,    // loops too
};

// Node kinds with rules of their own (docs/architecture.md has the table).
enum class InstructionKind : uint8_t {
  kPlain,  // Switch too: its kernel sets the output not taken dead
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kControlTrigger,
  kSend,
};

class Program {
 public:
  // A node, ready to run. Ranges are [first, first + num) of arrays below.
  struct Instruction {
    const Kernel* kernel = nullptr;  // null for what only routes values
    const NodeDef* def = nullptr;
    int32_t frame = 0;         // it takes inputs from
    int32_t local_index = 0;   // among the instructions of its frame
    int32_t output_frame = 0;  // differs for Enter and Exit
    int32_t first_input = 0;   // into input_slots_
    int32_t num_inputs = 0;
    int32_t first_output = 0;  // slots are consecutive
    int32_t num_outputs = 0;
    int32_t first_successor = 0;  // into successors_
    int32_t num_successors = 0;
    int32_t first_snapshot = 0;  // into snapshots_
    int32_t num_snapshots = 0;
    InstructionKind kind = InstructionKind::kPlain;
    bool is_async = false;
    bool is_expensive = false;
    bool is_quick = false;
    bool is_loop_invariant = false;  // an Enter: same value in all iterations
  };

  // An edge to an instruction that waits for it.
  struct Successor {
    int32_t instruction = 0;
    int32_t input = 0;  // kControl for a control edge
    int32_t slot = 0;   // of the value
    static constexpr int32_t kControl = -1;
  };

  // A reference that an instruction reads as a value: before it runs, the
  // variable in slot `reference` is read into the private slot `value`.
  struct Snapshot {
    int32_t reference = 0;
    int32_t value = 0;
  };

  // What one iteration of a frame (or the step, for frame 0) keeps.
  struct FrameLayout {
    std::string name = {};
    int32_t parent = -1;
    int32_t num_instructions = 0;
    int32_t num_slots = 0;
    int32_t num_enters = 0;
    int32_t parallel_iterations = 1;
    // How an iteration begins, one int32 array that is copied: per instruction
    // the edges it waits for (Merge: see merge_count.h); per slot the readers
    // it will have; unless straight, per instruction whether something it waits
    // for was dead, and which input a Merge has taken (-1).
    std::vector<int32_t> initial_counts = {};
  };

  // Compiles the nodes of `graph` for `device`. Errors name node, op and
  // device.
  static absl::StatusOr<std::shared_ptr<const Program>> Compile(
      const Graph& graph, Device& device, SessionKernels& kernels);

  Device& device() const { return *device_; }
  Propagation propagation() const { return propagation_; }
  absl::Span<const Instruction> instructions() const { return instructions_; }
  const Instruction& instruction(int i) const { return instructions_[i]; }
  // instruction(i).is_expensive: asked when it becomes ready, which may be long
  // before the rest of it is needed.
  bool is_expensive(int i) const { return is_expensive_[i]; }
  absl::Span<const FrameLayout> frames() const { return frames_; }

  absl::Span<const int32_t> InputSlots(const Instruction& i) const {
    return absl::MakeConstSpan(input_slots_)
        .subspan(i.first_input, i.num_inputs);
  }
  absl::Span<const Snapshot> Snapshots(const Instruction& i) const {
    return absl::MakeConstSpan(snapshots_)
        .subspan(i.first_snapshot, i.num_snapshots);
  }
  absl::Span<const Successor> Successors(const Instruction& i) const {
    return absl::MakeConstSpan(successors_)
        .subspan(i.first_successor, i.num_successors);
  }

  // Instructions that wait for nothing, from the last to the first; all are in
  // frame 0.
  absl::Span<const int32_t> roots() const { return roots_; }

  // Straight, and nothing waits for the outside or is worth a second thread:
  // steps simply run all instructions in order.
  bool is_sequential() const { return is_sequential_; }

  // The graph that this was compiled from, as it runs: a node's id is the
  // number of its instruction. For observers and dumps. `ops` outlives it.
  Graph ToGraph(const OpRegistry& ops) const;

 private:
  friend class ProgramCompiler;
  Program() = default;

  Device* device_ = nullptr;
  Propagation propagation_ = Propagation::kStraight;
  bool is_sequential_ = true;
  int producer_ = 0;  // of the GraphDef
  int min_consumer_ = 0;
  std::vector<Instruction> instructions_;
  std::vector<bool> is_expensive_;
  std::vector<FrameLayout> frames_;
  std::vector<int32_t> input_slots_;
  std::vector<Snapshot> snapshots_;
  std::vector<Successor> successors_;
  std::vector<int32_t> roots_;
  // What instructions point at.
  std::vector<std::shared_ptr<const NodeDef>> defs_;
  std::vector<std::shared_ptr<const Kernel>> kernels_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_PROGRAM_H_
