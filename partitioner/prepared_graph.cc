// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/prepared_graph.h"

#include <memory>
#include <vector>

#include "leat/core/devices/device_name.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/colocation.h"
#include "leat/partitioner/placer.h"

namespace leat {
namespace {

// Prepares an addition to a graph. If a member function returns false or an
// error, the whole graph must be prepared again.
class AdditionBuilder {
 public:
  AdditionBuilder(const Graph& graph, const Graph& client, NodeId first)
      : graph_(graph),
        client_(client),
        first_(first),
        result_{.graph = Graph(client.ops())} {}

  // Copies the new nodes of the client's graph. Returns false if lowering has
  // made a node of the same name before.
  bool AddNodes() {
    for (NodeId id = first_; id < client_.num_ids(); ++id) {
      const Node& node = client_.node(id);
      if (graph_.Find(node.name()) != kNoNode) return false;
      result_.graph.AddUnchecked({.def = node.def});
    }
    for (NodeId id = first_; id < client_.num_ids(); ++id) Connect(id);
    return true;
  }

  // Returns false if the nodes cannot be lowered, or if lowering has made
  // functions, which the whole graph does not have.
  bool Lower(const LowerLimits& limits) {
    FunctionLibrary& functions = result_.graph.functions();
    functions = client_.functions();
    return LowerFunctions(result_.graph, limits).ok() &&
           functions.size() == client_.functions().size();
  }

  // Returns true if no name of a new node or loop is taken.
  bool HasNewNames(const absl::flat_hash_set<std::string>& frame_names) const {
    for (NodeId id = 0; id < result_.graph.num_ids(); ++id) {
      if (IsStandIn(id)) continue;
      const Node& node = result_.graph.node(id);
      if (graph_.Find(node.name()) != kNoNode) return false;
      if (IsEnter(node) && frame_names.contains(FrameName(node))) return false;
    }
    return true;
  }

  // Adds stand-ins for the nodes with which new nodes are colocated.
  void AddColocated(const absl::flat_hash_map<std::string, NodeId>& classes) {
    const NodeId end = result_.graph.num_ids();
    for (NodeId id = 0; id < end; ++id) {
      if (IsStandIn(id)) continue;
      const Node node = result_.graph.node(id);
      AddMember(node.name(), classes);
      for (const std::string& name : ColocationClasses(node)) {
        const NodeId other = graph_.Find(name);
        if (other != kNoNode) StandIn(other);
        AddMember(name, classes);
      }
    }
  }

  // Places the new nodes. A stand-in requests the device that its node has.
  absl::Status Place(absl::Span<const DeviceInfo> devices,
                     const PlacerOptions& options) {
    for (const auto& [id, original] : result_.stand_ins) {
      const std::string& device = graph_.AssignedDevice(original);
      auto def = std::make_shared<NodeDef>(*result_.graph.node(id).def);
      def->device = device;
      result_.graph.Replace(id, std::move(def));
      result_.graph.mutable_node(id).device =
          result_.graph.InternDevice(device);
    }
    return PlaceGraph(result_.graph, devices, options);
  }

  // Returns true if each new node that has any kernel has one for the device on
  // which it was placed. The result can be false, because a node that is
  // colocated with a stand-in gets its device even without a kernel there.
  bool HasKernels(absl::Span<const DeviceInfo> devices) const {
    absl::flat_hash_map<std::string, DeviceType> types;
    for (const DeviceInfo& device : devices) {
      types.emplace(device.name, device.type);
    }
    const auto has_kernel = [&](const Node& node, const DeviceType& type) {
      return result_.graph.ops().FindSignature(node.op(), type, node.attrs()) !=
             nullptr;
    };
    for (NodeId id = 0; id < result_.graph.num_ids(); ++id) {
      if (IsStandIn(id)) continue;
      const Node& node = result_.graph.node(id);
      if (has_kernel(node, types.at(result_.graph.AssignedDevice(id)))) {
        continue;
      }
      if (has_kernel(node, kCpu) || has_kernel(node, kGpu)) return false;
    }
    return true;
  }

