// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/bundles.h"

#include <algorithm>
#include <utility>

#include "leat/core/devices/device.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/kernel_signature.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/variable_ops.h"

namespace leat {
namespace {

// Is the number of bits in Waits::others, one for each blocking node.
constexpr int kMaxOthers = 64;

// Returns true for a reference or a resource handle.
bool IsHandle(DType declared) {
  return IsRef(declared) || declared == DType::kResource;
}

bool TakesHandle(const Node& node) {
  return std::any_of(node.def->input_types.begin(), node.def->input_types.end(),
                     IsHandle);
}

// Returns true if an input is a reference to the name of a resource such as a
// queue. Such a reference may come from a variable, which the check of inputs
// in WaitsForOthers would take for a plain one.
bool TakesName(const OpDef& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [](const ArgDef& arg) {
    return arg.is_ref && arg.type == DType::kString;
  });
}

// Returns true for a blocking node: it may wait for something other than its
// inputs, namely for another step or for another part of this step.
bool WaitsForOthers(const Graph& graph, const Node& node) {
  if (!TakesHandle(node)) {
    return node.def->op->is_stateful && node.op() != "_Arg" &&
           !IsVariableOp(node.op());
  }
  if (TakesName(*node.def->op)) return true;
  // A node that reads or updates variables waits only for its inputs.
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (IsHandle(node.def->input_types[i]) &&
        !IsVariableOp(graph.node(node.inputs[i].node).op())) {
      return true;
    }
  }
  return false;
}

// Returns true if the op's kernel for CPUs is quick for tensors of all sizes.
bool TakesNoTime(const Graph& graph, const Node& node) {
  const KernelSignature* const signature =
      graph.ops().FindSignature(node.op(), kCpu, node.attrs());
  return signature != nullptr && signature->cost == CostClass::kQuick;
}

}  // namespace

absl::StatusOr<Bundles> Bundles::Create(const Graph& graph,
                                        absl::Span<const int> part_of,
                                        const BundleLimits& limits) {
  Bundles bundles(graph, limits);
  bundles.part_of_.assign(part_of.begin(), part_of.end());
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        TopologicalOrder(graph));
  bundles.waits_.resize(static_cast<size_t>(graph.num_ids()));
  for (const NodeId id : order) bundles.waits_[id] = bundles.WaitsOf(id);
  // An error of shape inference is not reported here: the step that runs the
  // node reports it. Without shapes, only control edges join bundles.
  auto outputs = InferShapes(graph);
  if (outputs.ok()) bundles.outputs_ = *std::move(outputs);
  return bundles;
}

Bundles::Waits Bundles::WaitsOf(NodeId id) {
  const Node& node = graph_->node(id);
  Waits waits{.is_unknown = IsEnter(node) || IsNextIteration(node),
              .computes = !TakesNoTime(*graph_, node)};
  const auto visit = [&](NodeId from) {
    const Waits& before = waits_[from];
    const int hop = part_of_[from] == part_of_[id] ? 0 : 1;
    waits.hops = std::max(waits.hops, before.hops + hop);
    waits.others |= before.others;
    waits.is_unknown = waits.is_unknown || before.is_unknown;
    waits.computes = waits.computes || before.computes;
  };
  for (const Endpoint& input : node.inputs) visit(input.node);
  for (const NodeId control : node.controls) visit(control);
  if (IsMerge(node) && waits.others != 0) waits.is_unknown = true;
  if (!WaitsForOthers(*graph_, node)) return waits;
  if (num_others_ < kMaxOthers) {
    waits.others |= uint64_t{1} << num_others_++;
  } else {
    waits.is_unknown = true;
  }
  return waits;
}

bool Bundles::OnlyUpdates(const Endpoint& source, int device) const {
  for (const Use& use : consumers_.Of(source.node)) {
    const Node& node = graph_->node(use.node);
    if (use.output != source.index || node.device != device) continue;
    const auto& outputs = node.def->output_types;
    if (!TakesHandle(node) ||
        !std::all_of(outputs.begin(), outputs.end(), IsHandle)) {
      return false;
    }
  }
  return true;
}

int64_t Bundles::BytesOf(const Endpoint& source) const {
  if (source.index == TensorId::kControl) return 0;
  constexpr int64_t kUnknown = INT64_MAX;
  const DType dtype = graph_->node(source.node).output_type(source.index);
  if (outputs_.empty() || !IsPlainBytes(dtype)) return kUnknown;
  const auto& outputs = outputs_[static_cast<size_t>(source.node)];
  const auto index = static_cast<size_t>(source.index);
  if (index >= outputs.size() || !outputs[index].shape.IsFullyKnown()) {
    return kUnknown;
  }
  const auto shape = outputs[index].shape.ToShape();
  if (!shape.ok()) return kUnknown;
  return SaturatingMultiply(shape->num_elements(),
                            static_cast<int64_t>(SizeOf(dtype)));
}

void Bundles::Join(const Endpoint& source, int part, int device, NodeId recv) {
  const Waits& waits = waits_[source.node];
  const int64_t bytes = BytesOf(source);
  if (waits.is_unknown || bytes > limits_.max_bytes / 2) return;
  if (waits.computes && !OnlyUpdates(source, device)) return;
  const Key key{part_of_[source.node], device, waits.hops, waits.others,
                waits.computes};
  const auto [open, is_new] = open_.try_emplace(key, bundles_.size());
  if (!is_new) {
    const Bundle& bundle = bundles_[open->second];
    if (bundle.recvs.size() == limits_.max_tensors ||
        bundle.bytes + bytes > limits_.max_bytes) {
      open->second = bundles_.size();
    }
  }
  if (open->second == bundles_.size()) {
    bundles_.push_back(
        {.part = part, .number = static_cast<int>(bundles_.size())});
  }
  Bundle& bundle = bundles_[open->second];
  bundle.recvs.push_back(recv);
  bundle.bytes += bytes;
}

}  // namespace leat
