// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/io/graph_def.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/codec/attr_codec.h"
#include "leat/graph/codec/function_codec.h"
#include "leat/graph/io/extend_graph.h"
#include "leat/graph/node_error.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"

namespace leat {
namespace {

absl::Status ErrorOfNode(absl::string_view name, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("node '", name, "': ", message));
}

absl::Status ErrorOfNode(absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("node '", name, "': ", status.message()));
}

// Returns true if only planning may add nodes of this op to a graph. Such nodes
// rely on what planning knows, such as keys, positions and types.
bool IsMadeByPlanning(absl::string_view op) {
  static constexpr absl::string_view kOps[] = {
      "_Arg", "_HostRecv", "_HostSend", "_Recv", "_Retval", "_Send"};
  return absl::StartsWith(op, "_Leat") || absl::c_linear_search(kOps, op);
}

std::string Counted(int count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// Holds the parts of "node:index" or "node". Without an index in the text,
// `index` is 0. If the text after the colon is not a number, `index` is
// negative.
struct InputText {
  absl::string_view node = {};
  int index = 0;
};

InputText Split(absl::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return {text, 0};
  int index = -1;
  const absl::string_view digits = text.substr(colon + 1);
  // SimpleAtoi would also accept spaces and signs.
  const bool only_digits =
      std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit);
  if (!only_digits || !absl::SimpleAtoi(digits, &index)) index = -1;
  return {text.substr(0, colon), index};
}

// Adds one GraphDef to a graph. Adds all nodes first and connects them
// afterwards, because a node may take inputs from nodes that come later in the
// GraphDef.
class Importer {
 public:
  // `before` holds the totals of `graph`.
  Importer(const ImportLimits& limits, const GraphTotals& before, Graph& graph)
      : limits_(limits),
        graph_(graph),
        before_(before),
        num_outputs_(before.outputs),
        addition_(graph),
        first_(addition_.first),
        budget_(NewBudget(graph.tensor_bytes)) {}

  absl::Status Run(const pb::GraphDef& def) {
    LEAT_RETURN_IF_ERROR(SetVersions(def.versions()));
    LEAT_RETURN_IF_ERROR(CheckSize(def));
    LEAT_RETURN_IF_ERROR(AddFunctions(def.library()));
    graph_.Reserve(graph_.num_ids() + def.node_size());
    for (const pb::NodeDef& node : def.node()) {
      LEAT_RETURN_IF_ERROR(AddNode(node));
    }
    graph_.tensor_bytes +=
        NewBudget(addition_.tensor_bytes).remaining - budget_.remaining;
    for (int i = 0; i < def.node_size(); ++i) {
      LEAT_RETURN_IF_ERROR(Connect(def.node(i), first_ + i));
    }
    CountNodes(graph_, first_, added_);
    LEAT_RETURN_IF_ERROR(
        ValidateAddedControlFlow(graph_, first_, before_, added_));
    if (graph_.functions().empty()) return absl::OkStatus();
    return ValidateAddedCalls(graph_, first_, before_.called_nodes,
                              {limits_.max_nesting, limits_.max_nodes},
                              added_.called_nodes);
  }

  // addition() returns what Run has added to the graph. added() returns the
  // totals of the addition.
  const GraphAddition& addition() const { return addition_; }
  const GraphTotals& added() const { return added_; }

 private:
  // Describes what the import must know about an op. OpOf makes one OpInfo per
  // op and keeps it.
  struct OpInfo {
    const OpDef* op = nullptr;
    bool is_const = false;       // has the attrs `value` (a tensor) and `dtype`
    bool has_functions = false;  // has an attr of type func or list(func)
  };

  // Returns the budget that is left if other tensors use `used` bytes.
  AttrBudget NewBudget(int64_t used) const {
    return {limits_.max_attr_bytes,
            std::max<int64_t>(0, limits_.max_total_attr_bytes - used),
            &graph_.ops().variants()};
  }

