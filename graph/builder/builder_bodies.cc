// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Implements the bodies of functions in a GraphBuilder. Values from outside
// enter a body as arguments.
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {
namespace {

// Returns the name of an argument that stands for an output of node `from`:
// "x_1" for "outer/x_1". TensorFlow requires names of the form [a-z][a-z0-9_]*.
std::string ArgumentName(absl::string_view from) {
  std::string name;
  for (const char c : from.substr(from.rfind('/') + 1)) {
    name += absl::ascii_isalnum(c) ? absl::ascii_tolower(c) : '_';
  }
  if (name.empty() || !absl::ascii_isalpha(name[0])) name = "arg_" + name;
  return name;
}

}  // namespace

Tensor ListElementShape(const PartialShape& shape) {
  if (!shape.rank_known()) return Tensor::Scalar<int32_t>(-1);
  std::vector<int32_t> dims;
  for (const int64_t dim : shape.dims()) {
    const bool fits = dim <= std::numeric_limits<int32_t>::max();
    dims.push_back(fits ? static_cast<int32_t>(dim) : -1);
  }
  return Tensor::FromSpan<int32_t>(Shape{shape.rank()}, dims);
}

bool CarriesGradient(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype) || dtype == DType::kResource ||
         dtype == DType::kVariant;
}

bool GraphBuilder::State::SharesTree(const GraphBuilder* builder) const {
  return builder != nullptr && builder->state_->tree == tree;
}

std::vector<GraphBuilder*> GraphBuilder::State::Enclosing() const {
  std::vector<GraphBuilder*> builders = {self};
  while (const Body* inner = builders.back()->state_->body.get()) {
    builders.push_back(inner->parent);
  }
  return builders;
}

absl::Status GraphBuilder::State::CheckNesting() const {
  constexpr size_t kLimit = FunctionLimits().max_nesting;
  const size_t depth = Enclosing().size();
  if (depth <= kLimit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("functions nest ", depth, " deep; the limit is ", kLimit));
}

absl::Status GraphBuilder::State::EndedError(absl::string_view what,
                                             const GraphBuilder& owner) const {
  if (!SharesTree(&owner)) {
    return absl::InvalidArgumentError(
        absl::StrCat("(", what, ") belongs to another GraphBuilder"));
  }
  const Body* ended = owner.state_->body.get();
  return absl::InvalidArgumentError(absl::StrCat(
      "(", what, ") belongs to '", ended ? ended->function : "the graph",
      "', which has ended: return it from the body"));
}

absl::StatusOr<std::vector<NodeId>> GraphBuilder::State::Ids(
    absl::Span<const Operation> list) const {
  std::vector<NodeId> ids;
  for (const Operation& operation : list) {
    if (operation.builder() == nullptr) {
      return absl::InvalidArgumentError(
          "an operation that was passed stands for no node");
    }
    if (operation.builder() != self) {
      const bool other = !SharesTree(operation.builder());
      return absl::InvalidArgumentError(absl::StrCat(
          "operation '", operation.name(), "' belongs to another ",
          other ? "GraphBuilder" : "function's body, or to what is around it"));
    }
    if (!graph.Contains(operation.id())) {
      return absl::InvalidArgumentError(
          "an operation that was passed stands for no node");
    }
    ids.push_back(operation.id());
  }
  return ids;
}

absl::StatusOr<std::vector<NodeId>> GraphBuilder::State::ControlIds(
    absl::Span<const Operation> list) {
  std::vector<NodeId> ids;
  for (const Operation& operation : list) {
    if (body == nullptr || operation.builder() == self ||
        !SharesTree(operation.builder())) {
      LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> own,
                            Ids({&operation, 1}));
      ids.push_back(own[0]);
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> outer,
                          body->parent->state_->ControlIds({&operation, 1}));
    body->controls.insert(outer.begin(), outer.end());
  }
  return ids;
}

