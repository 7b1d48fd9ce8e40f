// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/frame_order.h"

#include <utility>

namespace leat {
namespace {

using Instruction = Program::Instruction;
using Successor = Program::Successor;

// Sorts the instructions and loops of all frames topologically. The number of
// an instruction is its index, and loops follow with the numbers of their
// frames.
class FrameSorter {
 public:
  explicit FrameSorter(const Program& program)
      : program_(program),
        num_instructions_(static_cast<int32_t>(program.instructions().size())),
        followers_(num_instructions_ + program.frames().size()),
        pending_(followers_.size()) {}

  std::vector<std::vector<int32_t>> Sort() {
    for (int32_t i = 0; i < num_instructions_; ++i) {
      if (!AddEdges(i)) return {};
    }
    std::vector<int32_t> ready;
    for (int32_t i = Size(); i-- > 0;) {
      if (pending_[i] == 0 && i != LoopOf(0)) ready.push_back(i);
    }
    std::vector<std::vector<int32_t>> order(program_.frames().size());
    int32_t num_sorted = 1;  // frame 0 is no loop
    while (!ready.empty()) {
      const int32_t item = ready.back();
      ready.pop_back();
      ++num_sorted;
      order[FrameOf(item)].push_back(
          item < num_instructions_ ? item : num_instructions_ - item);
      for (const int32_t next : followers_[item]) {
        if (--pending_[next] == 0) ready.push_back(next);
      }
    }
    if (num_sorted != Size()) return {};
    return order;
  }

 private:
  int32_t Size() const { return static_cast<int32_t>(followers_.size()); }
  int32_t LoopOf(int32_t frame) const { return num_instructions_ + frame; }
  // Returns the frame in whose order an instruction or a loop is.
  int32_t FrameOf(int32_t item) const {
    return item < num_instructions_
               ? program_.instruction(item).frame
               : program_.frames()[item - num_instructions_].parent;
  }

  void AddEdge(int32_t from, int32_t to) {
    followers_[from].push_back(to);
    ++pending_[to];
  }

  // Adds the edges from an instruction. Returns false if the instruction gives
  // some iterations a value, and not only Merges wait for it: what waits would
  // run in those iterations only. A Merge that could take a value that every
  // iteration gets has no order either.
  bool AddEdges(int32_t index) {
    const Instruction& from = program_.instruction(index);
    // A Merge that gets nothing in an iteration counts as dead in a fixed
    // order, and is never ready otherwise. Only these two kinds tell the
    // difference.
    if (from.frame != 0 && (from.kind == InstructionKind::kControlTrigger ||
                            from.kind == InstructionKind::kSend)) {
      return false;
    }
    const bool is_enter = from.kind == InstructionKind::kEnter;
    const bool is_next = from.kind == InstructionKind::kNextIteration;
    const bool is_exit = from.kind == InstructionKind::kExit;
    if (is_enter) AddEdge(index, LoopOf(from.output_frame));
    for (const Successor& edge : program_.Successors(from)) {
      const bool to_merge = edge.input != Successor::kControl &&
                            program_.instruction(edge.instruction).kind ==
                                InstructionKind::kMerge;
      if (is_enter || is_next) {
        // The consumers find the value when an iteration begins.
        if (to_merge == from.is_loop_invariant) return false;
      } else {
        AddEdge(is_exit ? LoopOf(from.frame) : index, edge.instruction);
      }
    }
    return true;
  }

  const Program& program_;
  const int32_t num_instructions_;
  std::vector<std::vector<int32_t>> followers_;
  std::vector<int32_t> pending_;  // how many items each one follows
};

}  // namespace

std::vector<std::vector<int32_t>> FindFrameOrder(const Program& program) {
  return FrameSorter(program).Sort();
}

}  // namespace leat
