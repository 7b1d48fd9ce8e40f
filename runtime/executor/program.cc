// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/program.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/analysis/deadness.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/analysis/missing_kernel.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/executor/frame_order.h"
#include "leat/runtime/executor/merge_count.h"

namespace leat {
namespace {

using Instruction = Program::Instruction;

InstructionKind KindOf(const Node& node) {
  if (IsMerge(node)) return InstructionKind::kMerge;
  if (IsEnter(node)) return InstructionKind::kEnter;
  if (IsExit(node)) return InstructionKind::kExit;
  if (IsNextIteration(node)) return InstructionKind::kNextIteration;
  if (node.op() == "ControlTrigger") return InstructionKind::kControlTrigger;
  if (node.op() == "_Send" || node.op() == "_HostSend") {
    return InstructionKind::kSend;
  }
  return InstructionKind::kPlain;
}

// Returns true for Merge, Enter, Exit and NextIteration. They have no kernels,
// because they only route values, which is the work of the propagators.
bool IsRunByPropagator(InstructionKind kind) {
  return kind == InstructionKind::kMerge || IsTransfer(kind);
}

// Adds the node, its op and the device to the message of `status`.
absl::Status CannotCompile(const Node& node, const Device& device,
                           const absl::Status& status) {
  return WithMessage(
      status, absl::StrCat("node '", node.name(), "' (", node.op(), ") on ",
                           device.name(), ": ", status.message()));
}

}  // namespace

// Builds a Program. Compile makes several passes over the graph's nodes, in
// execution order.
class ProgramCompiler {
 public:
  ProgramCompiler(const Graph& graph, Device& device, SessionKernels& kernels)
      : graph_(graph), device_(device), kernels_(kernels) {}

  absl::StatusOr<std::shared_ptr<const Program>> Compile() {
    LEAT_ASSIGN_OR_RETURN(order_, TopologicalOrder(graph_));
    LEAT_ASSIGN_OR_RETURN(frames_, FindFrames(graph_));
    program_->device_ = &device_;
    program_->producer_ = graph_.producer;
    program_->min_consumer_ = graph_.min_consumer;
    program_->propagation_ = frames_.HasLoops() ? Propagation::kFramed
                             : CanCarryDeadTensors(graph_)
                                 ? Propagation::kFlat
                                 : Propagation::kStraight;
    LEAT_RETURN_IF_ERROR(AddFrames());
    position_.assign(graph_.num_ids(), -1);
    program_->instructions_.reserve(order_.size());
    program_->defs_.reserve(order_.size());
    program_->is_expensive_.reserve(order_.size());
    program_->kernels_.reserve(order_.size());
    for (NodeId id : order_) LEAT_RETURN_IF_ERROR(AddInstruction(id));
    LEAT_RETURN_IF_ERROR(AddPinned());
    program_->is_sequential_ =
        fits_one_thread_ && program_->propagation_ == Propagation::kStraight;
    if (!program_->is_sequential_) SortAsRun();
    for (NodeId id : order_) LEAT_RETURN_IF_ERROR(AddToFrames(id));
    AddInputs();
    AddSuccessors();
    AddInitialCounts();
    if (fits_one_thread_ && frames_.HasLoops()) AddOrder();
    return std::shared_ptr<const Program>(std::move(program_));
  }

 private:
  absl::Status AddFrames() {
    LEAT_RETURN_IF_ERROR(CheckFrameDepth(frames_));
    for (const Frame& frame : frames_.frames) {
      program_->frames_.push_back({.name = frame.name, .parent = frame.parent});
    }
    return absl::OkStatus();
  }

