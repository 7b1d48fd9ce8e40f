// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {
namespace {

// Colocates new nodes with the node of this name, unless a scope colocates them
// already. Drops the control edges of the open scopes. The node of this name
// need not exist yet, because a variable's initial value is made before the
// variable.
void Colocate(BuilderContext& context, absl::string_view node_name) {
  if (context.colocation.empty()) {
    context.colocation = {absl::StrCat("loc:@", node_name)};
  }
  context.controls.clear();
}

// Closes all open bodies until this object is destroyed, so that new nodes are
// added to the graph. The device scopes and variable scopes of `inner`, the
// context of the innermost body, still apply to these nodes.
class OutsideBodies {
 public:
  OutsideBodies(BuilderAccess::State& graph, const BuilderContext& inner)
      : graph_(graph), context_(graph.context), open_(graph.tree->open) {
    graph_.tree->open.clear();
    graph_.context.variable_prefix = inner.variable_prefix;
    // `inner` is the graph's own context if no body is open.
    if (&inner != &graph_.context) graph_.context.NestDevices(inner);
    graph_.context.controls.clear();
  }
  OutsideBodies(const OutsideBodies&) = delete;
  OutsideBodies& operator=(const OutsideBodies&) = delete;
  ~OutsideBodies() {
    graph_.tree->open = std::move(open_);
    graph_.context = std::move(context_);
  }

 private:
  BuilderAccess::State& graph_;
  BuilderContext context_;
  std::vector<GraphBuilder*> open_;
};

}  // namespace

// Inside a body, adds a read that runs when the body runs, because the body may
// assign to the variable before the read. The read runs on the device of the
// variable, regardless of the device scopes in the body.
Output Variable::value() const {
  const GraphBuilder* builder = handle_.builder();
  if (!handle_.IsValid() || handle_.is_ref() ||
      BuilderAccess::Of(BuilderAccess::Current(*builder)).body == nullptr) {
    return value_;
  }
  const NodeDef& handle = *builder->graph().node(handle_.operation().id()).def;
  const Scope beside = BuilderAccess::State::Open(
      BuilderAccess::Shared(BuilderAccess::Current(*builder)),
      absl::StrCat("a read of '", name(), "'"), SourceLocation{},
      [&](BuilderContext& context) {
        context.UseDeviceOf(handle);
        context.colocation.clear();
      });
  return AddOp({.op = "ReadVariableOp",
                .inputs = {handle_},
                .attrs = {{"dtype", dtype()}}})
      .output(0);
}

leat::Variable GraphBuilder::MakeVariable(absl::string_view node_name,
                                          Output initial_value,
                                          const VariableOptions& options,
                                          SourceLocation location) {
  leat::Variable variable;
  variable.trainable_ = options.trainable;
  variable.part_ = options.part;
  if (variable.part_.has_value() && variable.part_->variable.empty()) {
    variable.part_->variable = std::string(node_name);
  }
  const DType dtype = initial_value.dtype();
  const PartialShape shape = initial_value.shape();
  const std::string name(node_name);
  const bool resource = options.use_resource;
  AttrMap attrs = {{"dtype", dtype},
                   {"shape", shape},
                   {"container", options.container},
                   {"shared_name", options.shared_name}};
  if (resource && options.shared_name.empty()) attrs.Set("shared_name", name);
  Scope colocated =
      State::Open(state_, absl::StrCat("variable '", name, "'"), location,
                  [&](BuilderContext& c) { Colocate(c, name); });
  variable.handle_ = AddOp({.op = resource ? "VarHandleOp" : "VariableV2",
                            .attrs = std::move(attrs),
                            .name = absl::StrCat(name, "/"),
                            .location = location})
                         .output(0);
  if (!status().ok()) return variable;
  Scope beside = State::Open(
      state_, absl::StrCat("variable '", name, "'"), location,
      [&](BuilderContext& c) {
        c.UseDeviceOf(*graph().node(variable.handle_.operation().id()).def);
      });
  variable.initializer_ = AddOp({.op = resource ? "AssignVariableOp" : "Assign",
                                 .inputs = {variable.handle_, initial_value},
                                 .name = absl::StrCat(name, "/Assign/"),
                                 .location = location});
  AttrMap read_attrs;
  if (resource) read_attrs.Set("dtype", dtype);
  variable.value_ =
      AddOp({.op = resource ? "ReadVariableOp" : "Identity",
             .inputs = {variable.handle_},
             .attrs = std::move(read_attrs),
             .name = absl::StrCat(
                 name, resource ? "/Read/ReadVariableOp/" : "/read/"),
             .location = location})
          .output(0);
  if (status().ok()) state_->variables.push_back(variable);
  return variable;
}

