// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dump.h"

#include <map>
#include <memory>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/shape.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/analysis/infer_shapes.h"

namespace leat {
namespace {

using NodeOutputs = std::vector<InferredOutput>;

// Maps the name of each node to the results of shape inference for this node.
// Partitioning does not change the names.
class ShapesByName {
 public:
  absl::Status Infer(const Graph& graph) {
    auto inferred = InferShapes(graph);
    if (!inferred.ok()) return inferred.status();
    for (const NodeId id : graph.NodeIds()) {
      outputs_[graph.node(id).name()] = std::move((*inferred)[id]);
    }
    return absl::OkStatus();
  }

  // Returns null if there is no result for output `index` of `node`.
  const InferredOutput* Find(const std::string& node, int index) const {
    const auto found = outputs_.find(node);
    if (found == outputs_.end() || index < 0 ||
        index >= static_cast<int>(found->second.size())) {
      return nullptr;
    }
    return &found->second[index];
  }

  void Set(const std::string& node, PartialShape shape) {
    NodeOutputs outputs(1);
    outputs[0].shape = std::move(shape);
    outputs_[node] = std::move(outputs);
  }

 private:
  absl::flat_hash_map<std::string, NodeOutputs> outputs_;
};

// Returns the graph with the shapes of fed tensors in the attrs of its _Arg
// nodes, where the shape function of _Arg looks for them.
Graph WithArgShapes(Graph graph, const ShapesByName& client,
                    const StepSignature& signature) {
  for (const NodeId id : graph.NodeIds()) {
    if (graph.node(id).op() != "_Arg") continue;
    const auto position = graph.node(id).attrs().Get<int64_t>("index");
    if (!position.ok() || *position < 0 ||
        *position >= static_cast<int64_t>(signature.feeds.size())) {
      continue;
    }
    const auto fed = TensorId::Parse(signature.feeds[*position]);
    const InferredOutput* known =
        fed.ok() ? client.Find(fed->node, fed->index) : nullptr;
    if (known == nullptr) continue;
    auto def = std::make_shared<NodeDef>(*graph.node(id).def);
    def->attrs.Set("_output_shapes", std::vector<PartialShape>{known->shape});
    graph.Replace(id, std::move(def));
  }
  return graph;
}

// Holds the names of a tensor, its sending device and its receiving device. A
// _Send and its _Recv have the same key.
using TransferKey = std::tuple<std::string, std::string, std::string>;

TransferKey KeyOf(const Node& node) {
  const auto text = [&](const char* attr) {
    return node.attrs().GetOr<std::string>(attr, "").value_or("");
  };
  return {text("tensor_name"), text("send_device"), text("recv_device")};
}

bool IsSend(const Node& node) { return node.op() == "_Send"; }
bool IsRecv(const Node& node) { return node.op() == "_Recv"; }

// Returns true if the value is the empty constant that stands for a control
// edge.
bool IsControlMessage(const Graph& graph, const Endpoint& value) {
  const Node& node = graph.node(value.node);
  if (node.op() != "Const" || node.controls.empty()) return false;
  const auto constant = node.attrs().Get<Tensor>("value");
  return constant.ok() && constant->num_elements() == 0;
}

// If `value` is a copy, in host memory, of a tensor on a GPU, returns that
// tensor. Otherwise returns `value`.
Endpoint BeforeCopy(const Graph& graph, const Endpoint& value) {
  const Node& producer = graph.node(value.node);
  return producer.op() == "_CopyToHost" ? producer.inputs[0] : value;
}

// Returns all pairs of _Send and _Recv, and adds to `shapes` the shapes that
// the _Recvs receive.
std::vector<DumpedTransfer> FindTransfers(const std::vector<Partition>& parts,
                                          ShapesByName& shapes) {
  std::map<TransferKey, DumpedTransfer> transfers;
  for (const Partition& part : parts) {
    for (const NodeId id : part.graph.NodeIds()) {
      const Node& node = part.graph.node(id);
      if (!IsSend(node)) continue;
      const Endpoint value = BeforeCopy(part.graph, node.inputs[0]);
      const Node& producer = part.graph.node(value.node);
      DumpedTransfer& transfer = transfers[KeyOf(node)];
      transfer.is_control = IsControlMessage(part.graph, value);
      if (transfer.is_control) {
        transfer.tensor = part.graph.node(producer.controls[0]).name();
        transfer.value.shape = Shape{0};
      } else {
        transfer.tensor = absl::StrCat(producer.name(), ":", value.index);
        const InferredOutput* known = shapes.Find(producer.name(), value.index);
        if (known != nullptr) transfer.value.shape = known->shape;
      }
      transfer.value.dtype = BaseOf(producer.output_type(value.index));
      std::tie(std::ignore, transfer.from, transfer.to) = KeyOf(node);
      transfer.send_node = node.name();
    }
  }
  for (const Partition& part : parts) {
    for (const NodeId id : part.graph.NodeIds()) {
      const Node& node = part.graph.node(id);
      if (!IsRecv(node)) continue;
      const auto found = transfers.find(KeyOf(node));
      if (found == transfers.end()) continue;
      found->second.recv_node = node.name();
      shapes.Set(node.name(), found->second.value.shape);
    }
  }
  std::vector<DumpedTransfer> result;
  for (auto& [key, transfer] : transfers) result.push_back(std::move(transfer));
  return result;
}

// Returns the size of the variable that a node without inputs stands for, or 0
// for other nodes.
int64_t VariableBytes(const Node& node, int index,
                      const InferredOutput* known) {
  if (node.num_inputs() > 0 || known == nullptr) return 0;
  if (IsRef(node.output_type(index))) {
    return DumpedTensor{BaseOf(node.output_type(index)), known->shape}
        .Bytes()
        .value_or(0);
  }
  if (!known->handle.has_value()) return 0;
  return DumpedTensor{known->handle->dtype, known->handle->shape}
      .Bytes()
      .value_or(0);
}

// Returns the declared attrs whose values differ from their defaults.
std::vector<std::pair<std::string, std::string>> AttrTexts(const Node& node) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, value] : node.attrs()) {
    const AttrDef* attr = node.def->op->FindAttr(name);
    if (attr == nullptr || (attr->default_value.has_value() &&
                            EqualAttrValues(*attr->default_value, value))) {
      continue;
    }
    texts.emplace_back(name, DebugString(value));
  }
  return texts;
}

