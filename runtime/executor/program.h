// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Program is the compiled form of the part of a step that runs on one device.
// The nodes become instructions, which are numbered in execution order. Every
// output has a slot, and edges lie in flat arrays. Each loop (frame) has its
// own instructions and slots. The compiler decides where they lie, and each
// iteration allocates memory for them. Nodes outside of loops belong to frame
// 0.
//
// For example, take nodes a, b and c with one output each, where b reads a, and
// c reads a and b. They become the instructions 0, 1 and 2 with the slots 0, 1
// and 2. Their inputs are the slots [], [0] and [0, 1]. When a step begins, the
// instructions wait for 0, 1 and 2 edges, and 2, 1 and 0 reads of the slots are
// to come.
#ifndef LEAT_RUNTIME_EXECUTOR_PROGRAM_H_
#define LEAT_RUNTIME_EXECUTOR_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/graph/analysis/node_memory.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel.h"
#include "leat/runtime/executor/session_kernels.h"

namespace leat {

// Says what a step must keep track of, from the cheapest to the most general.
enum class Propagation : uint8_t {
  // Nothing can be dead.
  kStraight,
  // There are branches: Switch and Merge.
  kFlat,
  // There are loops, too.
  kFramed,
};

// The kinds of nodes. A table in docs/architecture.md lists the rules of all
// kinds except kPlain.
enum class InstructionKind : uint8_t {
  kPlain,  // includes Switch, whose kernel marks an output dead
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kControlTrigger,
  kSend,
};

// Returns true for the kinds that carry a value from one iteration or frame to
// another.
inline bool IsTransfer(InstructionKind kind) {
  return kind == InstructionKind::kEnter || kind == InstructionKind::kExit ||
         kind == InstructionKind::kNextIteration;
}

// A Program is immutable and thread-safe. All steps that run it share it. The
// Program shares the ownership of its kernels and node definitions. The device
// is borrowed and must outlive the Program.
//
// An instruction is identified by its index in execution order. For a
// sequential program the execution order is a topological order. For other
// programs it is the order in which a single thread of an executor would run
// the instructions. That thread then finds its next instruction next in memory.
class Program {
 public:
  // A compiled node. A pair of members `first_x` and `num_x` stands for the
  // range [first_x, first_x + num_x) of an array of the program, or of the
  // slots of a frame.
  struct Instruction {
    // Null for an instruction that only routes values.
    const Kernel* kernel = nullptr;
    // The node, owned by the program.
    const NodeDef* def = nullptr;
    int32_t frame = 0;         // frame of its inputs
    int32_t local_index = 0;   // number within the frame
    int32_t output_frame = 0;  // differs from `frame` for Enter and Exit
    int32_t first_input = 0;   // index into input_slots_
    int32_t num_inputs = 0;
    int32_t first_output = 0;  // the slots are consecutive
    int32_t num_outputs = 0;
    int32_t first_successor = 0;  // index into successors_
    int32_t num_successors = 0;
    int32_t first_snapshot = 0;  // index into snapshots_
    int32_t num_snapshots = 0;
    // Decides which rules the instruction follows.
    InstructionKind kind = InstructionKind::kPlain;
    // `is_async` is true if the kernel is an AsyncKernel. `is_expensive` and
    // `is_quick` follow from the CostClass of the kernel.
    bool is_async = false;
    bool is_expensive = false;
    bool is_quick = false;
    bool is_loop_invariant = false;  // true for an Enter with is_constant
  };

  // An edge from an instruction to one that waits for it.
  struct Successor {
    int32_t instruction = 0;  // the one that waits
    int32_t input = 0;        // index of its input, or kControl
    int32_t slot = 0;         // slot of the value on the edge
    static constexpr int32_t kControl = -1;
  };

  // Describes an input for which an instruction reads the value of a variable.
  // Slot `reference` holds the variable. Before the instruction runs, the
  // variable is read and its value is put into slot `value`. No other
  // instruction uses slot `value`.
  struct Snapshot {
    int32_t reference = 0;
    int32_t value = 0;
  };

  // Describes what one iteration of a frame holds. For frame 0 it describes
  // what the step holds outside of loops.
  struct FrameLayout {
    std::string name = {};  // frame_name of its Enters
    int32_t parent = -1;    // frame that contains it, or -1
    int32_t num_instructions = 0;
    int32_t num_slots = 0;
    int32_t num_enters = 0;           // Enters that lead into it
    int32_t parallel_iterations = 1;  // how many may run at the same time
    // The counts with which an iteration begins. They are one array, so that
    // they can be copied at once. The array has, in this order:
    // - per instruction, the number of edges it waits for (for a Merge, see
    //   merge_count.h);
    // - per slot, the number of reads that will come;
    // - per instruction, 0. It changes to 1 if something that the instruction
    //   waits for was dead, but never for a Merge. A straight program has no
    //   such numbers;
    // - per instruction, -1. For a Merge it changes to the index of the input
    //   that the Merge has taken. A straight program has no such numbers.
    std::vector<int32_t> initial_counts = {};
    // If the program has an order, holds the instructions and inner loops of an
    // iteration in the order in which one thread runs them. The number i >= 0
    // stands for instruction i, and -f stands for the loop with frame f.
    std::vector<int32_t> order = {};
  };

