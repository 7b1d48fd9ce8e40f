// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/replace_handles.h"

#include <climits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/functions/function_graph.h"
#include "leat/graph/lowering/lower.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

// Describes a tensor that was a handle and is now a value: the variable it
// comes from, and the value's dtype and shape.
struct Passed {
  std::string variable = {};
  DType dtype = DType::kInvalid;
  PartialShape shape = {};

  bool SameType(const Passed& other) const {
    return dtype == other.dtype && shape == other.shape;
  }
};
using MaybePassed = std::optional<Passed>;
using PassedTensors = absl::flat_hash_map<Endpoint, Passed>;

// Lists the ops that pass on an input whose type is in attr "T".
constexpr absl::string_view kPassOn[] = {"Identity",      "Enter",  "Exit",
                                         "NextIteration", "Switch", "Merge"};

// Describes an op that calls functions with its inputs from `first_argument`
// on. Each function returns the results of the op, except for the condition of
// a loop. The types of inputs and outputs are in the attrs `input_types` and
// `output_types`.
struct CallForm {
  absl::string_view op;
  int first_argument;
  absl::string_view input_types;
  absl::string_view output_types;
  bool is_loop;
};
constexpr CallForm kCalls[] = {
    {"If", 1, "Tin", "Tout", false},
    {"StatelessIf", 1, "Tin", "Tout", false},
    {"Case", 1, "Tin", "Tout", false},
    {"StatelessCase", 1, "Tin", "Tout", false},
    {"While", 0, "T", "T", true},
    {"StatelessWhile", 0, "T", "T", true},
    {"PartitionedCall", 0, "Tin", "Tout", false},
    {"StatefulPartitionedCall", 0, "Tin", "Tout", false},
};

bool PassesOn(absl::string_view op) {
  for (const absl::string_view known : kPassOn) {
    if (op == known) return true;
  }
  return false;
}

const CallForm* FindCallForm(absl::string_view op) {
  for (const CallForm& form : kCalls) {
    if (op == form.op) return &form;
  }
  return nullptr;
}

absl::Status CannotFreeze(const Passed& passed, const Node& node,
                          absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat("variable '", passed.variable, "' cannot be frozen: '",
                   node.name(), "' (", node.op(), ") ", problem));
}

// Fails if an input of a needed node has another dtype than the node declares.
absl::Status CheckTypesAgree(const Graph& graph,
                             const std::vector<bool>& needed,
                             const PassedTensors& passed) {
  for (const NodeId id : graph.NodeIds()) {
    if (!needed[id]) continue;
    const Node& node = graph.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Endpoint input = node.inputs[i];
      const DType given = graph.node(input.node).output_type(input.index);
      if (BaseOf(given) == BaseOf(node.def->input_types[i])) continue;
      const auto it = passed.find(input);
      // If this input was never a handle, the node is a Merge, and another of
      // its inputs was a handle.
      const Passed other = {.variable = "of another input"};
      return CannotFreeze(it == passed.end() ? other : it->second, node,
                          "takes its handle or another tensor");
    }
  }
  return absl::OkStatus();
}

// Replaces handles in a graph and in the functions that it calls.
class HandleReplacement {
 public:
  // Both arguments are borrowed and must outlive this. New functions are added
  // to `functions`.
  HandleReplacement(const OpRegistry& ops, FunctionLibrary& functions)
      : ops_(ops), functions_(functions) {}