// Returns the names of the attrs that a dump need not show, because the types,
// the number and the shapes of the node's inputs and outputs imply them.
std::set<std::string> ImpliedAttrs(const Node& node, const DumpedNode& dumped) {
  std::set<std::string> names;
  for (const auto* args : {&node.def->op->inputs, &node.def->op->outputs}) {
    for (const ArgDef& arg : *args) {
      names.insert({arg.type_attr, arg.number_attr, arg.type_list_attr});
    }
  }
  const auto shape = node.attrs().Get<PartialShape>("shape");
  if (shape.ok() && dumped.outputs.size() == 1 &&
      dumped.outputs[0].shape == *shape) {
    names.insert("shape");
  }
  return names;
}

// Returns the shape of the output of a node that partitioning has added. Shape
// inference has not seen this node.
PartialShape OwnShape(const Graph& graph, const Node& node,
                      const ShapesByName& shapes) {
  if (node.op() == "Const") {
    const auto value = node.attrs().Get<Tensor>("value");
    return value.ok() ? PartialShape(value->shape()) : PartialShape();
  }
  if (node.op() != "Identity") return PartialShape();
  const Endpoint& input = node.inputs[0];
  const InferredOutput* known =
      shapes.Find(graph.node(input.node).name(), input.index);
  return known == nullptr ? PartialShape() : known->shape;
}

