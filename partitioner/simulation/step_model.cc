// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/simulation/step_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/analysis/node_memory.h"
#include "leat/graph/kernel_signature.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/rendezvous_attrs.h"
#include "leat/partitioner/bundles.h"

namespace leat {
namespace {

NodeRole RoleOf(const Node& node) {
  if (IsMerge(node)) return NodeRole::kMerge;
  if (IsExit(node)) return NodeRole::kExit;
  if (IsNextIteration(node)) return NodeRole::kNextIteration;
  if (node.op() == "ControlTrigger") return NodeRole::kControlTrigger;
  if (node.op() == "_Send") return NodeRole::kSend;
  if (node.op() == "_Recv") return NodeRole::kRecv;
  if (!IsEnter(node)) return NodeRole::kPlain;
  return node.attrs().Get<bool>("is_constant").value_or(false)
             ? NodeRole::kConstantEnter
             : NodeRole::kEnter;
}

// Makes a StepModel.
class ModelBuilder {
 public:
  ModelBuilder(const ClusterModel& cluster, absl::Span<const Partition> parts,
               absl::Span<const std::vector<NodeCost>> costs)
      : cluster_(cluster), parts_(parts), costs_(costs) {}

  absl::StatusOr<StepModel> Build(int64_t max_runs) {
    LEAT_ASSIGN_OR_RETURN(step_.loops, Loops::Find(parts_, costs_, max_runs));
    LEAT_RETURN_IF_ERROR(FindDevices());
    for (size_t part = 0; part < parts_.size(); ++part) AddNodes(part);
    LEAT_RETURN_IF_ERROR(ConnectSends());
    FindLoopSwitches();
    LEAT_RETURN_IF_ERROR(MakeMessages());
    return std::move(step_);
  }

 private:
  absl::Status FindDevices() {
    for (const Partition& part : parts_) {
      const int device = cluster_.FindDevice(part.name);
      if (device < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("the cluster model has no device ",
                         QuotedText(part.name), ", which has nodes"));
      }
      step_.device_of.push_back(device);
    }
    return absl::OkStatus();
  }

  void AddNodes(size_t part) {
    const Graph& graph = parts_[part].graph;
    step_.first_node.push_back(static_cast<int32_t>(step_.nodes.size()));
    step_.consumers.emplace_back(graph);
    step_.nodes.resize(step_.nodes.size() + graph.num_ids());
    for (NodeId id = 0; id < graph.num_ids(); ++id) {
      if (graph.Contains(id)) AddNode(part, id);
    }
  }

  void AddNode(size_t part, NodeId id) {
    const Graph& graph = parts_[part].graph;
    const Node& node = graph.node(id);
    ModelNode& added = step_.nodes[step_.NodeOf(part, id)];
    added.exists = true;
    added.part = static_cast<int32_t>(part);
    added.role = RoleOf(node);
    added.loop = step_.loops.OfInputs(part, id);
    added.output_loop = step_.loops.OfOutputs(part, id);
    added.first_run = step_.num_runs;
    step_.num_runs += step_.loops.loop(added.loop).num_iterations;
    CountWaits(graph, node, added);
    SetPlace(part, node, added);
    SetTime(part, id, added);
  }

  // The Merge of a loop takes the value of an Enter in the first iteration, and
  // that of a NextIteration in the others.
  static void CountWaits(const Graph& graph, const Node& node,
                         ModelNode& added) {
    const auto all =
        static_cast<int32_t>(node.inputs.size() + node.controls.size());
    int32_t num_next = 0;
    for (const Endpoint& input : node.inputs) {
      num_next += IsNextIteration(graph.node(input.node)) ? 1 : 0;
    }
    const auto num_controls = static_cast<int32_t>(node.controls.size());
    added.num_waits = all - num_next;
    added.num_later_waits = num_next > 0 ? num_next + num_controls : all;
  }

  void SetPlace(size_t part, const Node& node, ModelNode& added) const {
    const DeviceModel& device = cluster_.devices()[step_.device_of[part]];
    const KernelSignature* const signature =
        parts_[part].graph.ops().FindSignature(node.op(), device.type,
                                               node.attrs());
    added.is_expensive =
        signature != nullptr && signature->cost == CostClass::kExpensive;
    if (device.type != kGpu) return;
    if (node.op() == "_CopyToHost" || node.op() == "_CopyToDevice") {
      added.place = RunPlace::kGpuLink;
      added.is_to_host = node.op() == "_CopyToHost";
    } else if (signature != nullptr && !signature->runs_on_host &&
               !node.attrs().Get<bool>(kRunsOnHost).value_or(false)) {
      added.place = RunPlace::kStream;
    }
  }

