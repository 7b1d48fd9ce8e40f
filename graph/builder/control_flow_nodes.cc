// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/control_flow_nodes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

using State = BuilderAccess::State;

// Returns true if every shape that `inner` allows is also allowed by `outer`.
bool IsWithin(const PartialShape& inner, const PartialShape& outer) {
  return Relax(outer, inner) == outer;
}

bool IsStateful(const GraphBuilder& body) {
  const Graph& graph = body.graph();
  const std::vector<NodeId> ids = graph.NodeIds();
  return std::any_of(ids.begin(), ids.end(), [&](NodeId id) {
    const Node& node = graph.node(id);
    return node.def->op->is_stateful && node.op() != "_Arg";
  });
}

bool AnyStateful(absl::Span<GraphBuilder* const> bodies) {
  return std::any_of(
      bodies.begin(), bodies.end(),
      [](const GraphBuilder* body) { return IsStateful(*body); });
}

FunctionRef RefTo(const GraphBuilder& body) {
  return {.name = BodyOf(body).function};
}

// Identifies a captured argument by the output that it captures and a count,
// because a body may capture one output twice.
using CaptureKey = std::pair<Endpoint, int>;

// Gives all bodies the same captured arguments in the same order. Does not
// change the first `first` arguments of a body.
absl::Status AlignCaptures(absl::Span<GraphBuilder* const> bodies,
                           size_t first) {
  std::vector<std::pair<CaptureKey, Output>> order;
  absl::flat_hash_set<CaptureKey> known;
  std::vector<absl::flat_hash_map<CaptureKey, BodyArgument>> by_key;
  for (GraphBuilder* builder : bodies) {
    const Body& body = BodyOf(*builder);
    absl::flat_hash_map<Endpoint, int> counts;
    auto& arguments = by_key.emplace_back();
    for (size_t i = first; i < body.arguments.size(); ++i) {
      const BodyArgument& argument = body.arguments[i];
      const Endpoint outer = argument.outer.endpoint();
      const CaptureKey key = {outer, counts[outer]++};
      arguments[key] = argument;
      if (known.insert(key).second) order.push_back({key, argument.outer});
    }
  }
  for (size_t i = 0; i < bodies.size(); ++i) {
    State& state = BuilderAccess::Of(*bodies[i]);
    std::vector<BodyArgument>& arguments = state.body->arguments;
    std::vector<BodyArgument> aligned(arguments.begin(),
                                      arguments.begin() + first);
    for (const auto& [key, outer] : order) {
      const auto it = by_key[i].find(key);
      if (it == by_key[i].end()) {
        LEAT_RETURN_IF_ERROR(state.Capture(outer).status());
        aligned.push_back(arguments.back());
      } else {
        aligned.push_back(it->second);
      }
    }
    state.body->SetArguments(std::move(aligned));
  }
  return absl::OkStatus();
}

// Adds the node to the graph of `state`, with control edges from the nodes in
// the `controls` of its bodies.
absl::StatusOr<Operation> AddControlFlowNode(State& state, NodeDef def,
                                             absl::Span<const Endpoint> inputs,
                                             ControlFlowNode node) {
  def.attrs.Set("_lower_using_switch_merge", true);
  LEAT_ASSIGN_OR_RETURN(const NodeId id, state.AddNode(std::move(def), inputs,
                                                       /*with_controls=*/true));
  const Operation operation(state.self, id);
  for (GraphBuilder* builder : node.bodies) {
    const Body& body = BodyOf(*builder);
    for (const NodeId control : body.controls) {
      state.graph.AddControl(control, id);
    }
    if (!body.has_updates) continue;
    if (state.body != nullptr) {
      state.body->has_updates = true;
    } else if (std::count(state.updates.begin(), state.updates.end(),
                          operation) == 0) {
      state.updates.push_back(operation);
    }
  }
  state.control_flow[id] = std::move(node);
  return operation;
}

absl::Status CheckBranch(const Body& first, const Body& body) {
  if (first.returns.size() != body.returns.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the branches return ", first.returns.size(), " ('", first.function,
        "') and ", body.returns.size(), " ('", body.function, "') tensors"));
  }
  for (size_t i = 0; i < body.returns.size(); ++i) {
    const DType wanted = first.returns[i].dtype();
    const DType given = body.returns[i].dtype();
    if (wanted == given) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the branches return as tensor ", i, " ", Name(wanted), " ('",
        first.function, "') and ", Name(given), " ('", body.function, "')"));
  }
  return absl::OkStatus();
}

// Returns what is known of result i regardless of the branch that runs.
InferredOutput Joined(absl::Span<GraphBuilder* const> bodies, size_t i) {
  const InferredOutput& first = Known(BodyOf(*bodies[0]).returns[i]);
  InferredOutput result = {.shape = first.shape, .handle = first.handle};
  for (GraphBuilder* builder : bodies) {
    const InferredOutput& known = Known(BodyOf(*builder).returns[i]);
    result.shape = Relax(result.shape, known.shape);
    if (!SameHandle(first, known)) result.handle.reset();
  }
  return result;
}