leat::Variable GraphBuilder::Variable(absl::string_view name,
                                      const Operand& initial,
                                      VariableOptions options,
                                      SourceLocation location) {
  if (!status().ok()) return {};
  State& graph = *state_->tree->root->state_;
  const OutsideBodies outside(graph, Current().state_->context);
  const std::string full = graph.UniqueName(name);
  const Output initial_value = graph.self->AsOutput(
      initial, absl::StrCat(full, "/initial_value/"), location);
  if (!status().ok()) return {};
  if (graph.SharesTree(initial_value.builder()) &&
      initial_value.builder() != graph.self) {
    Fail(absl::InvalidArgumentError(absl::StrCat(
             "variable '", full, "' gets its initial value ",
             initial_value.name(), " from the body of a function")),
         location);
    return {};
  }
  return graph.self->MakeVariable(full, initial_value, options, location);
}

leat::Variable GraphBuilder::GetVariable(
    absl::string_view name, DType dtype, const Shape& shape,
    absl::FunctionRef<Output()> initial_value, VariableOptions options,
    SourceLocation location) {
  if (!status().ok()) return {};
  if (GraphBuilder* root = state_->tree->root;
      root != this || &Current() != root) {
    const OutsideBodies outside(*root->state_, Current().state_->context);
    return root->GetVariable(name, dtype, shape, initial_value,
                             std::move(options), location);
  }
  const std::string full = absl::StrCat(state_->context.variable_prefix, name);
  const auto fail = [&](absl::string_view what) {
    Fail(absl::InvalidArgumentError(
             absl::StrCat("variable '", full, "' ", what)),
         location);
    return leat::Variable();
  };
  const auto found = state_->variable_by_name.find(full);
  if (found != state_->variable_by_name.end()) {
    const leat::Variable& variable = state_->variables[found->second];
    if (variable.dtype() == dtype && variable.shape() == shape) return variable;
    return fail(absl::StrCat(
        "is ", Name(variable.dtype()), variable.shape().DebugString(), ", but ",
        Name(dtype), shape.DebugString(), " is asked for"));
  }
  if (graph().Find(full) != kNoNode) return fail("has the name of a node");
  Output value;
  {
    Scope names = NameScope(absl::StrCat(full, "/Initializer/"), location);
    Scope colocated = State::Open(state_, absl::StrCat("variable '", full, "'"),
                                  location, [&](BuilderContext& c) {
                                    Colocate(c, full);
                                    c.device_functions.clear();
                                  });
    value = initial_value();
  }
  if (!status().ok()) return {};
  if (value.builder() != this || !value.IsValid()) {
    return fail("got no initial value of this GraphBuilder");
  }
  if (value.dtype() != dtype || !value.shape().IsCompatibleWith(shape)) {
    return fail(absl::StrCat("gets an initial value of ", Name(value.dtype()),
                             value.shape().DebugString(), ", but is ",
                             Name(dtype), shape.DebugString()));
  }
  leat::Variable variable = MakeVariable(full, value, options, location);
  if (!status().ok()) return {};
  state_->variable_by_name[full] =
      static_cast<int>(state_->variables.size()) - 1;
  return variable;
}

const std::vector<leat::Variable>& GraphBuilder::variables() const {
  return state_->tree->root->state_->variables;
}

std::vector<leat::Variable> GraphBuilder::TrainableVariables() const {
  std::vector<leat::Variable> result;
  for (const leat::Variable& variable : variables()) {
    if (variable.is_trainable()) result.push_back(variable);
  }
  return result;
}

}  // namespace leat