  // Place may have ignored the requests of some new nodes. Returns true if a
  // placement of the whole graph would ignore all these requests, too. That
  // placement ignores the request of a node only if the node takes a reference
  // or a resource, and its request contradicts the request of the producer.
  bool IgnoredNoOtherRequests() const {
    for (NodeId id = 0; id < result_.graph.num_ids(); ++id) {
      const Node& node = result_.graph.node(id);
      if (IsStandIn(id) || node.def->device.empty() ||
          !IsTiedToInput(result_.graph, id)) {
        continue;
      }
      const auto request = DeviceName::Parse(node.def->device);
      const auto device = DeviceName::Parse(result_.graph.AssignedDevice(id));
      if (!request.ok() || !device.ok()) return false;
      if (!request->Matches(*device) && !ContradictsInput(node, *request)) {
        return false;
      }
    }
    return true;
  }

  PreparedAddition Take() && { return std::move(result_); }

 private:
  bool IsStandIn(NodeId id) const { return result_.stand_ins.contains(id); }

  // Returns true if `request` contradicts the request of a node in `graph_`
  // that `node` takes an input from.
  bool ContradictsInput(const Node& node, const DeviceName& request) const {
    for (const Endpoint& input : node.inputs) {
      const auto original = result_.stand_ins.find(input.node);
      if (original == result_.stand_ins.end()) continue;
      const DType type =
          result_.graph.node(input.node).output_type(input.index);
      if (!IsRef(type) && type != DType::kResource) continue;
      const auto other =
          DeviceName::Parse(graph_.node(original->second).def->device);
      if (other.ok() && !MergeDeviceNames(*other, request).ok()) return true;
    }
    return false;
  }

  // Gives a new node its edges.
  void Connect(NodeId id) {
    const NodeId copy = id - first_;
    for (const Endpoint& input : client_.node(id).inputs) {
      const Endpoint mapped = Map(input);
      result_.graph.mutable_node(copy).inputs.push_back(mapped);
    }
    for (const NodeId control : client_.node(id).controls) {
      MapControl(control, copy);
    }
  }

  // Returns the node of `graph_` that corresponds to node `id` of the client's
  // graph. If node `id` calls a function, lowering has replaced the call by a
  // node that passes the results on.
  NodeId Prepared(NodeId id) const {
    return graph_.Find(client_.node(id).name());
  }
  bool WasLowered(NodeId id) const {
    return graph_.node(Prepared(id)).def != client_.node(id).def;
  }

  // Returns the tensor of `result_.graph` that takes the place of `tensor`. If
  // the producer of `tensor` only passes on the results of a function, takes
  // the tensor that it passes on, as lowering does.
  Endpoint Map(Endpoint tensor) {
    if (tensor.node >= first_) return {tensor.node - first_, tensor.index};
    const NodeId node = Prepared(tensor.node);
    if (!WasLowered(tensor.node)) return {StandIn(node), tensor.index};
    const Endpoint result = graph_.node(node).inputs[tensor.index];
    return {StandIn(result.node), result.index};
  }

  void MapControl(NodeId from, NodeId to) {
    if (from >= first_) return result_.graph.AddControl(from - first_, to);
    const NodeId node = Prepared(from);
    if (!WasLowered(from) || graph_.node(node).controls.empty()) {
      return result_.graph.AddControl(StandIn(node), to);
    }
    for (const NodeId executed : graph_.node(node).controls) {
      result_.graph.AddControl(StandIn(executed), to);
    }
  }

  // Adds a stand-in for a node whose `_class` contains "loc:@`name`", if there
  // is such a node.
  void AddMember(const std::string& name,
                 const absl::flat_hash_map<std::string, NodeId>& classes) {
    const auto member = classes.find(name);
    if (member != classes.end()) StandIn(member->second);
  }

  // Returns the stand-in for node `id` of `graph_`. A stand-in has no inputs.
  // No device has a kernel for its op, so the op does not influence the
  // placement.
  NodeId StandIn(NodeId id) {
    static const OpDef& op = *new OpDef{.name = "StandIn"};
    const auto [it, inserted] = stand_in_of_.try_emplace(id, kNoNode);
    if (!inserted) return it->second;
    const NodeDef& original = *graph_.node(id).def;
    NodeDef def{.name = original.name,
                .op = &op,
                .device = original.device,
                .output_types = original.output_types};
    if (const AttrValue* classes = original.attrs.Find("_class")) {
      def.attrs.Set("_class", *classes);
    }
    it->second = result_.graph.AddUnchecked(
        {.def = std::make_shared<const NodeDef>(std::move(def))});
    result_.stand_ins.emplace(it->second, id);
    return it->second;
  }