  // Changes the needed nodes that take one of the `passed` tensors. If such a
  // node passes a value on, adds its outputs to `passed`. `depth` is the number
  // of functions that enclose this graph.
  absl::Status Run(const std::vector<bool>& needed, int depth, Graph& graph,
                   PassedTensors& passed) {
    LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                          TopologicalOrder(graph));
    for (const NodeId id : order) {
      if (!needed[id]) continue;
      const std::vector<MaybePassed> inputs = Inputs(graph.node(id), passed);
      for (const MaybePassed& input : inputs) {
        if (!input.has_value()) continue;
        LEAT_RETURN_IF_ERROR(Change(id, inputs, *input, depth, graph, passed));
        break;
      }
    }
    return CheckTypesAgree(graph, needed, passed);
  }

 private:
  // Describes the function that a node will call: a copy that takes values, or
  // the original function if no argument is a value.
  struct Callee {
    FunctionRef function = {};
    std::vector<MaybePassed> results = {};  // empty: the function passes none
  };

  // Returns one element for each input of `node`. The element describes the
  // value that has replaced the handle, or is empty if the input was never a
  // handle.
  static std::vector<MaybePassed> Inputs(const Node& node,
                                         const PassedTensors& passed) {
    std::vector<MaybePassed> inputs;
    for (const Endpoint input : node.inputs) {
      const auto it = passed.find(input);
      inputs.push_back(it == passed.end() ? MaybePassed() : it->second);
    }
    return inputs;
  }

  // Changes the node `id`. `first` is the first input that was a handle.
  absl::Status Change(NodeId id, const std::vector<MaybePassed>& inputs,
                      const Passed& first, int depth, Graph& graph,
                      PassedTensors& passed) {
    const Node& node = graph.node(id);
    if (node.op() == "ReadVariableOp") {
      return Redefine(id, "Identity", {{"T", first.dtype}}, graph);
    }
    if (node.op() == "VariableShape") {
      AttrMap attrs = {{"T", first.dtype}};
      if (const AttrValue* type = node.attrs().Find("out_type")) {
        attrs.Set("out_type", *type);
      }
      return Redefine(id, "Shape", std::move(attrs), graph);
    }
    if (node.op() == "ResourceGather") return ChangeGather(id, first, graph);
    if (node.op() == "IdentityN")
      return ChangeIdentityN(id, inputs, graph, passed);
    if (PassesOn(node.op())) return ChangePassOn(id, first, graph, passed);
    if (const CallForm* form = FindCallForm(node.op())) {
      return ChangeCaller(*form, id, inputs, first, depth, graph, passed);
    }
    if (functions_.Find(node.op()) != nullptr) {
      return ChangeCall(id, inputs, depth, graph, passed);
    }
    return CannotFreeze(first, node, "does more than read it");
  }

  // Replaces a node by one with another op. Attrs whose names begin with '_'
  // stay.
  absl::Status Redefine(NodeId id, absl::string_view op, AttrMap attrs,
                        Graph& graph) {
    LEAT_ASSIGN_OR_RETURN(const OpDef* found, ops_.Lookup(op));
    for (const auto& [name, value] : graph.node(id).attrs()) {
      if (!name.empty() && name[0] == '_') attrs.Set(name, value);
    }
    return Define(id, *found, std::move(attrs), graph);
  }

  // Replaces a node by one with the given op and attrs. Computes the types of
  // the inputs and outputs from the attrs.
  absl::Status Define(NodeId id, const OpDef& op, AttrMap attrs, Graph& graph) {
    NodeDef def{.name = graph.node(id).name(),
                .op = &op,
                .attrs = std::move(attrs),
                .device = graph.node(id).def->device};
    LEAT_RETURN_IF_ERROR(CheckAttrs(op, def.attrs, /*fill_defaults=*/true));
    LEAT_ASSIGN_OR_RETURN(def.input_types, InputTypes(op, def.attrs));
    LEAT_ASSIGN_OR_RETURN(def.output_types, OutputTypes(op, def.attrs));
    graph.Replace(id, std::make_shared<const NodeDef>(std::move(def)));
    return absl::OkStatus();
  }

  absl::Status ChangeGather(NodeId id, const Passed& variable, Graph& graph) {
    const Node& node = graph.node(id);
    LEAT_ASSIGN_OR_RETURN(const int64_t batch_dims,
                          node.attrs().GetOr<int64_t>("batch_dims", 0));
    if (batch_dims != 0) {
      return CannotFreeze(variable, node, "gathers with batch dimensions");
    }
    AttrMap attrs = {{"Tparams", variable.dtype}};
    for (const char* const name : {"Tindices", "validate_indices"}) {
      if (const AttrValue* value = node.attrs().Find(name)) {
        attrs.Set(name, *value);
      }
    }
    return Redefine(id, "Gather", std::move(attrs), graph);
  }

  absl::Status ChangePassOn(NodeId id, const Passed& variable, Graph& graph,
                            PassedTensors& passed) {
    const std::vector<DType> before = graph.node(id).def->output_types;
    AttrMap attrs = graph.node(id).attrs();
    attrs.Set("T", variable.dtype);
    attrs.Erase("_output_shapes");
    Passed given = variable;
    // The shape of the value that comes back in a loop is not known yet.
    if (graph.node(id).op() == "Merge") given.shape = PartialShape();
    LEAT_RETURN_IF_ERROR(
        Define(id, *graph.node(id).def->op, std::move(attrs), graph));
    for (size_t i = 0; i < before.size(); ++i) {
      if (BaseOf(before[i]) != DType::kResource) continue;
      passed[{id, static_cast<int32_t>(i)}] = given;
    }
    return absl::OkStatus();
  }

  absl::Status ChangeIdentityN(NodeId id,
                               const std::vector<MaybePassed>& inputs,
                               Graph& graph, PassedTensors& passed) {
    AttrMap attrs = graph.node(id).attrs();
    LEAT_RETURN_IF_ERROR(SetTypes("T", inputs, attrs));
    attrs.Erase("_output_shapes");
    AddPassed(id, inputs, passed);
    return Define(id, *graph.node(id).def->op, std::move(attrs), graph);
  }

  // Attr `name` is a list with the types of all `values`. Sets the types of
  // those values that were handles.
  static absl::Status SetTypes(absl::string_view name,
                               absl::Span<const MaybePassed> values,
                               AttrMap& attrs) {
    LEAT_ASSIGN_OR_RETURN(std::vector<DType> types,
                          attrs.Get<std::vector<DType>>(name));
    for (size_t i = 0; i < values.size() && i < types.size(); ++i) {
      if (values[i].has_value()) types[i] = values[i]->dtype;
    }
    attrs.Set(name, std::move(types));
    return absl::OkStatus();
  }

  // Does the same for the shapes in attr "output_shapes".
  static void SetShapes(absl::Span<const MaybePassed> values, AttrMap& attrs) {
    auto shapes = attrs.Get<std::vector<PartialShape>>("output_shapes");
    if (!shapes.ok() || shapes->size() != values.size()) return;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].has_value()) (*shapes)[i] = values[i]->shape;
    }
    attrs.Set("output_shapes", *std::move(shapes));
  }

  // Adds to `passed` those outputs of node `id` that were handles.
  static void AddPassed(NodeId id, absl::Span<const MaybePassed> outputs,
                        PassedTensors& passed) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].has_value()) continue;
      passed[{id, static_cast<int32_t>(i)}] = *outputs[i];
    }
  }

  // Changes a node whose attrs name the functions that it calls.
  absl::Status ChangeCaller(const CallForm& form, NodeId id,
                            const std::vector<MaybePassed>& inputs,
                            const Passed& first, int depth, Graph& graph,
                            PassedTensors& passed) {
    const Node node = graph.node(id);
    const absl::Span<const MaybePassed> arguments =
        absl::MakeConstSpan(inputs).subspan(form.first_argument);
    if (form.first_argument > 0 && inputs[0].has_value()) {
      return CannotFreeze(first, node, "does more than read it");
    }
    AttrMap attrs = node.attrs();
    std::vector<MaybePassed> outputs(node.num_outputs());
    bool is_first = true;
    const auto call = [&](FunctionRef& function, bool gives_outputs) {
      LEAT_ASSIGN_OR_RETURN(Callee callee, Freeze(function, arguments, depth));
      function = std::move(callee.function);
      if (!gives_outputs) return absl::OkStatus();
      const absl::Status status =
          Combine(first, node, is_first, callee.results, outputs);
      is_first = false;
      return status;
    };
    for (const AttrDef& attr : node.def->op->attrs) {
      const AttrValue* value = attrs.Find(attr.name);
      if (value == nullptr) continue;
      if (auto* function = std::get_if<FunctionRef>(value)) {
        FunctionRef changed = *function;
        LEAT_RETURN_IF_ERROR(
            call(changed, !(form.is_loop && attr.name == "cond")));
        attrs.Set(attr.name, std::move(changed));
      } else if (auto* all = std::get_if<std::vector<FunctionRef>>(value)) {
        std::vector<FunctionRef> changed = *all;
        for (FunctionRef& one : changed) {
          LEAT_RETURN_IF_ERROR(call(one, true));
        }
        attrs.Set(attr.name, std::move(changed));
      }
    }
    if (form.is_loop) {
      LEAT_RETURN_IF_ERROR(CheckLoop(first, node, arguments, outputs));
    }
    LEAT_RETURN_IF_ERROR(SetTypes(form.input_types, arguments, attrs));
    LEAT_RETURN_IF_ERROR(SetTypes(form.output_types, outputs, attrs));
    SetShapes(outputs, attrs);
    attrs.Erase("_output_shapes");
    attrs.Erase("_read_only_resource_inputs");
    AddPassed(id, outputs, passed);
    return Define(id, *node.def->op, std::move(attrs), graph);
  }

  // Changes a node whose op is a function.
  absl::Status ChangeCall(NodeId id, const std::vector<MaybePassed>& inputs,
                          int depth, Graph& graph, PassedTensors& passed) {
    const Node node = graph.node(id);
    LEAT_ASSIGN_OR_RETURN(
        Callee callee,
        Freeze({.name = node.op(),
                .attrs = std::make_shared<const AttrMap>(node.attrs())},
               inputs, depth));
    AttrMap attrs = node.attrs();
    // The copy of the function has no attrs of its own.
    for (const AttrDef& attr : node.def->op->attrs) attrs.Erase(attr.name);
    attrs.Erase("_output_shapes");
    attrs.Erase("_read_only_resource_inputs");
    AddPassed(id, callee.results, passed);
    return Define(id, functions_.Find(callee.function.name)->signature,
                  std::move(attrs), graph);
  }

  // Merges the results of a function into the `outputs` of the node that calls
  // it. Fails if a result is a value in some of the functions and not in
  // others, or if its dtype differs between them.
  static absl::Status Combine(const Passed& first, const Node& node,
                              bool is_first,
                              const std::vector<MaybePassed>& results,
                              std::vector<MaybePassed>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const MaybePassed result =
          i < results.size() ? results[i] : MaybePassed();
      MaybePassed& output = outputs[i];
      if (is_first) {
        output = result;
      } else if (output.has_value() != result.has_value() ||
                 (output.has_value() && output->dtype != result->dtype)) {
        return CannotFreeze(output.value_or(result.value_or(first)), node,
                            "gives its handle or another tensor");
      } else if (output.has_value() && output->shape != result->shape) {
        output->shape = PartialShape();
      }
    }
    return absl::OkStatus();
  }

  // Fails if an argument of a loop is a value only before or only after an
  // iteration, or if its type changes in the iteration.
  static absl::Status CheckLoop(const Passed& first, const Node& node,
                                absl::Span<const MaybePassed> arguments,
                                absl::Span<const MaybePassed> outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const MaybePassed& before = arguments[i];
      const MaybePassed& after = outputs[i];
      if (!before.has_value() && !after.has_value()) continue;
      if (before.has_value() && after.has_value() && before->SameType(*after)) {
        continue;
      }
      return CannotFreeze(before.value_or(after.value_or(first)), node,
                          "has its handle or another tensor in an iteration");
    }
    return absl::OkStatus();
  }

  // Returns the copy of a function that takes a value for each element of
  // `arguments` that is not empty. Returns the function itself if all elements
  // are empty.
  absl::StatusOr<Callee> Freeze(const FunctionRef& function,
                                absl::Span<const MaybePassed> arguments,
                                int depth) {
    bool any = false;
    std::string key = function.name;
    if (function.attrs != nullptr) {
      for (const auto& [name, value] : *function.attrs) {
        absl::StrAppend(&key, ";", name, "=", DebugString(value, INT_MAX));
      }
    }
    for (const MaybePassed& argument : arguments) {
      any |= argument.has_value();
      absl::StrAppend(&key, ";");
      if (!argument.has_value()) continue;
      absl::StrAppend(&key, Name(argument->dtype),
                      argument->shape.DebugString());
    }
    if (!any) return Callee{.function = function};
    const auto found = frozen_.find(key);
    if (found != frozen_.end()) return found->second;
    absl::StatusOr<Callee> made = MakeFrozen(function, arguments, depth);
    if (!made.ok()) {
      return absl::Status(made.status().code(),
                          absl::StrCat("function '", function.name,
                                       "': ", made.status().message()));
    }
    frozen_.emplace(std::move(key), *made);
    return made;
  }

  // Makes the copy for Freeze.
  absl::StatusOr<Callee> MakeFrozen(const FunctionRef& function,
                                    absl::Span<const MaybePassed> arguments,
                                    int depth) {
    const Function* original = functions_.Find(function.name);
    if (original == nullptr) {
      return absl::InvalidArgumentError("it is not in the library");
    }
    if (depth >= limits_.max_nesting) {
      return absl::InvalidArgumentError(
          absl::StrCat("more than ", depth, " functions call each other"));
    }
    LEAT_RETURN_IF_ERROR(ValidateBody(*original, ops_, functions_));
    LEAT_ASSIGN_OR_RETURN(
        FunctionGraph body,
        ReadFunction(*original,
                     function.attrs == nullptr ? AttrMap() : *function.attrs,
                     ops_, functions_, limits_.max_outputs));
    if (body.arguments.size() != arguments.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it has ", body.arguments.size(), " arguments, but is ",
                       "given ", arguments.size()));
    }
    num_nodes_ += body.graph.num_nodes();
    if (num_nodes_ > limits_.max_nodes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "with it there are more than ", limits_.max_nodes, " nodes"));
    }
    PassedTensors passed;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].has_value()) continue;
      const NodeId id = body.arguments[i];
      LEAT_RETURN_IF_ERROR(Redefine(
          id, "_Arg",
          {{"T", arguments[i]->dtype}, {"index", static_cast<int64_t>(i)}},
          body.graph));
      passed[{id, 0}] = *arguments[i];
    }
    const std::vector<bool> all(body.graph.num_ids(), true);
    LEAT_RETURN_IF_ERROR(Run(all, depth + 1, body.graph, passed));
    return AddFunction(body, *original, arguments, passed);
  }

  // Adds the changed body to the library under a new name.
  absl::StatusOr<Callee> AddFunction(const FunctionGraph& body,
                                     const Function& original,
                                     absl::Span<const MaybePassed> arguments,
                                     const PassedTensors& passed) {
    Callee callee;
    callee.function.name = absl::StrCat(original.signature.name, "_frozen");
    for (int i = 1; functions_.Find(callee.function.name) != nullptr; ++i) {
      callee.function.name =
          absl::StrCat(original.signature.name, "_frozen_", i);
    }
    for (const Endpoint tensor : body.returns) {
      const auto it = passed.find(tensor);
      callee.results.push_back(it == passed.end() ? MaybePassed() : it->second);
    }
    LEAT_ASSIGN_OR_RETURN(Function function,
                          WriteFunction(body, original, callee.function.name));
    // Removes TensorFlow's annotations about the shapes that the arguments had.
    function.attrs.Erase("_input_shapes");
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].has_value()) continue;
      AttrMap& attrs = function.arg_attrs[static_cast<int>(i)];
      attrs.Set("_output_shapes",
                std::vector<PartialShape>{arguments[i]->shape});
    }
    LEAT_RETURN_IF_ERROR(
        functions_.Add(std::make_shared<const Function>(std::move(function))));
    return callee;
  }

  const OpRegistry& ops_;
  FunctionLibrary& functions_;
  const LowerLimits limits_ = {};
  int64_t num_nodes_ = 0;  // in copies of functions
  // Maps the text of a function, its attrs and its arguments to the copy that
  // was made for them.
  absl::flat_hash_map<std::string, Callee> frozen_;
};

}  // namespace

