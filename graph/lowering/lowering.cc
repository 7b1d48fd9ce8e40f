// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/lowering/lowering.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/autodiff/function_gradient.h"
#include "leat/graph/functions/recursive_functions.h"
#include "leat/graph/lowering/lower.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

constexpr absl::string_view kColocation = "loc:@";

int64_t CountEdges(size_t inputs, size_t controls) {
  return static_cast<int64_t>(inputs + controls);
}

absl::StatusOr<std::string> OverrideDevice(const std::string& outer,
                                           const std::string& inner) {
  if (outer.empty() || outer == inner) return inner;
  if (inner.empty()) return outer;
  LEAT_ASSIGN_OR_RETURN(const DeviceName outer_name, DeviceName::Parse(outer));
  LEAT_ASSIGN_OR_RETURN(const DeviceName inner_name, DeviceName::Parse(inner));
  return OverrideDeviceName(outer_name, inner_name).ToString();
}

absl::Status CheckTypes(const Node& caller, const FunctionBody& body,
                        absl::string_view what, absl::Span<const DType> given,
                        absl::Span<const DType> expected) {
  if (given.size() != expected.size()) {
    return LoweringError(
        caller,
        absl::StrCat("function '", body.name, "' has ", given.size(), " ", what,
                     "s, but this node needs ", expected.size()));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (BaseOf(given[i]) == BaseOf(expected[i])) continue;
    return LoweringError(
        caller, absl::StrCat(what, " ", i, " of function '", body.name,
                             "' is of type ", Name(given[i]),
                             ", but this node needs ", Name(expected[i])));
  }
  return absl::OkStatus();
}

absl::Status NotInLibrary(const Node& caller, absl::string_view function) {
  return LoweringError(
      caller, absl::StrCat("function '", function, "' is not in the library"));
}

// Returns `status` with the name of the node that calls the function.
absl::Status AtNode(const Node& caller, const absl::Status& status) {
  return absl::Status(status.code(),
                      LoweringError(caller, status.message()).message());
}

// Returns a text that differs between functions, and between attrs of a
// function.
std::string KeyOf(const FunctionRef& function) {
  return DebugString(AttrValue(function), std::numeric_limits<int>::max());
}

// Copies one body into the graph. Node i of the body gets the id first_ + i.
class BodyCopy {
 public:
  BodyCopy(Lowering& lowering, const FunctionBody& body,
           const std::string& prefix, const std::string& device,
           absl::Span<const Endpoint> args, absl::Span<const NodeId> gate)
      : lowering_(lowering),
        graph_(lowering.graph()),
        body_(body),
        prefix_(prefix),
        device_(device),
        args_(args),
        gate_(gate) {}

  absl::StatusOr<Inlined> Run() {
    LEAT_RETURN_IF_ERROR(AddArgIdentities());
    first_ = graph_.num_ids();
    NameNodes();
    for (size_t i = 0; i < body_.nodes.size(); ++i) {
      LEAT_RETURN_IF_ERROR(AddNode(i));
    }
    for (size_t i = 0; i < body_.nodes.size(); ++i) Connect(i);
    Inlined result;
    for (const BodyTensor& tensor : body_.returns) {
      result.returns.push_back(ToEndpoint(tensor));
    }
    for (const int32_t node : body_.control_outputs) {
      result.control_outputs.push_back(first_ + node);
    }
    return result;
  }

 private:
  // Adds an Identity of each argument that has control edges to nodes of the
  // body. The control edges begin at the Identity, which is dead if the
  // argument is dead.
  absl::Status AddArgIdentities() {
    arg_nodes_.assign(args_.size(), kNoNode);
    for (const BodyNode& node : body_.nodes) {
      for (const int32_t arg : node.arg_controls) {
        if (arg_nodes_[arg] != kNoNode) continue;
        LEAT_ASSIGN_OR_RETURN(
            arg_nodes_[arg],
            lowering_.AddIdentity(
                absl::StrCat(prefix_, "/", body_.arg_names[arg]), args_[arg]));
      }
    }
    return absl::OkStatus();
  }

  // Fills names_ with the names to which colocation attrs may refer.
  void NameNodes() {
    for (const BodyNode& node : body_.nodes) {
      names_.try_emplace(node.def.name,
                         absl::StrCat(prefix_, "/", node.def.name));
    }
    for (size_t i = 0; i < body_.arg_names.size(); ++i) {
      names_.try_emplace(body_.arg_names[i], graph_.node(args_[i].node).name());
    }
  }

