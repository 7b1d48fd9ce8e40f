// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/partition.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/graph/deadness.h"
#include "leat/graph/frames.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

class Partitioner {
 public:
  Partitioner(const Graph& graph, PartitionBy by,
              absl::Span<const DeviceInfo> devices)
      : graph_(graph), by_(by), may_be_dead_(CanCarryDeadTensors(graph)) {
    for (const DeviceInfo& device : devices) {
      incarnations_.emplace(device.name, device.incarnation);
    }
  }

  // Which partition every node belongs to.
  absl::Status AssignParts() {
    LEAT_RETURN_IF_ERROR(NameDevices());
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
        return absl::InvalidArgumentError(
            absl::StrCat("node '", node.name(), "' is on ",
                         graph_.AssignedDevice(id), ", which is not here"));
      }
      part_of_[id] = part;
      ++part_sizes_[part];
    }
    return absl::OkStatus();
  }

  // The only partition that has nodes, if there is just one; "" otherwise.
  std::string OnlyPart() const {
    std::string only;
    for (size_t i = 0; i < part_names_.size(); ++i) {
      if (part_sizes_[i] == 0) continue;
      if (!only.empty()) return "";
      only = part_names_[i];
    }
    return only;
  }

  // A loop needs all its iterations' values at hand: one partition each.
  absl::Status CheckLoops() const {
    LEAT_ASSIGN_OR_RETURN(const Frames frames, FindFrames(graph_));
    std::vector<NodeId> first(frames.frames.size(), kNoNode);
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!graph_.Contains(id)) continue;
      // An Enter and an Exit belong to two frames.
      for (int32_t frame : {frames.of_inputs[id], frames.of_outputs[id]}) {
        if (frame == Frames::kRoot) continue;
        NodeId& other = first[frame];
        if (other == kNoNode) other = id;
        if (part_of_[id] == part_of_[other]) continue;
        return absl::UnimplementedError(absl::StrCat(
            "loop '", frames.frames[frame].name,
            "' has nodes on two devices: '", graph_.node(other).name(), "' on ",
            graph_.AssignedDevice(other), " and '", graph_.node(id).name(),
            "' on ", graph_.AssignedDevice(id)));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Partition>> Cut() {
    LEAT_RETURN_IF_ERROR(CheckLoops());
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
    std::vector<Partition> result;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (part_sizes_[i] > 0) result.push_back(std::move(parts_[i]));
    }
    return result;
  }

 private:
  absl::Status NameDevices() {
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
    graph.functions() = graph_.functions();
    for (const std::string& device : graph_.devices()) {
      graph.InternDevice(device);
    }
    return graph;
  }

  Graph& PartOf(NodeId id) { return parts_[part_of_[id]].graph; }

  absl::Status Rewire(NodeId id) {
    const Node& original = graph_.node(id);
    Node copy = PartOf(id).node(copies_[id]);
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
      LEAT_ASSIGN_OR_RETURN(const NodeId recv, RecvFor(input, id));
      copy.inputs[i] = {recv, 0};
    }
    for (NodeId& control : copy.controls) {
      if (part_of_[control] == part_of_[id]) {
        control = copies_[control];
      } else {
        LEAT_ASSIGN_OR_RETURN(control, ControlRecvFor(control, id));
      }
    }
    PartOf(id).mutable_node(copies_[id]) = std::move(copy);
    return absl::OkStatus();
  }

  // The _Recv of a tensor on a consumer's device, made with its _Send when the
  // first consumer there asks for it.
  absl::StatusOr<NodeId> RecvFor(const Endpoint& source, NodeId consumer) {
    const int device = graph_.node(consumer).device;
    NodeId& recv = recvs_.try_emplace({source, device}, kNoNode).first->second;
    if (recv != kNoNode) return recv;
    const Node& producer = graph_.node(source.node);
    const DType dtype = BaseOf(producer.output_type(source.index));
    LEAT_ASSIGN_OR_RETURN(recv, Connect({copies_[source.node], source.index},
                                        source.node, dtype, consumer));
    return recv;
  }

  // The same for a control edge: an empty constant that waits for the source
  // is sent, and an Identity of what arrives is waited for.
  absl::StatusOr<NodeId> ControlRecvFor(NodeId source, NodeId consumer) {
    const int device = graph_.node(consumer).device;
    const Endpoint key{source, TensorId::kControl};
    NodeId& waiting = recvs_.try_emplace({key, device}, kNoNode).first->second;
    if (waiting != kNoNode) return waiting;
    const Node& producer = graph_.node(source);
    NodeDef dummy{.name = NewName(producer, "ctrl", PartOf(source))};
    dummy.attrs.Set("dtype", DType::kFloat);
    dummy.attrs.Set("value", Tensor::Of<float>(Shape{0}, {}));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId constant,
        AddNode("Const", std::move(dummy), PartOf(source), producer.device));
    PartOf(source).mutable_node(constant).controls.push_back(copies_[source]);
    LEAT_ASSIGN_OR_RETURN(const NodeId recv, Connect({constant, 0}, source,
                                                     DType::kFloat, consumer));
    NodeDef identity{.name = NewName(producer, "arrived", PartOf(consumer))};
    identity.attrs.Set("T", DType::kFloat);
    LEAT_ASSIGN_OR_RETURN(waiting, AddNode("Identity", std::move(identity),
                                           PartOf(consumer), device));
    PartOf(consumer).mutable_node(waiting).inputs.push_back({recv, 0});
    return waiting;
  }

  // Adds a _Send of `value` (an endpoint in the partition of `source`) and its
  // _Recv on the device of `consumer`.
  absl::StatusOr<NodeId> Connect(const Endpoint& value, NodeId source,
                                 DType dtype, NodeId consumer) {
    const Node& producer = graph_.node(source);
    const int device = graph_.node(consumer).device;
    const std::string& send_device = graph_.AssignedDevice(source);
    AttrMap common;
    common.Set("tensor_name",
               absl::StrCat("edge_", num_edges_++, "_", producer.name()));
    common.Set("send_device", send_device);
    common.Set("send_device_incarnation",
               static_cast<int64_t>(incarnations_.at(send_device)));
    common.Set("recv_device", graph_.AssignedDevice(consumer));
    common.Set("client_terminated", false);
    NodeDef send{.name = NewName(producer, "send", PartOf(source)),
                 .attrs = common};
    send.attrs.Set("T", dtype);
    LEAT_ASSIGN_OR_RETURN(
        const NodeId sender,
        AddNode("_Send", std::move(send), PartOf(source), producer.device));
    PartOf(source).mutable_node(sender).inputs.push_back(value);
    NodeDef recv{.name = NewName(producer, "recv", PartOf(consumer)),
                 .attrs = std::move(common)};
    recv.attrs.Set("tensor_type", dtype);
    recv.attrs.Set(kMayBeDeadAttr, may_be_dead_);
    return AddNode("_Recv", std::move(recv), PartOf(consumer), device);
  }

  absl::StatusOr<NodeId> AddNode(absl::string_view op, NodeDef def,
                                 Graph& graph, int device) {
    LEAT_ASSIGN_OR_RETURN(def.op, graph.ops().Lookup(op));
    LEAT_ASSIGN_OR_RETURN(def.input_types, InputTypes(*def.op, def.attrs));
    LEAT_ASSIGN_OR_RETURN(def.output_types, OutputTypes(*def.op, def.attrs));
    Node node{.def = std::make_shared<const NodeDef>(std::move(def))};
    node.device = device;
    return graph.AddUnchecked(std::move(node));
  }

  // TensorFlow's suffixes: _S (by task), _G (by device). The client may have a
  // node of that name.
  std::string NewName(const Node& producer, absl::string_view what,
                      Graph& graph) {
    return graph.UniqueName(
        absl::StrCat(producer.name(), "/", what,
                     by_ == PartitionBy::kTask ? "_S" : "_G", num_names_++));
  }

  const Graph& graph_;
  const PartitionBy by_;
  const bool may_be_dead_;
  absl::flat_hash_map<std::string, uint64_t> incarnations_;
  std::vector<int> part_of_device_;  // by index into graph_.devices()
  std::vector<std::string> part_names_;
  std::vector<int64_t> part_sizes_;
  std::vector<int> part_of_;  // by NodeId
  std::vector<Partition> parts_;
  std::vector<NodeId> copies_;  // id in graph_ -> id in its partition
  absl::flat_hash_map<std::pair<Endpoint, int>, NodeId> recvs_;
  int64_t num_edges_ = 0;
  int64_t num_names_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Partition>> PartitionGraph(
    Graph graph, PartitionBy by, absl::Span<const DeviceInfo> devices) {
  Partitioner partitioner(graph, by, devices);
  LEAT_RETURN_IF_ERROR(partitioner.AssignParts());
  if (std::string only = partitioner.OnlyPart(); !only.empty()) {
    std::vector<Partition> whole;
    whole.push_back({.name = std::move(only), .graph = std::move(graph)});
    return whole;
  }
  return partitioner.Cut();
}

}  // namespace leat