absl::StatusOr<Output> GraphBuilder::State::AddArgument(absl::string_view name,
                                                        DType dtype,
                                                        InferredOutput known) {
  LEAT_ASSIGN_OR_RETURN(
      const Operation operation,
      AddBare("_Arg", ArgumentName(name),
              {{"T", BaseOf(dtype)},
               {"index", static_cast<int64_t>(body->arguments.size())}},
              {}));
  inferred[operation.id()][0] = std::move(known);
  body->AddArgument({.inner = operation.output(0)});
  return operation.output(0);
}

// The argument keeps everything that shape inference knows of `outer`,
// including the value.
absl::StatusOr<Output> GraphBuilder::State::Capture(const Output& outer) {
  const State& from = *outer.builder()->state_;
  LEAT_ASSIGN_OR_RETURN(const Output inner,
                        AddArgument(outer.operation().name(), outer.dtype(),
                                    from.InferredAt(outer.endpoint())));
  body->arguments.back().outer = outer;
  body->arguments.back().is_captured = true;
  return inner;
}

absl::StatusOr<Output> GraphBuilder::State::Resolve(const Output& output) {
  if (output.builder() == self) return output;
  if (body == nullptr || !SharesTree(output.builder())) {
    return EndedError(output.name(), *output.builder());
  }
  const auto key = std::make_pair(
      static_cast<const GraphBuilder*>(output.builder()), output.endpoint());
  if (const auto it = body->resolved.find(key); it != body->resolved.end()) {
    return it->second;
  }
  absl::StatusOr<Output> inner;
  if (output.builder() == body->forward) {
    inner = ResolveForward(output);
  } else {
    LEAT_ASSIGN_OR_RETURN(const Output outer,
                          body->parent->state_->Resolve(output));
    inner = Capture(outer);
  }
  if (inner.ok()) body->resolved[key] = *inner;
  return inner;
}

absl::Status GraphBuilder::State::ResolveReturns() {
  for (size_t i = 0; i < body->returns.size(); ++i) {
    Output& output = body->returns[i];
    if (!output.IsValid() ||
        !output.builder()->graph().Contains(output.operation().id()) ||
        output.dtype() == DType::kInvalid) {
      return absl::InvalidArgumentError(absl::StrCat("'", body->function,
                                                     "' returns as tensor ", i,
                                                     " an output of no node"));
    }
    absl::StatusOr<Output> inner = Resolve(output);
    if (!inner.ok()) {
      return absl::Status(
          inner.status().code(),
          absl::StrCat("what '", body->function, "' returns as tensor ", i, " ",
                       inner.status().message()));
    }
    output = *inner;
  }
  return absl::OkStatus();
}

// If `output` is the output of a Const, adds a copy of the Const. Also adds a
// Const if shape inference knows the value of `output` and the type of `output`
// cannot carry gradients. If the type can carry gradients, a Const would cut
// them off: a second derivative must know on which values outside of the body
// `output` depends.
absl::StatusOr<Output> GraphBuilder::State::ResolveForward(
    const Output& output) {
  const State& from = *output.builder()->state_;
  const InferredOutput& known = from.InferredAt(output.endpoint());
  std::shared_ptr<const Tensor> value;
  if (!CarriesGradient(output.dtype())) value = known.value;
  if (output.operation().op() == "Const") {
    value = std::make_shared<Tensor>(output.operation().attr<Tensor>("value"));
  }
  if (value != nullptr) {
    LEAT_ASSIGN_OR_RETURN(
        const Operation constant,
        AddBare("Const", output.operation().name(),
                {{"dtype", value->dtype()}, {"value", *value}}, {}));
    return constant.output(0);
  }
  if (const int i = from.body->FindArgument(output.operation().id()); i >= 0) {
    const BodyArgument& argument = from.body->arguments[i];
    const bool changes =
        argument.next.builder() != nullptr && argument.next != argument.inner;
    if (argument.outer.IsValid() && !changes) return Resolve(argument.outer);
  }
  if (body->pops_intermediates) return PopIntermediate(output);
  LEAT_ASSIGN_OR_RETURN(
      const Output inner,
      AddArgument(output.operation().name(), output.dtype(), known));
  body->arguments.back().intermediate = output;
  return inner;
}