  absl::Status SetVersions(const pb::VersionDef& versions) {
    if (versions.min_consumer() > kGraphDefVersion) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the graph demands a reader of version ", versions.min_consumer(),
          " (min_consumer); this one is ", kGraphDefVersion));
    }
    const auto& bad = versions.bad_consumers();
    if (std::find(bad.begin(), bad.end(), kGraphDefVersion) != bad.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph excludes readers of version ",
                       kGraphDefVersion, " (bad_consumers)"));
    }
    if (graph_.producer == 0) graph_.producer = versions.producer();
    graph_.min_consumer =
        std::max(graph_.min_consumer, versions.min_consumer());
    return absl::OkStatus();
  }

  absl::Status CheckLimit(absl::string_view what, int64_t count,
                          int64_t limit) const {
    if (count <= limit) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("the graph has ", count, " ", what, "; the limit is ",
                     limit, " (max_graph_", what, ")"));
  }

  absl::Status CheckSize(const pb::GraphDef& def) const {
    int64_t nodes = before_.nodes + def.node_size();
    int64_t edges = before_.edges;
    auto functions = static_cast<int64_t>(graph_.functions().size());
    for (const pb::NodeDef& node : def.node()) edges += node.input_size();
    for (const pb::FunctionDef& function : def.library().function()) {
      if (IsKnown(function)) continue;
      ++functions;
      nodes += function.node_def_size();
      for (const pb::NodeDef& node : function.node_def()) {
        edges += node.input_size();
      }
    }
    LEAT_RETURN_IF_ERROR(CheckLimit("nodes", nodes, limits_.max_nodes));
    LEAT_RETURN_IF_ERROR(CheckLimit("edges", edges, limits_.max_edges));
    return CheckLimit("functions", functions, limits_.max_functions);
  }

  // Returns true if the graph already has a function of this name. Clients send
  // all functions of a session again with each extension.
  bool IsKnown(const pb::FunctionDef& function) const {
    return graph_.functions().Find(function.signature().name()) != nullptr;
  }

  absl::Status AddFunctions(const pb::FunctionDefLibrary& library) {
    for (const pb::FunctionDef& proto : library.function()) {
      const bool is_new = !IsKnown(proto);
      AttrBudget to_compare = NewBudget(0);
      LEAT_ASSIGN_OR_RETURN(
          std::shared_ptr<const Function> function,
          FunctionFromProto(proto, is_new ? budget_ : to_compare));
      const std::string& name = function->signature.name;
      if (graph_.ops().Find(name) != nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(
            "function '", name, "': an op of this name is registered"));
      }
      LEAT_RETURN_IF_ERROR(graph_.functions().Add(function));
      if (is_new) addition_.functions.push_back(name);
    }
    for (const pb::GradientDef& gradient : library.gradient()) {
      LEAT_RETURN_IF_ERROR(addition_.AddGradient(
          gradient.function_name(), gradient.gradient_func(), graph_));
    }
    for (const std::string& name : addition_.functions) {
      const Function& function = *graph_.functions().Find(name);
      CountFunction(function, added_);
      LEAT_RETURN_IF_ERROR(
          ValidateBody(function, graph_.ops(), graph_.functions()));
      for (const FunctionNode& node : function.nodes) {
        absl::Status status = CheckOp(node.op);
        if (status.ok()) status = CheckDevice(node.device);
        if (status.ok() && OpOf(node.op).is_const) {
          status = CheckConstant(node.attrs);
        }
        if (!status.ok()) {
          return absl::Status(status.code(),
                              absl::StrCat("function '", name, "', node '",
                                           node.name, "': ", status.message()));
        }
      }
    }
    return absl::OkStatus();
  }

  // Returns what is known of the op `name`. OpInfo::op is null if there is no
  // such op.
  const OpInfo& OpOf(const std::string& name) {
    const auto [it, inserted] = ops_.try_emplace(name);
    OpInfo& info = it->second;
    if (!inserted) return info;
    info.op = graph_.ops().Find(name);
    if (info.op == nullptr) {
      // A node can call a function by using the function's name as its op. In
      // this case, the signature of the function is the definition of the op.
      const Function* function = graph_.functions().Find(name);
      if (function != nullptr) info.op = &function->signature;
    }
    if (info.op == nullptr) return info;
    const AttrDef* value = info.op->FindAttr("value");
    const AttrDef* dtype = info.op->FindAttr("dtype");
    info.is_const = value != nullptr && value->type == "tensor" &&
                    dtype != nullptr && dtype->type == "type";
    // If an op is only in the op table and not registered, Leat never runs it.
    // So its functions are never called.
    if (graph_.ops().Find(name) != nullptr &&
        !graph_.ops().IsRegistered(name)) {
      return info;
    }
    for (const AttrDef& attr : info.op->attrs) {
      info.has_functions |= attr.type == "func" || attr.type == "list(func)";
    }
    return info;
  }

  // Returns an error if a client's graph may not have nodes of this op.
  absl::Status CheckOp(const std::string& op) const {
    if (!IsMadeByPlanning(op) || limits_.allow_internal_names) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("op '", op,
                     "' is for internal use: a client's graph may not have "
                     "it"));
  }

  absl::Status CheckDevice(const std::string& device) {
    if (device.empty() || devices_.contains(device)) return absl::OkStatus();
    const absl::StatusOr<DeviceName> parsed = DeviceName::Parse(device);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("device '", device, "': ", parsed.status().message()));
    }
    devices_.insert(device);
    return absl::OkStatus();
  }

  bool IsValidName(const std::string& name) const {
    if (limits_.allow_internal_names && !name.empty() && name[0] == '_') {
      return IsValidNodeName(absl::StrCat("n", name));
    }
    return IsValidNodeName(name);
  }

  absl::Status CheckFunctions(const NodeDef& def) const {
    absl::Status status;
    ForEachFunctionRef(
        def.op, def.attrs,
        [&](const std::string& attr, const FunctionRef& function) {
          if (!status.ok()) return;
          if (graph_.functions().Find(function.name) != nullptr) return;
          status = absl::InvalidArgumentError(
              absl::StrCat("attr '", attr, "': function '", function.name,
                           "' is not in the library"));
        });
    return status;
  }

  absl::Status AddNode(const pb::NodeDef& proto) {
    if (!IsValidName(proto.name())) {
      return ErrorOfNode(proto.name(), kBadNodeName);
    }
    if (graph_.Find(proto.name()) != kNoNode) {
      return ErrorOfNode(proto.name(), "a node of this name exists");
    }
    auto def = std::make_shared<NodeDef>();
    const absl::Status status = FillDef(proto, *def);
    if (!status.ok()) return ErrorOfNode(proto.name(), status);
    Node node;
    node.def = std::move(def);
    graph_.AddUnchecked(std::move(node));
    return absl::OkStatus();
  }

  absl::Status FillDef(const pb::NodeDef& proto, NodeDef& def) {
    const OpInfo& info = OpOf(proto.op());
    if (info.op == nullptr) return graph_.ops().Lookup(proto.op()).status();
    LEAT_RETURN_IF_ERROR(CheckOp(proto.op()));
    def.name = proto.name();
    def.op = info.op;
    LEAT_RETURN_IF_ERROR(CheckDevice(proto.device()));
    def.device = proto.device();
    LEAT_ASSIGN_OR_RETURN(def.attrs, AttrMapFromProto(proto.attr(), budget_));
    LEAT_RETURN_IF_ERROR(
        CheckAttrs(*def.op, def.attrs, /*fill_defaults=*/true));
    if (info.is_const) LEAT_RETURN_IF_ERROR(CheckConstant(def.attrs));
    if (info.has_functions) LEAT_RETURN_IF_ERROR(CheckFunctions(def));
    LEAT_ASSIGN_OR_RETURN(def.input_types, InputTypes(*def.op, def.attrs));
    LEAT_ASSIGN_OR_RETURN(def.output_types, OutputTypes(*def.op, def.attrs));
    num_outputs_ += static_cast<int64_t>(def.output_types.size());
    return CheckLimit("outputs", num_outputs_, limits_.max_outputs);
  }

  absl::Status Connect(const pb::NodeDef& proto, NodeId id) {
    Node& node = graph_.mutable_node(id);
    const int num_inputs = static_cast<int>(node.def->input_types.size());
    node.inputs.reserve(std::min(num_inputs, proto.input_size()));
    bool has_control = false;
    for (int i = 0; i < proto.input_size(); ++i) {
      const std::string& text = proto.input(i);
      absl::Status status;
      if (!text.empty() && text[0] == '^') {
        has_control = true;
        status = AddControl(text, node);
      } else if (has_control) {
        status = absl::InvalidArgumentError(kDataAfterControl);
      } else if (i < num_inputs) {
        status = AddInput(text, node);
      } else {
        node.inputs.emplace_back();  // one too many: refused below
      }
      if (!status.ok()) {
        return ErrorOfNode(proto.name(), absl::StrCat("input ", i, " '", text,
                                                      "': ", status.message()));
      }
    }
    if (node.num_inputs() != num_inputs) {
      return ErrorOfNode(
          proto.name(),
          absl::StrCat("has ", Counted(node.num_inputs(), "input"), ", but op ",
                       node.op(), " takes ", num_inputs));
    }
    auto& controls = node.controls;
    if (controls.size() > 1) {
      std::sort(controls.begin(), controls.end());
      controls.erase(std::unique(controls.begin(), controls.end()),
                     controls.end());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<NodeId> FindNode(absl::string_view name) const {
    const NodeId id = graph_.Find(name);
    if (id != kNoNode) return id;
    return absl::InvalidArgumentError(
        absl::StrCat("there is no node '", name, "'"));
  }

  absl::Status AddControl(absl::string_view text, Node& node) const {
    LEAT_ASSIGN_OR_RETURN(const NodeId from, FindNode(text.substr(1)));
    node.controls.push_back(from);
    return absl::OkStatus();
  }

  absl::Status AddInput(absl::string_view text, Node& node) const {
    const InputText input = Split(text);
    if (input.index < 0) {
      return absl::InvalidArgumentError(
          "it is not of the form 'node', 'node:index' or '^node'");
    }
    LEAT_ASSIGN_OR_RETURN(const NodeId from_id, FindNode(input.node));
    const Node& from = graph_.node(from_id);
    if (input.index >= from.num_outputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat("node '", from.name(), "' (op ", from.op(), ") has ",
                       Counted(from.num_outputs(), "output"),
                       ", so it has no output ", input.index));
    }
    // A reference can be read as a value, but a value cannot be used as a
    // reference.
    const DType given = from.output_type(input.index);
    const DType expected = node.def->input_types[node.inputs.size()];
    if (given != expected && BaseOf(given) != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected ", Name(expected), ", but node '", from.name(),
                       "' (op ", from.op(), ") gives ", Name(given)));
    }
    node.inputs.push_back({from_id, input.index});
    return absl::OkStatus();
  }

  const ImportLimits& limits_;
  Graph& graph_;
  const GraphTotals& before_;
  int64_t num_outputs_;  // including those of the nodes added so far
  GraphAddition addition_;
  GraphTotals added_;
  const NodeId first_;
  AttrBudget budget_;
  absl::flat_hash_map<std::string, OpInfo> ops_;
  absl::flat_hash_set<std::string> devices_;  // names that are well-formed
};