  // A node of a branch that was taken in some of the measured steps takes that
  // part of its time in each step.
  void SetTime(size_t part, NodeId id, ModelNode& added) const {
    const NodeCost& cost = costs_[part][id];
    const LoopModel& loop = step_.loops.loop(added.loop);
    const DeviceModel& device = cluster_.devices()[step_.device_of[part]];
    double share = 1;
    if (cost.runs_per_step.has_value()) {
      added.never_runs = *cost.runs_per_step <= 0;
      if (loop.turns > 0) {
        share = std::min(1.0, *cost.runs_per_step / loop.turns);
      }
    }
    const int most_cores = added.place == RunPlace::kHost
                               ? cluster_.hosts()[device.host].cores
                               : 1;
    added.cores = std::clamp(cost.cores, 1, most_cores);
    const double seconds = cost.seconds * std::max(cost.cores, 1) / added.cores;
    added.seconds = std::min(seconds * share * loop.weight, kMaxNodeSeconds);
    if (added.place == RunPlace::kGpuLink) {
      const LinkModel& link = cluster_.links()[cluster_.GpuLink(device.host)];
      added.seconds = std::min(
          (link.latency_seconds + cost.moved_bytes / link.bytes_per_second) *
              loop.weight,
          kMaxNodeSeconds);
    }
    added.is_in_work = added.place != RunPlace::kGpuLink &&
                       added.role != NodeRole::kSend &&
                       added.role != NodeRole::kRecv;
  }

  // Finds the _Recv of each _Send.
  absl::Status ConnectSends() {
    absl::flat_hash_map<std::string, int32_t> sends;
    for (const NodeRole role : {NodeRole::kSend, NodeRole::kRecv}) {
      for (size_t i = 0; i < step_.nodes.size(); ++i) {
        ModelNode& node = step_.nodes[i];
        if (!node.exists || node.role != role) continue;
        const auto index = static_cast<int32_t>(i);
        LEAT_ASSIGN_OR_RETURN(const RendezvousKey key,
                              RendezvousKeyOf(GraphNode(index).attrs()));
        if (role == NodeRole::kSend) {
          sends.emplace(key.ToString(), index);
          continue;
        }
        const auto found = sends.find(key.ToString());
        if (found == sends.end()) continue;
        ModelNode& send = step_.nodes[found->second];
        if (send.peer >= 0 || send.loop != node.loop) continue;
        send.peer = index;
        node.peer = found->second;
      }
    }
    return absl::OkStatus();
  }

  const Node& GraphNode(int32_t node) const {
    return parts_[step_.nodes[node].part].graph.node(step_.IdOf(node));
  }

  // A Switch that takes the LoopCond of its loop, maybe from another device,
  // decides whether the loop turns again.
  void FindLoopSwitches() {
    if (step_.loops.loops().size() == 1) return;
    for (size_t i = 0; i < step_.nodes.size(); ++i) {
      ModelNode& node = step_.nodes[i];
      if (!node.exists || node.loop == Loops::kNone) continue;
      const auto index = static_cast<int32_t>(i);
      if (IsSwitch(GraphNode(index)) && TakesLoopCondition(index)) {
        node.role = NodeRole::kLoopSwitch;
      }
    }
  }

  bool TakesLoopCondition(int32_t loop_switch) const {
    constexpr int kMaxHops = 8;  // each hop may be a transfer
    int32_t node = step_.NodeOf(step_.nodes[loop_switch].part,
                                GraphNode(loop_switch).inputs[1].node);
    for (int hop = 0; hop < kMaxHops; ++hop) {
      const Node& def = GraphNode(node);
      if (def.op() == "LoopCond") return true;
      if (step_.nodes[node].role == NodeRole::kRecv) {
        node = step_.nodes[node].peer;
        if (node < 0) return false;
      } else if (def.num_inputs() != 1) {
        return false;
      }
      node =
          step_.NodeOf(step_.nodes[node].part, GraphNode(node).inputs[0].node);
    }
    return false;
  }