absl::StatusOr<NodeDef> BranchesDef(const State& state,
                                    const BranchesSpec& spec,
                                    const std::vector<PartialShape>& shapes) {
  const Body& first = BodyOf(*spec.bodies[0]);
  std::vector<DType> inputs, outputs;
  for (const BodyArgument& argument : first.arguments) {
    inputs.push_back(argument.inner.dtype());
  }
  for (const Output& output : first.returns) outputs.push_back(output.dtype());
  NodeDef def{.name = spec.name};
  def.attrs.Set("Tin", inputs);
  def.attrs.Set("Tout", outputs);
  def.attrs.Set("output_shapes", shapes);
  if (spec.is_case) {
    std::vector<FunctionRef> branches;
    for (GraphBuilder* body : spec.bodies) branches.push_back(RefTo(*body));
    def.attrs.Set("branches", std::move(branches));
  } else {
    def.attrs.Set("Tcond", spec.selector.dtype());
    def.attrs.Set("then_branch", RefTo(*spec.bodies[0]));
    def.attrs.Set("else_branch", RefTo(*spec.bodies[1]));
  }
  const std::string op =
      absl::StrCat(AnyStateful(spec.bodies) ? "" : "Stateless",
                   spec.is_case ? "Case" : "If");
  LEAT_ASSIGN_OR_RETURN(def.op, state.graph.ops().Lookup(op));
  return def;
}

absl::Status CheckVariable(size_t i, const BodyArgument& variable,
                           bool check_shape) {
  const DType enters = variable.inner.dtype();
  const DType next = variable.next.dtype();
  if (enters != next) {
    return absl::InvalidArgumentError(
        absl::StrCat("variable ", i, " (", variable.outer.name(), ") is ",
                     Name(enters), ", but the body returns ", Name(next)));
  }
  const PartialShape before = variable.inner.shape();
  const PartialShape after = variable.next.shape();
  if (!check_shape || IsWithin(after, before)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "variable ", i, " (", variable.outer.name(), ") enters an iteration ",
      "with shape ", before.DebugString(), " and leaves it with ",
      after.DebugString(), "; give a wider one in shape_invariants"));
}

absl::StatusOr<NodeDef> LoopDef(const State& state, const LoopSpec& spec) {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
  for (const BodyArgument& argument : BodyOf(*spec.body).arguments) {
    types.push_back(argument.inner.dtype());
    shapes.push_back(argument.inner.shape());
  }
  NodeDef def{.name = spec.name};
  def.attrs.Set("T", types);
  def.attrs.Set("output_shapes", shapes);
  def.attrs.Set("cond", RefTo(*spec.condition));
  def.attrs.Set("body", RefTo(*spec.body));
  def.attrs.Set("parallel_iterations", spec.parallel_iterations);
  const bool stateful = IsStateful(*spec.condition) || IsStateful(*spec.body);
  LEAT_ASSIGN_OR_RETURN(
      def.op, state.graph.ops().Lookup(stateful ? "While" : "StatelessWhile"));
  return def;
}

}  // namespace

absl::StatusOr<Operation> AddBranches(GraphBuilder& builder,
                                      const BranchesSpec& spec) {
  State& state = BuilderAccess::Of(BuilderAccess::Current(builder));
  for (GraphBuilder* body : spec.bodies) {
    LEAT_RETURN_IF_ERROR(BuilderAccess::Of(*body).ResolveReturns());
    LEAT_RETURN_IF_ERROR(CheckBranch(BodyOf(*spec.bodies[0]), BodyOf(*body)));
  }
  LEAT_RETURN_IF_ERROR(AlignCaptures(spec.bodies, 0));
  std::vector<InferredOutput> known;
  std::vector<PartialShape> shapes;
  for (size_t i = 0; i < BodyOf(*spec.bodies[0]).returns.size(); ++i) {
    known.push_back(Joined(spec.bodies, i));
    shapes.push_back(known.back().shape);
  }
  LEAT_ASSIGN_OR_RETURN(NodeDef def, BranchesDef(state, spec, shapes));
  LEAT_ASSIGN_OR_RETURN(const Output selector, state.Resolve(spec.selector));
  std::vector<Endpoint> inputs = {selector.endpoint()};
  for (const BodyArgument& argument : BodyOf(*spec.bodies[0]).arguments) {
    inputs.push_back(argument.outer.endpoint());
  }
  LEAT_ASSIGN_OR_RETURN(const Operation operation,
                        AddControlFlowNode(state, std::move(def), inputs,
                                           {.bodies = spec.bodies,
                                            .is_gradient = spec.is_gradient}));
  for (size_t i = 0; i < known.size(); ++i) {
    state.inferred[operation.id()][i].handle = known[i].handle;
  }
  return operation;
}

absl::StatusOr<Operation> AddLoop(GraphBuilder& builder, const LoopSpec& spec) {
  State& state = BuilderAccess::Of(BuilderAccess::Current(builder));
  State& condition = BuilderAccess::Of(*spec.condition);
  LEAT_RETURN_IF_ERROR(condition.ResolveReturns());
  std::vector<BodyArgument>& arguments = BodyOf(*spec.body).arguments;
  for (size_t i = 0; i < spec.num_variables; ++i) {
    LEAT_RETURN_IF_ERROR(CheckVariable(i, arguments[i], spec.check_shapes));
  }
  LEAT_RETURN_IF_ERROR(
      AlignCaptures({spec.condition, spec.body}, spec.num_variables));
  for (size_t i = spec.num_variables; i < arguments.size(); ++i) {
    arguments[i].next = arguments[i].inner;
  }
  LEAT_ASSIGN_OR_RETURN(NodeDef def, LoopDef(state, spec));
  std::vector<Endpoint> inputs;
  for (const BodyArgument& argument : arguments) {
    inputs.push_back(argument.outer.endpoint());
  }
  LEAT_ASSIGN_OR_RETURN(
      const Operation operation,
      AddControlFlowNode(state, std::move(def), inputs,
                         {.bodies = {spec.condition, spec.body},
                          .is_loop = true,
                          .counter = spec.counter,
                          .is_gradient = spec.is_gradient}));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const InferredOutput& next = Known(arguments[i].next);
    auto& handle = state.inferred[operation.id()][i].handle;
    if (SameHandle(Known(arguments[i].inner), next)) {
      handle = next.handle;
    } else {
      handle.reset();
    }
  }
  return operation;
}

}  // namespace leat