  absl::Status AddInstruction(NodeId id) {
    const Node& node = graph_.node(id);
    const KernelSignature* signature = graph_.ops().FindSignature(
        node.op(), device_.info().type, node.attrs());
    if (signature == nullptr) {
      return MissingKernelError(graph_.ops(), *node.def, device_.info().type);
    }
    Instruction instruction;
    instruction.def = node.def.get();
    instruction.kind = KindOf(node);
    instruction.num_inputs = node.num_inputs();
    instruction.num_outputs = node.num_outputs();
    const bool is_gpu = device_.gpu_stream() != nullptr;
    DeviceType kernel_type = device_.info().type;
    if (is_gpu) {
      LEAT_ASSIGN_OR_RETURN(NodeMemory memory, MemoryOf(*node.def, *signature));
      if (memory.runs_on_host) kernel_type = kCpu;
      program_->memories_.push_back(std::move(memory));
    }
    if (!IsRunByPropagator(instruction.kind)) {
      auto kernel = kernels_.Get(*node.def, device_, kernel_type);
      if (!kernel.ok()) return CannotCompile(node, device_, kernel.status());
      instruction.kernel = kernel->get();
      instruction.is_async = instruction.kernel->AsAsync() != nullptr;
      program_->kernels_.push_back(*std::move(kernel));
    }
    instruction.is_expensive = signature->cost == CostClass::kExpensive;
    // Calls of CUDA can take long, so no instruction on a GPU is quick.
    instruction.is_quick = signature->cost == CostClass::kQuick && !is_gpu;
    if (instruction.is_async || instruction.is_expensive) {
      fits_one_thread_ = false;
    }
    position_[id] = Size(program_->instructions_);
    program_->instructions_.push_back(instruction);
    return absl::OkStatus();
  }

  // On a CPU, finds the outputs that are allocated in pinned memory.
  absl::Status AddPinned() {
    if (device_.pinned_allocator() == nullptr) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(const DeviceName device,
                          DeviceName::Parse(device_.name()));
    bool has_pinned = false;
    std::vector<NodeMemory> memories;
    memories.reserve(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      memories.push_back(
          MemoryOnCpu(graph_, order_[i], consumers_, TaskOf(device)));
      // The kernels of quick ops only pass tensors on. An async kernel may end
      // on a thread that must not call CUDA.
      const Instruction& instruction = program_->instructions_[i];
      if (instruction.is_quick || instruction.is_async ||
          instruction.kernel == nullptr) {
        memories[i].is_output_pinned = {};
      }
      has_pinned = has_pinned ||
                   absl::c_linear_search(memories[i].is_output_pinned, true);
    }
    if (has_pinned) program_->memories_ = std::move(memories);
    return absl::OkStatus();
  }

  // Changes the order of the instructions from the topological one to the one
  // in which a single thread of an executor runs them. That thread always
  // continues with the instruction that became ready last. With the new order,
  // the data that the thread needs next is next in memory.
  void SortAsRun() {
    const auto closes_loop = [this](NodeId from, const Use& use) {
      return use.input != TensorId::kControl &&
             IsMerge(graph_.node(use.node)) &&
             IsNextIteration(graph_.node(from));
    };
    std::vector<int32_t> pending(graph_.num_ids());
    for (NodeId id : order_) {
      for (const Use& use : consumers_.Of(id)) {
        if (!closes_loop(id, use)) ++pending[use.node];
      }
    }
    std::vector<NodeId> ready;
    for (NodeId id : order_) {
      if (pending[id] == 0) ready.push_back(id);
    }
    order_.clear();
    std::vector<Instruction> sorted;
    sorted.reserve(program_->instructions_.size());
    std::vector<NodeMemory> memories;
    memories.reserve(program_->memories_.size());
    while (!ready.empty()) {
      const NodeId id = ready.back();
      ready.pop_back();
      order_.push_back(id);
      const int32_t old = position_[id];
      sorted.push_back(program_->instructions_[old]);
      if (!program_->memories_.empty()) {
        memories.push_back(std::move(program_->memories_[old]));
      }
      position_[id] = Size(sorted) - 1;
      for (const Use& use : consumers_.Of(id)) {
        if (!closes_loop(id, use) && --pending[use.node] == 0) {
          ready.push_back(use.node);
        }
      }
    }
    program_->instructions_ = std::move(sorted);
    program_->memories_ = std::move(memories);
  }

