// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/partition.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/core/wire_names.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/analysis/deadness.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/functions/reachable_functions.h"
#include "leat/partitioner/bundles.h"
#include "leat/partitioner/control_loops.h"
#include "leat/partitioner/internal_node.h"

namespace leat {
namespace {

// Implements PartitionGraph.
class Partitioner {
 public:
  Partitioner(const Graph& graph, PartitionBy by,
              absl::Span<const DeviceInfo> devices,
              absl::Span<const std::string> foreign_tasks,
              const BundleLimits& bundles, int64_t first_edge)
      : graph_(graph),
        by_(by),
        foreign_tasks_(foreign_tasks.begin(), foreign_tasks.end()),
        bundle_limits_(bundles),
        may_be_dead_(CanCarryDeadTensors(graph)),
        next_edge_(first_edge) {
    for (const DeviceInfo& device : devices) {
      incarnations_.emplace(device.name, device.incarnation);
    }
  }

  // Finds the partition of every node.
  absl::Status AssignParts() {
    LEAT_RETURN_IF_ERROR(FindPartsOfDevices());
    part_of_.assign(graph_.num_ids(), -1);
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!graph_.Contains(id)) continue;
      const Node& node = graph_.node(id);
      if (node.device < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("node '", node.name(), "' has no device"));
      }
      const int part = part_of_device_[node.device];
      if (part < 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "node '", node.name(), "' is on ", graph_.AssignedDevice(id),
            ", which is not a device of this step"));
      }
      part_of_[id] = part;
      ++part_sizes_[part];
    }
    return absl::OkStatus();
  }

  // Returns the name of the only partition that has nodes, or "" if there are
  // several or none.
  std::string OnlyPart() const {
    std::string only;
    for (size_t i = 0; i < part_names_.size(); ++i) {
      if (part_sizes_[i] == 0) continue;
      if (!only.empty()) return "";
      only = part_names_[i];
    }
    return only;
  }

  // Copies all nodes to their partitions, and then all edges. REQUIRES:
  // AssignParts has succeeded.
  absl::StatusOr<std::vector<Partition>> Cut() {
    LEAT_ASSIGN_OR_RETURN(frames_, FindFrames(graph_));
    if (by_ == PartitionBy::kTask && bundle_limits_.max_tensors > 1) {
      LEAT_ASSIGN_OR_RETURN(bundles_,
                            Bundles::Create(graph_, part_of_, bundle_limits_));
    }
    for (const std::string& name : part_names_) {
      parts_.push_back({.name = name, .graph = EmptyGraph()});
    }
    copies_.assign(graph_.num_ids(), kNoNode);
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (graph_.Contains(id)) {
        copies_[id] = PartOf(id).AddUnchecked(graph_.node(id));
      }
    }
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (graph_.Contains(id)) LEAT_RETURN_IF_ERROR(Rewire(id));
    }
    MarkBundles();
    std::vector<Partition> result;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (part_sizes_[i] == 0) continue;
      Graph& part = parts_[i].graph;
      part.functions() = ReachableFunctions(part, graph_.functions());
      result.push_back(std::move(parts_[i]));
    }
    return result;
  }

 private:
  // Finds the partition of each device. A device that is not among the given
  // ones gets -1.
  absl::Status FindPartsOfDevices() {
    absl::flat_hash_map<std::string, int> index;
    for (const std::string& name : graph_.devices()) {
      if (!incarnations_.contains(name)) {
        part_of_device_.push_back(-1);
        continue;
      }
      LEAT_ASSIGN_OR_RETURN(const DeviceName device, DeviceName::Parse(name));
      const std::string part =
          by_ == PartitionBy::kTask ? TaskOf(device).ToString() : name;
      const int next = static_cast<int>(part_names_.size());
      const auto [entry, added] = index.emplace(part, next);
      if (added) part_names_.push_back(part);
      part_of_device_.push_back(entry->second);
    }
    part_sizes_.assign(part_names_.size(), 0);
    return absl::OkStatus();
  }

  Graph EmptyGraph() const {
    Graph graph(graph_.ops());
    graph.producer = graph_.producer;
    graph.min_consumer = graph_.min_consumer;
    for (const std::string& device : graph_.devices()) {
      graph.InternDevice(device);
    }
    return graph;
  }

  Graph& PartOf(NodeId id) { return parts_[part_of_[id]].graph; }

  // Sets the inputs and control edges of a node's copy. Adds the nodes that the
  // edges from other partitions need.
  absl::Status Rewire(NodeId id) {
    const Node& original = graph_.node(id);
    Node copy = PartOf(id).node(copies_[id]);
    LEAT_ASSIGN_OR_RETURN(Consumer consumer, Describe(id));
    for (int i = 0; i < original.num_inputs(); ++i) {
      const Endpoint& input = original.inputs[i];
      if (part_of_[input.node] == part_of_[id]) {
        copy.inputs[i] = {copies_[input.node], input.index};
        continue;
      }
      if (IsRef(original.def->input_types[i])) {
        return absl::InvalidArgumentError(absl::StrCat(
            "node '", original.name(), "' on ", graph_.AssignedDevice(id),
            " takes a reference to '", graph_.node(input.node).name(), "' on ",
            graph_.AssignedDevice(input.node),
            ": references do not cross devices"));
      }
      LEAT_ASSIGN_OR_RETURN(const NodeId recv, RecvFor(input, consumer));
      copy.inputs[i] = {recv, 0};
    }
    copy.controls.clear();
    for (const NodeId control : original.controls) {
      if (control == consumer.loop_merge && !consumer.keeps_loop_merge) {
        continue;  // the _Recvs have this edge instead
      }
      NodeId from = copies_[control];
      if (part_of_[control] != part_of_[id]) {
        LEAT_ASSIGN_OR_RETURN(from, ControlRecvFor(control, consumer));
      }
      copy.controls.push_back(from);
    }
    std::sort(copy.controls.begin(), copy.controls.end());
    PartOf(id).mutable_node(copies_[id]) = std::move(copy);
    return absl::OkStatus();
  }

  // Describes a node and what is known about its edges from other partitions.
  struct Consumer {
    NodeId id = kNoNode;
    // Is the Merge of the control loop that starts the node's _Recvs.
    NodeId loop_merge = kNoNode;
    // Is true if the node keeps the control edge from loop_merge. A node keeps
    // this edge if no other edge into the node is cut now, or if another edge
    // into the node will be cut later, when a task cuts its graph by device.
    bool keeps_loop_merge = true;
    // Is the number of variables in other partitions that the node reads.
    int num_reads = 0;
    // Lists, for each partition, the nodes in it that must run before the
    // variables are read. An entry is made when it is first needed.
    absl::flat_hash_map<int, std::vector<NodeId>> awaited = {};
  };

  // Describes a node. Returns INVALID_ARGUMENT if an edge into the node is cut
  // inside of a loop and the node has no control loop.
  absl::StatusOr<Consumer> Describe(NodeId id) const {
    const Node& node = graph_.node(id);
    Consumer consumer;
    consumer.id = id;
    NodeId far = kNoNode;  // a producer in another partition
    bool crosses_later = false;
    const auto visit = [&](NodeId from) {
      if (part_of_[from] != part_of_[id]) {
        far = from;
      } else if (graph_.node(from).device != node.device) {
        crosses_later = true;
      }
    };
    for (const Endpoint& input : node.inputs) {
      visit(input.node);
      if (part_of_[input.node] != part_of_[id] && IsReference(input)) {
        ++consumer.num_reads;
      }
    }
    for (const NodeId control : node.controls) {
      if (graph_.node(control).device == node.device &&
          IsControlLoopMerge(graph_.node(control))) {
        consumer.loop_merge = control;
      } else {
        visit(control);
      }
    }
    if (far == kNoNode) return consumer;
    consumer.keeps_loop_merge = crosses_later;
    const int32_t frame = frames_.of_inputs[id];
    if (frame == Frames::kRoot || consumer.loop_merge != kNoNode) {
      return consumer;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "node '", node.name(), "' on ", graph_.AssignedDevice(id),
        " takes a tensor of '", graph_.node(far).name(), "' on ",
        graph_.AssignedDevice(far), " inside of loop '",
        frames_.frames[frame].name, "' but has no control edge from a '",
        kControlLoopPrefix, "' Merge, which would say when it comes"));
  }

  // Returns true if the output is a reference.
  bool IsReference(const Endpoint& source) const {
    return IsRef(graph_.node(source.node).output_type(source.index));
  }

  // Holds the two ends of a cut edge, as ids in their partitions.
  struct Channel {
    NodeId send = kNoNode;
    NodeId recv = kNoNode;
  };

  // Returns the _Recv of a tensor on the consumer's device. Adds the _Recv and
  // its _Send for the first consumer there. If the tensor is a reference, adds
  // them for each consumer.
  absl::StatusOr<NodeId> RecvFor(const Endpoint& source, Consumer& consumer) {
    const DType dtype = graph_.node(source.node).output_type(source.index);
    const Endpoint value{copies_[source.node], source.index};
    if (IsRef(dtype)) {
      LEAT_ASSIGN_OR_RETURN(
          const Channel read,
          Connect(value, source.node, BaseOf(dtype), consumer));
      LEAT_RETURN_IF_ERROR(OrderRead(source.node, consumer, read));
      return read.recv;
    }
    const int device = graph_.node(consumer.id).device;
    NodeId& recv = recvs_.try_emplace({source, device}, kNoNode).first->second;
    if (recv != kNoNode) return recv;
    LEAT_ASSIGN_OR_RETURN(const Channel channel,
                          Connect(value, source.node, dtype, consumer));
    JoinBundle(source, consumer, channel.recv);
    return recv = channel.recv;
  }

  // Adds a _Recv to a bundle if that is allowed. A _Recv joins no bundle if it
  // is inside of a loop, or if its sender or receiver is a foreign task.
  void JoinBundle(const Endpoint& source, const Consumer& consumer,
                  NodeId recv) {
    if (!bundles_.has_value() || consumer.loop_merge != kNoNode) return;
    const int part = part_of_[consumer.id];
    if (foreign_tasks_.contains(part_names_[part_of_[source.node]]) ||
        foreign_tasks_.contains(part_names_[part])) {
      return;
    }
    bundles_->Join(source, part, graph_.node(consumer.id).device, recv);
  }

  // Sets kBundleAttr on the _Recvs of all bundles with several tensors.
  void MarkBundles() {
    if (!bundles_.has_value()) return;
    for (const Bundles::Bundle& bundle : bundles_->bundles()) {
      if (bundle.recvs.size() < 2) continue;
      Graph& graph = parts_[bundle.part].graph;
      for (const NodeId id : bundle.recvs) {
        NodeDef marked = *graph.node(id).def;
        marked.attrs.Set(kBundleAttr, static_cast<int64_t>(bundle.number));
        graph.Replace(id, std::make_shared<NodeDef>(std::move(marked)));
      }
    }
  }

  // Adds the control edges that order the read of a variable. In Leat, the
  // _Send reads the variable on its own device. In TensorFlow, a task reads the
  // variable when the tensor is received. The read must come after everything
  // that the consumer waits for, so both the _Send and the _Recv get control
  // edges, and each consumer has a channel of its own.
  absl::Status OrderRead(NodeId variable, Consumer& consumer,
                         const Channel& read) {
    // A Merge waits only for the first of its inputs that arrives.
    if (IsMerge(graph_.node(consumer.id))) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(const absl::Span<const NodeId> there,
                          AwaitedWith(variable, consumer));
    for (const NodeId from : there) {
      if (from == copies_[variable]) continue;
      PartOf(variable).AddControl(from, read.send);
    }
    LEAT_ASSIGN_OR_RETURN(const absl::Span<const NodeId> here,
                          AwaitedWith(consumer.id, consumer));
    for (const NodeId from : here) {
      PartOf(consumer.id).AddControl(from, read.recv);
    }
    return absl::OkStatus();
  }

  // Returns the nodes in the partition of `node` that `consumer` waits for. If
  // several reads must wait for several nodes, adds a NoOp that waits for these
  // nodes, and returns only the NoOp. The NoOp is on the device of `node`. So n
  // reads and m nodes need only n + m edges.
  absl::StatusOr<absl::Span<const NodeId>> AwaitedWith(NodeId node,
                                                       Consumer& consumer) {
    const int part = part_of_[node];
    const auto [it, is_new] = consumer.awaited.try_emplace(part);
    std::vector<NodeId>& awaited = it->second;
    if (!is_new) return absl::MakeConstSpan(awaited);
    const Node& waits = graph_.node(consumer.id);
    const auto visit = [&](NodeId from) {
      if (part_of_[from] == part) awaited.push_back(copies_[from]);
    };
    for (const Endpoint& input : waits.inputs) visit(input.node);
    for (const NodeId control : waits.controls) visit(control);
    std::sort(awaited.begin(), awaited.end());
    awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
    if (consumer.num_reads < 2 || awaited.size() < 2) {
      return absl::MakeConstSpan(awaited);
    }
    Graph& graph = PartOf(node);
    NodeDef gate{.name = NewName(waits, "before_reads", graph)};
    LEAT_ASSIGN_OR_RETURN(const NodeId all,
                          AddInternalNode("NoOp", std::move(gate),
                                          graph_.node(node).device, graph));
    graph.mutable_node(all).controls.assign(awaited.begin(), awaited.end());
    awaited = {all};
    return absl::MakeConstSpan(awaited);
  }

  // Does for a control edge what RecvFor does for a tensor. The source's
  // partition sends an empty constant that waits for the source. Returns an
  // Identity of the received tensor. The consumer must wait for this Identity.
  absl::StatusOr<NodeId> ControlRecvFor(NodeId source,
                                        const Consumer& consumer) {
    const int device = graph_.node(consumer.id).device;
    const Endpoint key{source, TensorId::kControl};
    NodeId& waiting = recvs_.try_emplace({key, device}, kNoNode).first->second;
    if (waiting != kNoNode) return waiting;
    const Node& producer = graph_.node(source);
    NodeDef dummy{.name = NewName(producer, "ctrl", PartOf(source))};
    // An int32 is in memory of the host on a GPU, too.
    dummy.attrs.Set("dtype", DType::kInt32);
    dummy.attrs.Set("value", Tensor::Of<int32_t>(Shape{0}, {}));
    LEAT_ASSIGN_OR_RETURN(const NodeId constant,
                          AddInternalNode("Const", std::move(dummy),
                                          producer.device, PartOf(source)));
    PartOf(source).mutable_node(constant).controls.push_back(copies_[source]);
    LEAT_ASSIGN_OR_RETURN(
        const Channel channel,
        Connect({constant, 0}, source, DType::kInt32, consumer));
    JoinBundle(key, consumer, channel.recv);
    Graph& there = PartOf(consumer.id);
    NodeDef identity{.name = NewName(producer, "arrived", there)};
    identity.attrs.Set("T", DType::kInt32);
    LEAT_ASSIGN_OR_RETURN(
        waiting,
        AddInternalNode("Identity", std::move(identity), device, there));
    there.mutable_node(waiting).inputs.push_back({channel.recv, 0});
    return waiting;
  }

  // Adds a _Send of `value`, an endpoint in the partition of `source`, and its
  // _Recv on the device of `consumer`.
  absl::StatusOr<Channel> Connect(const Endpoint& value, NodeId source,
                                  DType dtype, const Consumer& consumer) {
    const Node& producer = graph_.node(source);
    Graph& there = PartOf(consumer.id);
    const std::string& send_device = graph_.AssignedDevice(source);
    AttrMap common;
    common.Set("tensor_name",
               absl::StrCat("edge_", next_edge_++, "_", producer.name()));
    common.Set("send_device", send_device);
    common.Set("send_device_incarnation",
               static_cast<int64_t>(incarnations_.at(send_device)));
    common.Set("recv_device", graph_.AssignedDevice(consumer.id));
    common.Set("client_terminated", false);
    NodeDef send{.name = NewName(producer, "send", PartOf(source)),
                 .attrs = common};
    send.attrs.Set("T", dtype);
    LEAT_ASSIGN_OR_RETURN(const NodeId sender,
                          AddInternalNode("_Send", std::move(send),
                                          producer.device, PartOf(source)));
    PartOf(source).mutable_node(sender).inputs.push_back(value);
    NodeDef recv{.name = NewName(producer, "recv", there),
                 .attrs = std::move(common)};
    recv.attrs.Set("tensor_type", dtype);
    recv.attrs.Set(kMayBeDeadAttr, may_be_dead_);
    LEAT_ASSIGN_OR_RETURN(
        const NodeId receiver,
        AddInternalNode("_Recv", std::move(recv),
                        graph_.node(consumer.id).device, there));
    if (consumer.loop_merge != kNoNode) {
      there.AddControl(copies_[consumer.loop_merge], receiver);
    }
    return Channel{sender, receiver};
  }

  // Returns a new name for a node that belongs to an edge of `producer`. The
  // suffixes are TensorFlow's: _S if the graph is cut by task, and _G if it is
  // cut by device. The client may have used such a name itself, so the name is
  // made unique.
  std::string NewName(const Node& producer, absl::string_view what,
                      Graph& graph) {
    return graph.UniqueName(
        absl::StrCat(producer.name(), "/", what,
                     by_ == PartitionBy::kTask ? "_S" : "_G", num_names_++));
  }

  const Graph& graph_;
  const PartitionBy by_;
  const absl::flat_hash_set<std::string> foreign_tasks_;
  const BundleLimits bundle_limits_;
  const bool may_be_dead_;
  Frames frames_;
  std::optional<Bundles> bundles_;  // nullopt if there are none
  absl::flat_hash_map<std::string, uint64_t> incarnations_;  // by device
  std::vector<int> part_of_device_;  // by index into graph_.devices()
  std::vector<std::string> part_names_;
  std::vector<int64_t> part_sizes_;  // numbers of nodes
  std::vector<int> part_of_;         // by NodeId
  std::vector<Partition> parts_;
  std::vector<NodeId> copies_;  // id in graph_ -> id in its partition
  // Holds, for each endpoint and receiving device, the node that takes the
  // place of the endpoint for the consumers on this device. It is the _Recv or,
  // for a control edge, the Identity of the received tensor.
  absl::flat_hash_map<std::pair<Endpoint, int>, NodeId> recvs_;
  int64_t next_edge_;  // the number of the next edge that is cut
  int64_t num_names_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Partition>> PartitionGraph(
    Graph graph, PartitionBy by, absl::Span<const DeviceInfo> devices,
    absl::Span<const std::string> foreign_tasks, const BundleLimits& bundles,
    int64_t first_edge) {
  Partitioner partitioner(graph, by, devices, foreign_tasks, bundles,
                          first_edge);
  LEAT_RETURN_IF_ERROR(partitioner.AssignParts());
  if (std::string only = partitioner.OnlyPart(); !only.empty()) {
    std::vector<Partition> whole;
    whole.push_back({.name = std::move(only), .graph = std::move(graph)});
    return whole;
  }
  return partitioner.Cut();
}

}  // namespace leat