absl::StatusOr<Output> GraphBuilder::State::PopIntermediate(
    const Output& output) {
  if (output.dtype() == DType::kResource) {
    return absl::UnimplementedError(absl::StrCat(
        "(", output.name(), ") is a resource, which no list keeps for the ",
        "gradient of a loop"));
  }
  const State& from = *output.builder()->state_;
  const InferredOutput& known = from.InferredAt(output.endpoint());
  const std::string name = absl::StrCat(output.operation().name(), "_list");
  LEAT_ASSIGN_OR_RETURN(
      const Output list,
      AddArgument(name, DType::kVariant,
                  {.shape = Shape{},
                   .handle = HandleShape{.dtype = output.dtype(),
                                         .shape = known.shape}}));
  const size_t position = body->arguments.size() - 1;
  const Tensor shape = ListElementShape(known.shape);
  LEAT_ASSIGN_OR_RETURN(
      const Operation constant,
      AddBare("Const", absl::StrCat(name, "/element_shape"),
              {{"dtype", shape.dtype()}, {"value", shape}}, {}));
  LEAT_ASSIGN_OR_RETURN(
      const Operation pop,
      AddBare("TensorListPopBack", absl::StrCat(name, "/pop"),
              {{"element_dtype", output.dtype()}},
              {list.endpoint(), constant.output(0).endpoint()}));
  inferred[pop.id()][1].handle = known.handle;
  body->arguments[position].intermediate = output;
  body->arguments[position].next = pop.output(0);
  return pop.output(1);
}

absl::StatusOr<Operation> GraphBuilder::State::AddBare(
    absl::string_view op, std::string name, AttrMap attrs,
    absl::Span<const Endpoint> inputs, absl::string_view device) {
  LEAT_ASSIGN_OR_RETURN(const OpDef* def, graph.ops().Lookup(op));
  LEAT_ASSIGN_OR_RETURN(const DeviceName parsed, DeviceName::Parse(device));
  BuilderContext open = std::exchange(context, BuilderContext());
  context.device = parsed;
  absl::StatusOr<NodeId> id = AddNode({.name = UniqueFromRoot(std::move(name)),
                                       .op = def,
                                       .attrs = std::move(attrs)},
                                      inputs, /*with_controls=*/false);
  context = std::move(open);
  if (!id.ok()) return id.status();
  return Operation(self, *id);
}

GraphBuilder& BuilderAccess::NewBody(GraphBuilder& builder,
                                     std::string function,
                                     GraphBuilder* forward,
                                     bool pops_intermediates) {
  GraphBuilder& parent = Current(builder);
  State& outer = Of(parent);
  for (char& c : function) {
    if (!absl::ascii_isalnum(c)) c = '_';
  }
  std::string unique = function;
  if (int next = outer.tree->functions[function]++; next > 0) {
    do {
      unique = absl::StrCat(function, "_", next++);
    } while (!outer.tree->functions.try_emplace(unique, 1).second);
    outer.tree->functions[function] = next;
  }
  auto state = std::make_shared<State>(outer.graph.ops());
  state->tree = outer.tree;
  state->body = std::make_unique<Body>();
  state->body->function = std::move(unique);
  state->body->parent = &parent;
  state->body->forward = forward;
  state->body->pops_intermediates = pops_intermediates;
  // Variables and layers get the names that they would have outside of the
  // body.
  state->context.variable_prefix = outer.context.variable_prefix;
  state->context.layers = outer.context.layers;
  auto* body = new GraphBuilder(std::move(state));
  outer.tree->bodies.push_back(std::unique_ptr<GraphBuilder>(body));
  return *body;
}

BodyScope::BodyScope(GraphBuilder& body, SourceLocation location)
    : state_(BuilderAccess::Of(body)), location_(location) {
  state_.tree->open.push_back(&body);
}

BodyScope::~BodyScope() {
  state_.tree->open.pop_back();
  if (state_.scopes.empty()) return;
  state_.Fail(absl::FailedPreconditionError(
                  absl::StrCat(state_.scopes.back().description, " opened in '",
                               state_.body->function, "' outlives that body")),
              location_);
}

}  // namespace leat