  absl::Status AddNode(size_t i) {
    auto def = std::make_shared<NodeDef>(body_.nodes[i].def);
    std::string& name = names_[def->name];
    name = graph_.UniqueName(absl::StrCat(prefix_, "/", def->name));
    def->name = name;
    if (!def->device.empty() || !FollowsResource(*def)) {
      LEAT_ASSIGN_OR_RETURN(def->device, OverrideDevice(device_, def->device));
    }
    RenameFrame(def->attrs);
    RenameColocation(def->attrs);
    Node node;
    node.def = std::move(def);
    graph_.AddUnchecked(std::move(node));
    return absl::OkStatus();
  }

  // Returns true for a node that takes a resource. Such a node does not get the
  // caller's device, because its kernel must run where the resource is. Returns
  // false for a node that calls a function, because the nodes of that function
  // are placed one by one.
  bool FollowsResource(const NodeDef& def) const {
    if (!std::any_of(def.input_types.begin(), def.input_types.end(),
                     [](DType t) { return BaseOf(t) == DType::kResource; })) {
      return false;
    }
    if (graph_.functions().Find(def.op->name) != nullptr) return false;
    return std::none_of(
        def.attrs.begin(), def.attrs.end(), [](const auto& attr) {
          return std::holds_alternative<FunctionRef>(attr.second) ||
                 std::holds_alternative<std::vector<FunctionRef>>(attr.second);
        });
  }

  // Renames the frame of a loop in the body. Each copy of the body needs a
  // different name, because two calls of a function with a loop are two loops.
  void RenameFrame(AttrMap& attrs) {
    const AttrValue* value = attrs.Find("frame_name");
    const auto* frame = value ? std::get_if<std::string>(value) : nullptr;
    if (frame == nullptr) return;
    const auto [it, inserted] = frames_.try_emplace(*frame);
    if (inserted) {
      it->second = lowering_.UniqueFrame(absl::StrCat(prefix_, "/", *frame));
    }
    attrs.Set("frame_name", it->second);
  }

  void RenameColocation(AttrMap& attrs) const {
    const AttrValue* value = attrs.Find("_class");
    const auto* classes =
        value ? std::get_if<std::vector<std::string>>(value) : nullptr;
    if (classes == nullptr) return;
    std::vector<std::string> renamed = *classes;
    for (std::string& name : renamed) {
      if (!absl::StartsWith(name, kColocation)) continue;
      const auto it = names_.find(name.substr(kColocation.size()));
      if (it != names_.end()) name = absl::StrCat(kColocation, it->second);
    }
    attrs.Set("_class", std::move(renamed));
  }

  void Connect(size_t i) {
    const BodyNode& from = body_.nodes[i];
    const NodeId id = first_ + static_cast<NodeId>(i);
    for (const BodyTensor& input : from.inputs) {
      const Endpoint endpoint = ToEndpoint(input);
      graph_.mutable_node(id).inputs.push_back(endpoint);
    }
    for (const int32_t control : from.controls) {
      graph_.AddControl(first_ + control, id);
    }
    for (const int32_t arg : from.arg_controls) {
      graph_.AddControl(arg_nodes_[arg], id);
    }
    if (!from.inputs.empty() || !from.controls.empty() ||
        !from.arg_controls.empty()) {
      return;
    }
    for (const NodeId control : gate_) graph_.AddControl(control, id);
  }

  Endpoint ToEndpoint(const BodyTensor& tensor) const {
    if (tensor.node == BodyTensor::kArguments) return args_[tensor.index];
    return {first_ + tensor.node, tensor.index};
  }

  Lowering& lowering_;
  Graph& graph_;
  const FunctionBody& body_;
  const std::string& prefix_;
  const std::string& device_;
  const absl::Span<const Endpoint> args_;
  const absl::Span<const NodeId> gate_;
  NodeId first_ = 0;
  std::vector<NodeId> arg_nodes_;
  // names_ maps the names of nodes and arguments in the body to their names in
  // the graph. frames_ does the same for the names of frames.
  absl::flat_hash_map<std::string, std::string> names_;
  absl::flat_hash_map<std::string, std::string> frames_;
};

}  // namespace

Lowering::Lowering(Graph& graph, const LowerLimits& limits)
    : graph_(graph), limits_(limits) {
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    const Node& node = graph.node(id);
    num_outputs_ += node.num_outputs();
    num_edges_ += CountEdges(node.inputs.size(), node.controls.size());
  }
}