  // Compiles `graph`. All nodes of `graph` run on `device`. `kernels` creates
  // the kernels, or finds kernels that the session already has. Returns
  // INVALID_ARGUMENT if the loops of the graph are malformed, or if there is no
  // kernel for a node. If a kernel cannot be constructed, returns the error of
  // its construction. An error about one node names the node, its op and the
  // device.
  static absl::StatusOr<std::shared_ptr<const Program>> Compile(
      const Graph& graph, Device& device, SessionKernels& kernels);

  // Returns the device on which the program runs. Borrowed.
  Device& device() const { return *device_; }
  // Says what the steps of this program must keep track of.
  Propagation propagation() const { return propagation_; }
  // Returns all instructions, in execution order.
  absl::Span<const Instruction> instructions() const { return instructions_; }
  const Instruction& instruction(int i) const { return instructions_[i]; }
  // Returns instruction(i).is_expensive from a separate array. The executor
  // reads this flag when an instruction becomes ready, often long before it
  // reads the rest of the instruction.
  bool is_expensive(int i) const { return is_expensive_[i]; }
  // Returns the layouts of the frames. Parents come before their children.
  absl::Span<const FrameLayout> frames() const { return frames_; }

  // These functions return the ranges that belong to instruction `i`: the slots
  // of its inputs, the variables whose values it reads, and the edges from it.
  absl::Span<const int32_t> InputSlots(const Instruction& i) const {
    return Range(input_slots_, i.first_input, i.num_inputs);
  }
  absl::Span<const Snapshot> Snapshots(const Instruction& i) const {
    return Range(snapshots_, i.first_snapshot, i.num_snapshots);
  }
  absl::Span<const Successor> Successors(const Instruction& i) const {
    return Range(successors_, i.first_successor, i.num_successors);
  }
  // Returns true if MemoryOf returns anything but null.
  bool has_memories() const { return !memories_.empty(); }
  // Says in which memory the tensors of instruction `i` lie. Returns null if
  // all are in ordinary memory of the host.
  const NodeMemory* MemoryOf(const Instruction& i) const {
    return memories_.empty() ? nullptr : &memories_[&i - instructions_.data()];
  }

  // Returns the instructions that wait for nothing, from the last to the first.
  // All of them are in frame 0.
  absl::Span<const int32_t> roots() const { return roots_; }

  // Returns true if the program is straight and no instruction is asynchronous
  // or expensive. A step then runs all instructions in order, one after
  // another.
  bool is_sequential() const { return is_sequential_; }
  // Returns true if the program has loops, FrameLayout::order says in which
  // order one thread runs them, and no instruction is asynchronous or
  // expensive.
  bool has_order() const { return !frames_[0].order.empty(); }

  // Returns the graph from which this program was compiled, for observers and
  // dumps. The id of a node is the index of its instruction. The result borrows
  // `ops`.
  Graph ToGraph(const OpRegistry& ops) const;

 private:
  friend class ProgramCompiler;
  Program() = default;

  // Returns `size` elements of `all`, from element `first` on. Unlike subspan,
  // does not check the bounds, because Range is called several times for each
  // kernel that runs.
  template <class T>
  static absl::Span<const T> Range(const std::vector<T>& all, int32_t first,
                                   int32_t size) {
    return absl::Span<const T>(all.data() + first, static_cast<size_t>(size));
  }

  Device* device_ = nullptr;
  Propagation propagation_ = Propagation::kStraight;
  bool is_sequential_ = true;
  int producer_ = 0;      // producer version of the GraphDef
  int min_consumer_ = 0;  // min_consumer version of the GraphDef
  std::vector<Instruction> instructions_;
  // Has one element per instruction on a GPU, and on a CPU if an output is
  // allocated in pinned memory. Otherwise it is empty.
  std::vector<NodeMemory> memories_;
  std::vector<bool> is_expensive_;
  std::vector<FrameLayout> frames_;
  // An instruction refers to ranges of the next three arrays.
  std::vector<int32_t> input_slots_;
  std::vector<Snapshot> snapshots_;
  std::vector<Successor> successors_;
  std::vector<int32_t> roots_;
  // These vectors own the objects that the instructions point to.
  std::vector<std::shared_ptr<const NodeDef>> defs_;
  std::vector<std::shared_ptr<const Kernel>> kernels_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_PROGRAM_H_