  absl::Status AddToFrames(NodeId id) {
    const Node& node = graph_.node(id);
    Instruction& instruction = program_->instructions_[position_[id]];
    program_->defs_.push_back(node.def);
    program_->is_expensive_.push_back(instruction.is_expensive);
    instruction.frame = frames_.of_inputs[id];
    instruction.output_frame = frames_.of_outputs[id];
    Program::FrameLayout& frame = program_->frames_[instruction.frame];
    instruction.local_index = frame.num_instructions++;
    if (node.op() == "_Retval" && instruction.frame != Frames::kRoot) {
      return CannotCompile(
          node, device_,
          absl::InvalidArgumentError(absl::StrCat(
              "a value inside of loop '", frame.name,
              "' cannot be fetched: it has one value an iteration")));
    }
    Program::FrameLayout& output = program_->frames_[instruction.output_frame];
    instruction.first_output = output.num_slots;
    output.num_slots += instruction.num_outputs;
    if (instruction.kind == InstructionKind::kMerge &&
        (node.num_inputs() > merge_count::kMaxEdges ||
         node.controls.size() > merge_count::kMaxEdges)) {
      return CannotCompile(
          node, device_,
          absl::InvalidArgumentError(absl::StrCat(
              "a Merge has at most ", merge_count::kMaxEdges, " inputs")));
    }
    if (instruction.kind != InstructionKind::kEnter) return absl::OkStatus();
    ++output.num_enters;
    LEAT_ASSIGN_OR_RETURN(instruction.is_loop_invariant,
                          node.attrs().Get<bool>("is_constant"));
    LEAT_ASSIGN_OR_RETURN(const int64_t parallel,
                          node.attrs().Get<int64_t>("parallel_iterations"));
    constexpr int64_t kMostParallel = 1024;
    output.parallel_iterations =
        static_cast<int32_t>(std::clamp<int64_t>(parallel, 1, kMostParallel));
    return absl::OkStatus();
  }

  void AddInputs() {
    for (size_t i = 0; i < order_.size(); ++i) {
      const Node& node = graph_.node(order_[i]);
      Instruction& instruction = program_->instructions_[i];
      instruction.first_input = Size(program_->input_slots_);
      instruction.first_snapshot = Size(program_->snapshots_);
      for (int k = 0; k < node.num_inputs(); ++k) {
        const Endpoint& input = node.inputs[k];
        int32_t slot = SlotOf(input);
        const bool is_ref =
            IsRef(graph_.node(input.node).output_type(input.index));
        const bool reads = is_ref && !IsRef(node.def->input_types[k]);
        if (reads && IsRunByPropagator(instruction.kind)) {
          instruction.is_quick = false;  // because TakeInput reads the variable
        } else if (reads) {
          const int32_t value =
              program_->frames_[instruction.frame].num_slots++;
          program_->snapshots_.push_back({.reference = slot, .value = value});
          slot = value;
        }
        program_->input_slots_.push_back(slot);
      }
      instruction.num_snapshots =
          Size(program_->snapshots_) - instruction.first_snapshot;
    }
  }

  void AddSuccessors() {
    for (size_t i = 0; i < order_.size(); ++i) {
      Instruction& instruction = program_->instructions_[i];
      instruction.first_successor = Size(program_->successors_);
      for (const Use& use : consumers_.Of(order_[i])) {
        const bool is_control = use.input == TensorId::kControl;
        program_->successors_.push_back(
            {.instruction = position_[use.node],
             .input = is_control ? Program::Successor::kControl : use.input,
             .slot = is_control ? 0 : instruction.first_output + use.output});
      }
      instruction.num_successors =
          Size(program_->successors_) - instruction.first_successor;
    }
  }