absl::Status LoweringError(const Node& node, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("node '", node.name(), "' (", node.op(), "): ", message));
}

absl::StatusOr<const FunctionBody*> Lowering::Body(
    const Node& caller, const FunctionRef& function,
    absl::Span<const DType> arg_types, absl::Span<const DType> return_types) {
  const Function* found = graph_.functions().Find(function.name);
  if (found == nullptr) return NotInLibrary(caller, function.name);
  // If a function declares no attrs, the attrs of its calls are only
  // annotations, so all its calls share one body.
  const bool has_attrs =
      function.attrs != nullptr && !found->signature.attrs.empty();
  FunctionBody* body = nullptr;
  const auto it = bodies_.find(found);
  if (!has_attrs && it != bodies_.end()) body = it->second.get();
  if (body == nullptr) {
    absl::StatusOr<FunctionBody> made =
        Instantiate(*found, has_attrs ? *function.attrs : AttrMap(),
                    graph_.ops(), graph_.functions(), limits_.max_outputs);
    if (!made.ok()) return AtNode(caller, made.status());
    auto owned = std::make_unique<FunctionBody>(*std::move(made));
    body = owned.get();
    if (has_attrs) {
      body->attrs = function.attrs;
      other_bodies_.push_back(std::move(owned));
    } else {
      bodies_.emplace(found, std::move(owned));
    }
  }
  LEAT_RETURN_IF_ERROR(
      CheckTypes(caller, *body, "argument", body->arg_types, arg_types));
  LEAT_RETURN_IF_ERROR(
      CheckTypes(caller, *body, "result", body->return_types, return_types));
  return body;
}

absl::StatusOr<FunctionRef> Lowering::Gradient(const Node& caller,
                                               const FunctionRef& function) {
  FunctionLibrary& library = graph_.functions();
  const absl::string_view known = library.Gradient(function.name);
  if (!known.empty()) {
    return FunctionRef{.name = std::string(known), .attrs = function.attrs};
  }
  const Function* const found = library.Find(function.name);
  if (found == nullptr) return NotInLibrary(caller, function.name);
  const bool has_attrs =
      function.attrs != nullptr && !found->signature.attrs.empty();
  const std::string key = KeyOf(function);
  if (const auto it = made_gradients_.find(key); it != made_gradients_.end()) {
    return FunctionRef{.name = it->second};
  }
  std::string name = absl::StrCat(function.name, "/gradient");
  while (library.Find(name) != nullptr) {
    name = absl::StrCat(function.name, "/gradient_", ++num_renamed_gradients_);
  }
  absl::StatusOr<Function> gradient =
      FunctionGradient(*found, has_attrs ? *function.attrs : AttrMap(),
                       graph_.ops(), library, limits_.max_outputs, name);
  if (!gradient.ok()) return AtNode(caller, gradient.status());
  LEAT_RETURN_IF_ERROR(
      library.Add(std::make_shared<const Function>(*std::move(gradient))));
  // A function with attrs has a gradient for each value of the attrs.
  if (!has_attrs) {
    LEAT_RETURN_IF_ERROR(library.SetGradient(function.name, name));
  }
  made_gradients_.emplace(key, name);
  recursive_.reset();
  return FunctionRef{.name = std::move(name)};
}

absl::Status Lowering::Grow(const std::string& name, size_t new_nodes,
                            int64_t new_outputs, int64_t new_edges) {
  num_outputs_ += new_outputs;
  num_edges_ += new_edges;
  const auto check = [&](int64_t count, int64_t limit, absl::string_view what) {
    if (count <= limit) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("with '", name, "' the graph has over ", limit, " ", what,
                     " once its functions are inlined, which is the limit "
                     "(max_graph_",
                     what, ")"));
  };
  const int64_t nodes = graph_.num_nodes() + static_cast<int64_t>(new_nodes);
  LEAT_RETURN_IF_ERROR(check(nodes, limits_.max_nodes, "nodes"));
  LEAT_RETURN_IF_ERROR(check(num_outputs_, limits_.max_outputs, "outputs"));
  return check(num_edges_, limits_.max_edges, "edges");
}