  const Graph& graph_;
  const Graph& client_;
  const NodeId first_;
  PreparedAddition result_;
  absl::flat_hash_map<NodeId, NodeId> stand_in_of_;  // by id in graph_
};

}  // namespace

PreparedGraph::PreparedGraph(Graph graph) : graph_(std::move(graph)) {
  // Reserves memory, so that the first addition does not have to move all
  // nodes.
  graph_.Reserve(graph_.num_ids() + graph_.num_ids() / 8);
  Index(0);
}

std::optional<PreparedAddition> PreparedGraph::Prepare(
    const Graph& client, NodeId first, absl::Span<const DeviceInfo> devices,
    const PrepareOptions& options) const {
  const auto policy = options.policies->Find(options.placement_policy);
  if (!policy.ok()) return std::nullopt;
  LowerLimits left = options.lower_limits;
  left.max_nodes -= totals_.nodes;
  left.max_outputs -= totals_.outputs;
  left.max_edges -= totals_.edges;
  AdditionBuilder builder(graph_, client, first);
  if (!builder.AddNodes() || !builder.Lower(left) ||
      !builder.HasNewNames(totals_.frame_names)) {
    return std::nullopt;
  }
  builder.AddColocated(classes_);
  const PlacerOptions placer_options = {
      .allow_soft_placement = options.allow_soft_placement,
      .policy = *policy,
      .foreign_tasks = options.foreign_tasks,
      .num_placed = graph_.num_nodes()};
  if (!builder.Place(devices, placer_options).ok() ||
      !builder.HasKernels(devices) || !builder.IgnoredNoOtherRequests()) {
    return std::nullopt;
  }
  PreparedAddition addition = std::move(builder).Take();
  if (options.log_placement != nullptr) {
    LogPlacement(addition.graph, &graph_, options.log_placement);
  }
  return addition;
}

void PreparedGraph::Add(const PreparedAddition& prepared,
                        const GraphAddition& addition, const Graph& client) {
  const NodeId first = graph_.num_ids();
  const Graph& from = prepared.graph;
  std::vector<NodeId> map(from.num_ids(), kNoNode);
  NodeId next = first;
  for (NodeId id = 0; id < from.num_ids(); ++id) {
    const auto original = prepared.stand_ins.find(id);
    map[id] = original == prepared.stand_ins.end() ? next++ : original->second;
  }
  for (NodeId id = 0; id < from.num_ids(); ++id) {
    if (map[id] < first) continue;
    Node node = from.node(id);
    for (Endpoint& input : node.inputs) input.node = map[input.node];
    for (NodeId& control : node.controls) control = map[control];
    node.device = graph_.InternDevice(from.AssignedDevice(id));
    graph_.AddUnchecked(std::move(node));
  }
  for (const std::string& name : addition.functions) {
    graph_.functions()
        .Add(client.functions().functions().at(name))
        .IgnoreError();  // the name is new
  }
  for (const std::string& name : addition.gradients) {
    graph_.functions()
        .SetGradient(name, std::string(client.functions().Gradient(name)))
        .IgnoreError();  // this graph has one if lowering has made it
  }
  graph_.producer = client.producer;
  graph_.min_consumer = client.min_consumer;
  graph_.tensor_bytes = client.tensor_bytes;
  Index(first);
}

void PreparedGraph::Index(NodeId first) {
  CountNodes(graph_, first, totals_);
  for (NodeId id = first; id < graph_.num_ids(); ++id) {
    if (!graph_.Contains(id)) continue;
    const Node& node = graph_.node(id);
    if (IsEnter(node)) totals_.frame_names.insert(FrameName(node));
    for (std::string& name : ColocationClasses(node)) {
      classes_.try_emplace(std::move(name), id);
    }
  }
}

}  // namespace leat