  void AddInitialCounts() {
    const bool straight = program_->propagation_ == Propagation::kStraight;
    for (Program::FrameLayout& layout : program_->frames_) {
      std::vector<int32_t>& counts = layout.initial_counts;
      counts.assign(layout.num_instructions + layout.num_slots, 0);
      if (straight) continue;
      counts.resize(counts.size() + layout.num_instructions, 0);   // dead
      counts.resize(counts.size() + layout.num_instructions, -1);  // taken
    }
    for (size_t i = 0; i < order_.size(); ++i) {
      const Instruction& instruction = program_->instructions_[i];
      const Node& node = graph_.node(order_[i]);
      const int num_controls = static_cast<int>(node.controls.size());
      Program::FrameLayout& layout = program_->frames_[instruction.frame];
      layout.initial_counts[instruction.local_index] =
          instruction.kind == InstructionKind::kMerge
              ? merge_count::Initial(num_controls)
              : node.num_inputs() + num_controls;
      if (node.num_inputs() + num_controls == 0) {
        program_->roots_.push_back(static_cast<int32_t>(i));
      }
      int32_t* const readers =
          layout.initial_counts.data() + layout.num_instructions;
      for (int32_t slot : program_->InputSlots(instruction)) ++readers[slot];
      for (const auto& snapshot : program_->Snapshots(instruction)) {
        ++readers[snapshot.reference];
      }
    }
    // The executor runs the last element first.
    std::reverse(program_->roots_.begin(), program_->roots_.end());
  }

  void AddOrder() {
    std::vector<std::vector<int32_t>> order = FindFrameOrder(*program_);
    for (size_t i = 0; i < order.size(); ++i) {
      program_->frames_[i].order = std::move(order[i]);
    }
  }

  int32_t SlotOf(const Endpoint& endpoint) const {
    return program_->instructions_[position_[endpoint.node]].first_output +
           endpoint.index;
  }

  template <class T>
  static int32_t Size(const std::vector<T>& array) {
    return static_cast<int32_t>(array.size());
  }

  const Graph& graph_;
  Device& device_;
  SessionKernels& kernels_;
  const Consumers consumers_{graph_};
  Frames frames_;
  std::vector<NodeId> order_;
  std::vector<int32_t> position_;  // by NodeId
  // Is true if no instruction is asynchronous or expensive.
  bool fits_one_thread_ = true;
  std::shared_ptr<Program> program_{new Program};
};

absl::StatusOr<std::shared_ptr<const Program>> Program::Compile(
    const Graph& graph, Device& device, SessionKernels& kernels) {
  return ProgramCompiler(graph, device, kernels).Compile();
}

Graph Program::ToGraph(const OpRegistry& ops) const {
  // The output that fills each slot, by frame and slot.
  std::vector<std::vector<Endpoint>> producers(frames_.size());
  for (size_t f = 0; f < frames_.size(); ++f) {
    producers[f].resize(frames_[f].num_slots);
  }
  std::vector<Node> nodes(instructions_.size());
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const Instruction& instruction = instructions_[i];
    const auto id = static_cast<NodeId>(i);
    for (int k = 0; k < instruction.num_outputs; ++k) {
      producers[instruction.output_frame][instruction.first_output + k] = {id,
                                                                           k};
    }
    for (const Successor& edge : Successors(instruction)) {
      if (edge.input != Successor::kControl) continue;
      nodes[edge.instruction].controls.push_back(id);
    }
  }
  Graph graph(ops);
  graph.producer = producer_;
  graph.min_consumer = min_consumer_;
  graph.Reserve(static_cast<int>(nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Instruction& instruction = instructions_[i];
    std::vector<Endpoint>& made = producers[instruction.frame];
    for (const Snapshot& snapshot : Snapshots(instruction)) {
      made[snapshot.value] = made[snapshot.reference];
    }
    Node& node = nodes[i];
    for (int32_t slot : InputSlots(instruction)) {
      node.inputs.push_back(made[slot]);
    }
    node.def = defs_[i];
    node.device = graph.InternDevice(device_->name());
    graph.AddUnchecked(std::move(node));
  }
  return graph;
}

}  // namespace leat