absl::StatusOr<NodeId> Lowering::Add(absl::string_view op,
                                     const std::string& name, AttrMap attrs,
                                     absl::Span<const Endpoint> inputs,
                                     absl::Span<const NodeId> controls,
                                     const std::string& device) {
  LEAT_RETURN_IF_ERROR(
      Grow(name, 1, 0, CountEdges(inputs.size(), controls.size())));
  NodeDef def;
  def.name = graph_.UniqueName(name);
  LEAT_ASSIGN_OR_RETURN(def.op, graph_.ops().Lookup(op));
  def.attrs = std::move(attrs);
  def.device = device;
  LEAT_ASSIGN_OR_RETURN(const NodeId id,
                        graph_.Add(std::move(def), inputs, controls));
  num_outputs_ += graph_.node(id).num_outputs();
  return id;
}

absl::StatusOr<NodeId> Lowering::AddIdentity(
    const std::string& name, Endpoint input,
    absl::Span<const NodeId> controls) {
  return Add("Identity", name, {{"T", TypeOf(input)}}, {input}, controls,
             std::string(DeviceOf(input)));
}

absl::StatusOr<NodeId> Lowering::AddSwitch(const std::string& name,
                                           Endpoint data, Endpoint pred) {
  return Add("Switch", name, {{"T", TypeOf(data)}}, {data, pred}, {},
             std::string(DeviceOf(data)));
}

absl::StatusOr<NodeId> Lowering::AddMerge(const std::string& name,
                                          absl::Span<const Endpoint> inputs,
                                          const std::string& device) {
  return Add(
      "Merge", name,
      {{"T", TypeOf(inputs[0])}, {"N", static_cast<int64_t>(inputs.size())}},
      inputs, {}, device);
}

absl::StatusOr<std::vector<NodeId>> Lowering::AddGate(const Node& node) {
  std::vector<NodeId> gate(node.controls.begin(), node.controls.end());
  if (gate.size() < 2) return gate;
  LEAT_ASSIGN_OR_RETURN(const NodeId all,
                        Add("NoOp", absl::StrCat(node.name(), "/input_control"),
                            {}, {}, gate, node.def->device));
  return std::vector<NodeId>{all};
}

absl::StatusOr<Inlined> Lowering::Inline(const FunctionBody& body,
                                         const std::string& prefix,
                                         const std::string& device,
                                         absl::Span<const Endpoint> args,
                                         absl::Span<const NodeId> gate) {
  if (IsRecursive(body.name)) {
    return AddCall(body, prefix, device, args, gate);
  }
  int64_t num_outputs = 0;
  int64_t num_edges = 0;
  for (const BodyNode& node : body.nodes) {
    num_outputs += static_cast<int64_t>(node.def.output_types.size());
    const int64_t edges = CountEdges(
        node.inputs.size(), node.controls.size() + node.arg_controls.size());
    num_edges += edges == 0 ? CountEdges(0, gate.size()) : edges;
  }
  LEAT_RETURN_IF_ERROR(Grow(prefix, body.nodes.size(), num_outputs, num_edges));
  return BodyCopy(*this, body, prefix, device, args, gate).Run();
}

bool Lowering::IsRecursive(const std::string& function) {
  if (!recursive_.has_value()) {
    recursive_ = RecursiveFunctions(graph_.functions());
  }
  return recursive_->contains(function);
}

absl::StatusOr<Inlined> Lowering::AddCall(const FunctionBody& body,
                                          const std::string& prefix,
                                          const std::string& device,
                                          absl::Span<const Endpoint> args,
                                          absl::Span<const NodeId> gate) {
  const FunctionRef function{.name = body.name, .attrs = body.attrs};
  LEAT_ASSIGN_OR_RETURN(
      const NodeId call,
      Add("StatefulPartitionedCall", absl::StrCat(prefix, "/", body.name),
          {{"Tin", body.arg_types},
           {"Tout", body.return_types},
           {"f", function},
           {kCallAtRunTime, true}},
          args, gate, device));
  Inlined result{.control_outputs = {call}};
  for (size_t i = 0; i < body.returns.size(); ++i) {
    result.returns.push_back({call, static_cast<int32_t>(i)});
  }
  return result;
}

std::string Lowering::UniqueFrame(const std::string& name) {
  if (!has_frames_) {
    has_frames_ = true;
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!graph_.Contains(id) || !IsEnter(graph_.node(id))) continue;
      const absl::StatusOr<std::string> frame =
          graph_.node(id).attrs().Get<std::string>("frame_name");
      if (frame.ok()) frames_.insert(*frame);
    }
  }
  std::string unique = name;
  for (int64_t i = 1; !frames_.insert(unique).second; ++i) {
    unique = absl::StrCat(name, "_", i);
  }
  return unique;
}

}  // namespace leat
