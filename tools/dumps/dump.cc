// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/dump.h"

#include <map>
#include <memory>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "leat/core/shape.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/partitioner/costs/variable_bytes.h"

namespace leat {
namespace {

constexpr absl::string_view kCopyToHost = "_CopyToHost";
constexpr absl::string_view kCopyToDevice = "_CopyToDevice";

// Returns what is known of output `index` of node `id`, or null.
const InferredOutput* Known(const GraphShapes& shapes, NodeId id, int index) {
  if (id < 0 || static_cast<size_t>(id) >= shapes.size() || index < 0 ||
      static_cast<size_t>(index) >= shapes[id].size()) {
    return nullptr;
  }
  return &shapes[id][index];
}

// Returns the graph with the shapes of fed tensors in the attrs of its _Arg
// nodes, where the shape function of _Arg looks for them.
Graph WithArgShapes(Graph graph, const Graph& client,
                    const GraphShapes& client_shapes,
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
        fed.ok() ? Known(client_shapes, client.Find(fed->node), fed->index)
                 : nullptr;
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
  return producer.op() == kCopyToHost ? producer.inputs[0] : value;
}

// Returns all pairs of _Send and _Recv. `shapes` has what is known of each
// part.
std::vector<DumpedTransfer> FindTransfers(
    const std::vector<Partition>& parts,
    const std::vector<GraphShapes>& shapes) {
  std::map<TransferKey, DumpedTransfer> transfers;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Graph& graph = parts[i].graph;
    for (const NodeId id : graph.NodeIds()) {
      const Node& node = graph.node(id);
      if (!IsSend(node)) continue;
      const Endpoint value = BeforeCopy(graph, node.inputs[0]);
      const Node& producer = graph.node(value.node);
      DumpedTransfer& transfer = transfers[KeyOf(node)];
      transfer.is_control = IsControlMessage(graph, value);
      if (transfer.is_control) {
        transfer.tensor = graph.node(producer.controls[0]).name();
        transfer.value.shape = Shape{0};
      } else {
        transfer.tensor = absl::StrCat(producer.name(), ":", value.index);
        const InferredOutput* known = Known(shapes[i], value.node, value.index);
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
      if (found != transfers.end()) found->second.recv_node = node.name();
    }
  }
  std::vector<DumpedTransfer> result;
  for (auto& [key, transfer] : transfers) result.push_back(std::move(transfer));
  return result;
}

// Returns all copies between memory of the host and the memory of a GPU. A
// tensor that `transfers` has brought is called by the name that it has there.
std::vector<DumpedTransfer> FindCopies(
    const std::vector<Partition>& parts, const std::vector<GraphShapes>& shapes,
    const std::vector<DumpedTransfer>& transfers) {
  // Holds the names of the tensors, by part and name of the _Recv.
  std::map<std::pair<std::string, std::string>, std::string> received;
  for (const DumpedTransfer& transfer : transfers) {
    received[{transfer.to, transfer.recv_node}] = transfer.tensor;
  }
  std::vector<DumpedTransfer> copies;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Graph& graph = parts[i].graph;
    for (const NodeId id : graph.NodeIds()) {
      const Node& node = graph.node(id);
      if (!IsDeviceCopy(node.op())) continue;
      const Endpoint value = node.inputs[0];
      const Node& producer = graph.node(value.node);
      const auto origin = received.find({parts[i].name, producer.name()});
      DumpedTransfer copy{
          .tensor = origin != received.end()
                        ? origin->second
                        : absl::StrCat(producer.name(), ":", value.index),
          .send_node = producer.name(),
          .recv_node = node.name()};
      copy.value.dtype = node.output_type(0);
      const InferredOutput* known = Known(shapes[i], id, 0);
      if (known != nullptr) copy.value.shape = known->shape;
      const bool is_to_host = node.op() == kCopyToHost;
      copy.from = is_to_host ? parts[i].name : kHostMemory;
      copy.to = is_to_host ? kHostMemory : parts[i].name;
      copies.push_back(std::move(copy));
    }
  }
  return copies;
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

DumpedNode DumpNode(const Graph& graph, NodeId id, const GraphShapes& shapes) {
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
    const InferredOutput* known = Known(shapes, id, i);
    DumpedTensor output{.dtype = node.output_type(i)};
    if (known != nullptr) output.shape = known->shape;
    dumped.outputs.push_back(std::move(output));
  }
  if (static_cast<size_t>(id) < shapes.size()) {
    dumped.variable_bytes = VariableBytes(node, shapes[id]);
  }
  dumped.implied_attrs = ImpliedAttrs(node, dumped);
  return dumped;
}

DumpedPart DumpGraph(const Graph& graph, std::string name,
                     const GraphShapes& shapes) {
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

bool IsDeviceCopy(absl::string_view op) {
  return op == kCopyToHost || op == kCopyToDevice;
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

StageShapes InferStageShapes(const Graph& client, const StagedGraph& staged,
                             const StageOptions& options) {
  StageShapes result;
  const auto of_client = InferShapes(client);
  absl::Status status = of_client.status();
  if (status.ok()) {
    const bool has_step = options.stage >= Stage::kPruned;
    auto of_whole = InferShapes(
        WithArgShapes(staged.whole, client, *of_client,
                      has_step ? options.signature : StepSignature()));
    status = of_whole.status();
    if (status.ok()) result.whole = *std::move(of_whole);
  }
  if (!status.ok()) result.problem = std::string(status.message());
  result.parts = PartShapes(staged.whole, result.whole, staged.parts);
  return result;
}

Dump MakeDump(const StagedGraph& staged, const StageShapes& shapes,
              const StageOptions& options, std::string model) {
  Dump dump{.model = std::move(model), .stage = options.stage};
  if (options.stage >= Stage::kPruned) dump.signature = options.signature;
  dump.shape_problem = shapes.problem;
  if (options.stage == Stage::kPartitioned) {
    dump.transfers = FindTransfers(staged.parts, shapes.parts);
    dump.copies = FindCopies(staged.parts, shapes.parts, dump.transfers);
    for (size_t i = 0; i < staged.parts.size(); ++i) {
      const Partition& part = staged.parts[i];
      dump.parts.push_back(DumpGraph(part.graph, part.name, shapes.parts[i]));
    }
  } else {
    dump.parts.push_back(DumpGraph(staged.whole, "", shapes.whole));
  }
  std::map<std::string, Totals> devices;
  for (const DumpedPart& part : dump.parts) {
    for (const DumpedNode& node : part.nodes) devices[node.device].Add(node);
  }
  dump.devices.assign(devices.begin(), devices.end());
  return dump;
}

Dump MakeDump(const Graph& client, const StagedGraph& staged,
              const StageOptions& options, std::string model) {
  return MakeDump(staged, InferStageShapes(client, staged, options), options,
                  std::move(model));
}

}  // namespace leat