DumpedNode DumpNode(const Graph& graph, NodeId id, const ShapesByName& shapes) {
  const Node& node = graph.node(id);
  DumpedNode dumped{.name = node.name(), .op = node.op()};
  dumped.device =
      node.device >= 0 ? graph.AssignedDevice(id) : node.def->device;
  for (const Endpoint& input : node.inputs) {
    dumped.inputs.push_back(InputName(graph, input));
  }
  for (const NodeId control : node.controls) {
    dumped.inputs.push_back(absl::StrCat("^", graph.node(control).name()));
  }
  dumped.attrs = AttrTexts(node);
  for (int i = 0; i < node.num_outputs(); ++i) {
    const InferredOutput* known = shapes.Find(node.name(), i);
    DumpedTensor output{.dtype = node.output_type(i)};
    output.shape =
        known != nullptr ? known->shape : OwnShape(graph, node, shapes);
    dumped.outputs.push_back(std::move(output));
    dumped.variable_bytes += VariableBytes(node, i, known);
  }
  dumped.implied_attrs = ImpliedAttrs(node, dumped);
  return dumped;
}

DumpedPart DumpGraph(const Graph& graph, std::string name,
                     const ShapesByName& shapes) {
  DumpedPart part{.name = std::move(name)};
  const auto order = TopologicalOrder(graph);
  for (const NodeId id : order.ok() ? *order : graph.NodeIds()) {
    part.nodes.push_back(DumpNode(graph, id, shapes));
    part.totals.Add(part.nodes.back());
  }
  return part;
}

}  // namespace

std::optional<int64_t> DumpedTensor::Bytes() const {
  const size_t element = SizeOf(dtype);
  if (element == 0 || !shape.IsFullyKnown()) return std::nullopt;
  const auto known = shape.ToShape();
  if (!known.ok()) return std::nullopt;
  const auto bytes =
      CheckedMultiply(known->num_elements(), static_cast<int64_t>(element));
  return bytes.ok() ? std::optional<int64_t>(*bytes) : std::nullopt;
}

void Totals::Add(const DumpedNode& node) {
  // Sizes come from the graph, so their sum may exceed int64.
  ++num_nodes;
  variable_bytes =
      CheckedAdd(variable_bytes, node.variable_bytes).value_or(variable_bytes);
  for (const DumpedTensor& output : node.outputs) {
    // References and resource handles have no bytes of their own.
    if (IsRef(output.dtype) || output.dtype == DType::kResource) continue;
    const std::optional<int64_t> bytes = output.Bytes();
    const auto sum = CheckedAdd(output_bytes, bytes.value_or(0));
    if (bytes.has_value() && sum.ok()) {
      output_bytes = *sum;
    } else {
      ++unknown_outputs;
    }
  }
}

Dump MakeDump(const Graph& client, const StagedGraph& staged,
              const StageOptions& options, std::string model) {
  Dump dump{.model = std::move(model), .stage = options.stage};
  if (options.stage >= Stage::kPruned) dump.signature = options.signature;
  ShapesByName client_shapes, shapes;
  absl::Status status = client_shapes.Infer(client);
  if (status.ok()) {
    status = shapes.Infer(
        WithArgShapes(staged.whole, client_shapes, dump.signature));
  }
  if (!status.ok()) dump.shape_problem = std::string(status.message());
  if (options.stage == Stage::kPartitioned) {
    dump.transfers = FindTransfers(staged.parts, shapes);
    for (const Partition& part : staged.parts) {
      dump.parts.push_back(DumpGraph(part.graph, part.name, shapes));
    }
  } else {
    dump.parts.push_back(DumpGraph(staged.whole, "", shapes));
  }
  std::map<std::string, Totals> devices;
  for (const DumpedPart& part : dump.parts) {
    for (const DumpedNode& node : part.nodes) devices[node.device].Add(node);
  }
  dump.devices.assign(devices.begin(), devices.end());
  return dump;
}

}  // namespace leat