absl::Status ExportNode(const Graph& graph, NodeId id,
                        const ExportOptions& options, pb::NodeDef& proto) {
  const Node& node = graph.node(id);
  proto.set_name(node.name());
  proto.set_op(node.op());
  proto.mutable_input()->Reserve(
      static_cast<int>(node.inputs.size() + node.controls.size()));
  for (const Endpoint& input : node.inputs) {
    const std::string& from = graph.node(input.node).name();
    proto.add_input(input.index == 0 ? from
                                     : absl::StrCat(from, ":", input.index));
  }
  for (const NodeId control : node.controls) {
    proto.add_input(absl::StrCat("^", graph.node(control).name()));
  }
  const bool assigned = options.assigned_devices && node.device >= 0;
  proto.set_device(assigned ? graph.AssignedDevice(id) : node.def->device);
  LEAT_RETURN_IF_ERROR(AttrMapToProto(node.attrs(), *proto.mutable_attr()));
  if (!options.strip_default_attrs) return absl::OkStatus();
  for (const AttrDef& attr : node.def->op->attrs) {
    const AttrValue* value = node.attrs().Find(attr.name);
    if (value != nullptr && attr.default_value.has_value() &&
        *value == *attr.default_value) {
      proto.mutable_attr()->erase(attr.name);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Graph> ImportGraphDef(const pb::GraphDef& graph_def,
                                     const OpRegistry& ops,
                                     const ImportLimits& limits) {
  Graph graph(ops);
  LEAT_RETURN_IF_ERROR(Importer(limits, {}, graph).Run(graph_def));
  return graph;
}

absl::Status ExtendGraph(const pb::GraphDef& graph_def, Graph& graph,
                         const ImportLimits& limits) {
  return ExtendGraph(graph_def, graph, TotalsOf(graph), limits).status();
}

absl::StatusOr<GraphExtension> ExtendGraph(const pb::GraphDef& graph_def,
                                           Graph& graph,
                                           const GraphTotals& totals,
                                           const ImportLimits& limits) {
  Importer importer(limits, totals, graph);
  const absl::Status status = importer.Run(graph_def);
  if (status.ok()) return GraphExtension{importer.addition(), importer.added()};
  importer.addition().Undo(graph);
  return status;
}

absl::Status ExportGraphDef(const Graph& graph, pb::GraphDef& graph_def,
                            const ExportOptions& options) {
  graph_def.Clear();
  graph_def.mutable_node()->Reserve(
      std::max(0, graph.num_ids() - options.first));
  for (NodeId id = options.first; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    const absl::Status status =
        ExportNode(graph, id, options, *graph_def.add_node());
    if (!status.ok()) return ErrorOfNode(graph.node(id).name(), status);
  }
  for (const auto& [name, function] : graph.functions().functions()) {
    LEAT_RETURN_IF_ERROR(FunctionToProto(
        *function, *graph_def.mutable_library()->add_function()));
  }
  for (const auto& [function, gradient] : graph.functions().gradients()) {
    pb::GradientDef& proto = *graph_def.mutable_library()->add_gradient();
    proto.set_function_name(function);
    proto.set_gradient_func(gradient);
  }
  graph_def.mutable_versions()->set_producer(graph.producer);
  graph_def.mutable_versions()->set_min_consumer(graph.min_consumer);
  return absl::OkStatus();
}

absl::StatusOr<pb::GraphDef> Graph::ToGraphDef() const {
  pb::GraphDef graph_def;
  LEAT_RETURN_IF_ERROR(ExportGraphDef(*this, graph_def));
  return graph_def;
}

}  // namespace leat