absl::Status ReplaceByConst(NodeId id, Tensor value, Graph& graph) {
  NodeDef def{.name = graph.node(id).name(),
              .device = graph.node(id).def->device};
  LEAT_ASSIGN_OR_RETURN(def.op, graph.ops().Lookup("Const"));
  def.attrs.Set("dtype", value.dtype());
  def.output_types = {value.dtype()};
  def.attrs.Set("value", std::move(value));
  graph.mutable_node(id).inputs.clear();
  graph.Replace(id, std::make_shared<const NodeDef>(std::move(def)));
  return absl::OkStatus();
}

absl::Status ReplaceHandles(const absl::flat_hash_map<NodeId, Tensor>& values,
                            const std::vector<bool>& needed, Graph& graph) {
  PassedTensors passed;
  for (const auto& [id, value] : values) {
    passed[{id, 0}] = {.variable = graph.node(id).name(),
                       .dtype = value.dtype(),
                       .shape = PartialShape(value.shape())};
    LEAT_RETURN_IF_ERROR(ReplaceByConst(id, value, graph));
  }
  FunctionLibrary functions = graph.functions();
  HandleReplacement replacement(graph.ops(), functions);
  LEAT_RETURN_IF_ERROR(replacement.Run(needed, 0, graph, passed));
  graph.functions() = std::move(functions);
  return absl::OkStatus();
}

}  // namespace leat