  // Makes a message of each _Recv, or of all _Recvs of a bundle.
  absl::Status MakeMessages() {
    absl::flat_hash_map<int64_t, int32_t> bundles;
    for (size_t i = 0; i < step_.nodes.size(); ++i) {
      ModelNode& node = step_.nodes[i];
      if (!node.exists || node.role != NodeRole::kRecv) continue;
      const auto index = static_cast<int32_t>(i);
      auto message = static_cast<int32_t>(step_.messages.size());
      const auto bundle = GraphNode(index).attrs().Get<int64_t>(kBundleAttr);
      if (bundle.ok()) {
        message = bundles.try_emplace(*bundle, message).first->second;
      }
      if (message == static_cast<int32_t>(step_.messages.size())) {
        step_.messages.emplace_back();
      }
      LEAT_RETURN_IF_ERROR(AddToMessage(index, message));
    }
    for (ModelMessage& message : step_.messages) {
      message.first_run = step_.num_message_runs;
      const LoopModel& loop = step_.loops.loop(message.loop);
      step_.num_message_runs += loop.num_iterations;
      ChargeProcessors(message);
    }
    return absl::OkStatus();
  }

  // Fails if a bundle has several loops, receivers or sending tasks. The state
  // of a message is by iteration of its loop, and its link is between tasks.
  absl::Status AddToMessage(int32_t recv, int32_t index) {
    ModelMessage& message = step_.messages[index];
    ModelNode& node = step_.nodes[recv];
    const int32_t to = step_.device_of[node.part];
    const int32_t from =
        node.peer < 0 ? to : step_.device_of[step_.nodes[node.peer].part];
    if (message.recvs.empty()) {
      message = {.from = from,
                 .to = to,
                 .link = cluster_.LinkBetween(TaskOf(from), TaskOf(to)),
                 .loop = node.loop};
    } else if (message.loop != node.loop || message.to != to ||
               TaskOf(message.from) != TaskOf(from)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "node ", QuotedText(GraphNode(recv).name()), " on ",
          parts_[node.part].name,
          " is in a bundle of another loop, device or sending task"));
    }
    node.message = index;
    message.recvs.push_back(recv);
    if (node.peer < 0) return absl::OkStatus();
    ModelNode& send = step_.nodes[node.peer];
    send.message = index;
    if (message.first_send < 0) message.first_send = node.peer;
    ++message.num_sends;
    message.bytes += costs_[send.part][step_.IdOf(node.peer)].moved_bytes;
    return absl::OkStatus();
  }

  int TaskOf(int32_t device) const { return cluster_.devices()[device].task; }

  // Adds the processor time of a message to its _Sends and _Recvs. What was
  // measured of a _Send has that time already, unless the _Send was within a
  // process. The time of a _Recv is never measured.
  void ChargeProcessors(const ModelMessage& message) {
    if (message.link == ClusterModel::kNoLink) return;
    const LinkModel& link = cluster_.links()[message.link];
    const double seconds = std::min(
        (link.seconds_per_message + message.bytes * link.seconds_per_byte) *
            step_.loops.loop(message.loop).weight /
            static_cast<double>(message.recvs.size()),
        kMaxNodeSeconds);
    for (const int32_t recv : message.recvs) {
      step_.nodes[recv].seconds += seconds;
      const int32_t peer = step_.nodes[recv].peer;
      if (peer < 0) continue;
      ModelNode& send = step_.nodes[peer];
      const bool is_measured =
          costs_[send.part][step_.IdOf(peer)].origin == CostOrigin::kMeasured;
      send.seconds = is_measured ? std::max(send.seconds, seconds)
                                 : send.seconds + seconds;
    }
  }

  const ClusterModel& cluster_;
  const absl::Span<const Partition> parts_;
  const absl::Span<const std::vector<NodeCost>> costs_;
  StepModel step_;
};

}  // namespace

absl::StatusOr<StepModel> StepModel::Create(
    const ClusterModel& cluster, absl::Span<const Partition> parts,
    absl::Span<const std::vector<NodeCost>> costs, int64_t max_runs) {
  return ModelBuilder(cluster, parts, costs).Build(max_runs);
}

}  // namespace leat
