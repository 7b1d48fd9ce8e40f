// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/control_flow.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/control_flow_nodes.h"

namespace leat {
namespace {

using State = BuilderAccess::State;

// Returns `count` invalid Outputs. The caller can continue with them after an
// error.
std::vector<Output> Invalid(GraphBuilder* builder, size_t count) {
  return std::vector<Output>(count, Output(Operation(builder, kNoNode), 0));
}

std::vector<Output> FirstOutputs(const Operation& node, size_t count) {
  std::vector<Output> outputs;
  for (size_t i = 0; i < count; ++i) {
    outputs.push_back(node.output(static_cast<int>(i)));
  }
  return outputs;
}

absl::Status Annotate(const absl::Status& error, absl::string_view node,
                      absl::string_view op) {
  return absl::Status(error.code(), absl::StrCat("node '", node, "' (", op,
                                                 "): ", error.message()));
}

// Makes the error for an output that has no node or no builder.
absl::Status NoNode(absl::string_view what, const Output& output) {
  if (output.operation().id() == kOfConstants) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " comes from an op function that was given constants only: make ",
        "one of them an Output, by GraphBuilder::Const or AsOutput"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is an output of no node"));
}

// Fails if `value` has another type than `dtype` or cannot be a scalar.
absl::Status CheckScalar(absl::string_view what, const Output& value,
                         DType dtype) {
  if (!value.IsValid() || value.dtype() == DType::kInvalid) {
    return NoNode(what, value);
  }
  if (value.dtype() == dtype && value.shape().IsCompatibleWith(Shape{})) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(what, " (", value.name(), ") must be a scalar ", Name(dtype),
                   ", got ", Name(value.dtype()), value.shape().DebugString()));
}

// Holds the parameters of Choose that differ between an If and a Case.
struct BranchNames {
  absl::string_view op = {};        // "If"
  absl::string_view selector = {};  // "predicate"
  DType selector_type = DType::kInvalid;
};

// Holds an If or Case node and its outputs. There is one output for each tensor
// that a branch returns.
struct Chosen {
  Operation operation = {};
  std::vector<Output> outputs = {};
};

Chosen InvalidChoice(GraphBuilder* owner, size_t count) {
  return {Operation(owner, kNoNode), Invalid(owner, count)};
}

// Builds the node of a Cond or a Case, and its functions. The name of each
// function is the name of the node followed by one of `suffixes`.
Chosen Choose(GraphBuilder* owner, const BranchNames& names, Output selector,
              absl::Span<const BranchFunction> branches,
              absl::Span<const std::string> suffixes,
              const std::string& node_name, SourceLocation location) {
  // Without a builder, nothing can be built and no error can be recorded.
  if (owner == nullptr) return {};
  State& state = BuilderAccess::Of(BuilderAccess::Current(*owner));
  absl::Status valid = CheckScalar(absl::StrCat("the ", names.selector),
                                   selector, names.selector_type);
  valid.Update(state.CheckNesting());
  if (!valid.ok()) {
    owner->Fail(
        Annotate(valid, absl::StrCat(state.context.name_prefix, node_name),
                 names.op),
        location);
  }
  // After an error, calls the first branch only to learn the number of its
  // results.
  if (!owner->status().ok()) return InvalidChoice(owner, branches[0]().size());
  BranchesSpec spec = {.name = state.UniqueName(node_name),
                       .is_case = names.op == "Case",
                       .selector = selector};
  size_t count = 0;
  for (size_t i = 0; i < branches.size(); ++i) {
    GraphBuilder& body =
        BuilderAccess::NewBody(*owner, absl::StrCat(spec.name, suffixes[i]));
    const BodyScope scope(body, location);
    std::vector<Output> returns = branches[i]();
    if (i == 0) count = returns.size();
    BuilderAccess::Of(body).body->returns = std::move(returns);
    spec.bodies.push_back(&body);
  }
  if (!owner->status().ok()) return InvalidChoice(owner, count);
  const absl::StatusOr<Operation> node = AddBranches(*owner, spec);
  if (node.ok()) return {*node, FirstOutputs(*node, count)};
  owner->Fail(Annotate(node.status(), spec.name, names.op), location);
  return InvalidChoice(owner, count);
}

// Builds the functions of a While and its node.
class LoopBuilder {
 public:
  LoopBuilder(GraphBuilder& owner, absl::Span<const Output> initial,
              const WhileOptions& options, SourceLocation location)
      : owner_(owner),
        state_(BuilderAccess::Of(BuilderAccess::Current(owner))),
        initial_(initial),
        options_(options),
        location_(location),
        name_(state_.UniqueName(options.name)) {}

  const std::string& name() const { return name_; }

  absl::StatusOr<Operation> Run(LoopCondition condition, LoopBody body) {
    LEAT_RETURN_IF_ERROR(CheckOptions());
    LEAT_RETURN_IF_ERROR(state_.CheckNesting());
    LEAT_RETURN_IF_ERROR(FindVariables());
    LoopSpec spec = {.name = name_,
                     .num_variables = initial_.size(),
                     .parallel_iterations = options_.parallel_iterations};
    if (options_.maximum_iterations.has_value()) {
      spec.counter = static_cast<int>(spec.num_variables++);
    }
    LEAT_ASSIGN_OR_RETURN(spec.condition, AddCondition(condition));
    LEAT_ASSIGN_OR_RETURN(spec.body, AddBody(body));
    return AddLoop(owner_, spec);
  }

 private:
  absl::Status CheckOptions() const {
    if (initial_.empty()) {
      return absl::InvalidArgumentError(
          "there are no variables, but a loop needs at least one");
    }
    if (options_.maximum_iterations.value_or(0) < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("maximum_iterations must not be negative, but is ",
                       *options_.maximum_iterations));
    }
    if (options_.parallel_iterations < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("parallel_iterations must be at least 1, but is ",
                       options_.parallel_iterations));
    }
    const size_t shapes = options_.shape_invariants.size();
    if (shapes == 0 || shapes == initial_.size()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", shapes, " shape_invariants for ", initial_.size(),
        " variables; give one for each of them, or none"));
  }

  absl::Status FindVariables() {
    for (size_t i = 0; i < initial_.size(); ++i) {
      const Output& output = initial_[i];
      if (!output.IsValid() || output.dtype() == DType::kInvalid) {
        return NoNode(absl::StrCat("variable ", i), output);
      }
      absl::StatusOr<Output> outer = state_.Resolve(output);
      if (!outer.ok()) {
        return absl::Status(
            outer.status().code(),
            absl::StrCat("variable ", i, " ", outer.status().message()));
      }
      const InferredOutput& known = state_.InferredAt(outer->endpoint());
      InferredOutput inside = {.shape = known.shape, .handle = known.handle};
      if (!options_.shape_invariants.empty()) {
        inside.shape = options_.shape_invariants[i];
        if (Relax(inside.shape, known.shape) != inside.shape) {
          return absl::InvalidArgumentError(absl::StrCat(
              "variable ", i, " (", output.name(), ") has shape ",
              known.shape.DebugString(), ", which its shape invariant ",
              inside.shape.DebugString(), " does not allow"));
        }
      }
      variables_.push_back({output.operation().name(), *outer, inside});
    }
    if (!options_.maximum_iterations.has_value()) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(
        const NodeId zero,
        state_.AddConstant(Tensor::Scalar<int32_t>(0),
                           absl::StrCat(name_, "/iterations")));
    variables_.push_back({"iterations", Operation(state_.self, zero).output(0),
                          InferredOutput{.shape = Shape{}}});
    return absl::OkStatus();
  }

  // Makes a body that has an argument for every variable.
  absl::StatusOr<GraphBuilder*> NewBody(absl::string_view suffix) {
    GraphBuilder& body =
        BuilderAccess::NewBody(owner_, absl::StrCat(name_, suffix));
    State& state = BuilderAccess::Of(body);
    for (const Variable& variable : variables_) {
      LEAT_RETURN_IF_ERROR(state
                               .AddArgument(variable.name,
                                            variable.initial.dtype(),
                                            variable.known)
                               .status());
      state.body->arguments.back().outer = variable.initial;
    }
    return &body;
  }

  std::vector<Output> Arguments(const GraphBuilder& body) const {
    std::vector<Output> outputs;
    for (size_t i = 0; i < initial_.size(); ++i) {
      outputs.push_back(BuilderAccess::Of(body).body->arguments[i].inner);
    }
    return outputs;
  }

  Output Counter(const GraphBuilder& body) const {
    return BuilderAccess::Of(body).body->arguments[initial_.size()].inner;
  }

  absl::StatusOr<GraphBuilder*> AddCondition(LoopCondition condition) {
    LEAT_ASSIGN_OR_RETURN(GraphBuilder* const body, NewBody("_cond"));
    const BodyScope scope(*body, location_);
    Output holds = condition(Arguments(*body));
    LEAT_RETURN_IF_ERROR(owner_.status());
    LEAT_RETURN_IF_ERROR(CheckScalar("the condition", holds, DType::kBool));
    if (options_.maximum_iterations.has_value()) {
      const Output goes_on =
          AddOp({.op = "Less",
                 .inputs = {Counter(*body),
                            Operand(*options_.maximum_iterations)},
                 .location = location_})
              .output(0);
      holds = AddOp({.op = "LogicalAnd",
                     .inputs = {goes_on, holds},
                     .location = location_})
                  .output(0);
      LEAT_RETURN_IF_ERROR(owner_.status());
    }
    BuilderAccess::Of(*body).body->returns = {holds};
    return body;
  }

  absl::StatusOr<GraphBuilder*> AddBody(LoopBody function) {
    LEAT_ASSIGN_OR_RETURN(GraphBuilder* const body, NewBody("_body"));
    State& state = BuilderAccess::Of(*body);
    const BodyScope scope(*body, location_);
    std::vector<Output> next = function(Arguments(*body));
    LEAT_RETURN_IF_ERROR(owner_.status());
    if (next.size() != initial_.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the body returns ", next.size(), " tensors for ",
                       initial_.size(), " variables"));
    }
    if (options_.maximum_iterations.has_value()) {
      next.push_back(AddOp({.op = "AddV2",
                            .inputs = {Counter(*body), Operand(1)},
                            .location = location_})
                         .output(0));
      LEAT_RETURN_IF_ERROR(owner_.status());
    }
    for (size_t i = 0; i < next.size(); ++i) {
      if (!next[i].IsValid() || next[i].dtype() == DType::kInvalid) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the body returns for variable ", i, " (",
            variables_[i].initial.name(), ") an output of no node"));
      }
      absl::StatusOr<Output> inner = state.Resolve(next[i]);
      if (!inner.ok()) {
        return absl::Status(inner.status().code(),
                            absl::StrCat("what the body returns for variable ",
                                         i, " ", inner.status().message()));
      }
      state.body->arguments[i].next = *inner;
    }
    return body;
  }

  struct Variable {
    std::string name = {};
    Output initial = {};
    InferredOutput known = {};  // what is known in every iteration
  };

  GraphBuilder& owner_;
  State& state_;
  const absl::Span<const Output> initial_;
  const WhileOptions& options_;
  const SourceLocation location_;
  const std::string name_;
  std::vector<Variable> variables_;
};

// Returns the operands as Outputs. An operand that is not an Output becomes a
// constant or a Pack that is named after the loop.
std::vector<Output> AsOutputs(GraphBuilder& builder, const OperandList& initial,
                              absl::string_view loop, SourceLocation location) {
  std::vector<Output> outputs;
  for (const Operand& operand : initial.operands()) {
    outputs.push_back(
        builder.AsOutput(operand, absl::StrCat(loop, "_initial"), location));
  }
  return outputs;
}

// Makes an EffectFunction callable as a BranchFunction that returns no results.
struct Effect {
  EffectFunction effect;
  std::vector<Output> operator()() const {
    effect();
    return {};
  }
};

Chosen MakeCond(GraphBuilder* owner, const Output& pred,
                BranchFunction then_branch, BranchFunction else_branch,
                const CondOptions& options, SourceLocation location) {
  const std::string suffixes[] = {"_then", "_else"};
  const BranchFunction branches[] = {then_branch, else_branch};
  return Choose(owner, {"If", "predicate", DType::kBool}, pred, branches,
                suffixes, options.name, location);
}

Chosen MakeCase(GraphBuilder* owner, const Output& index,
                absl::Span<const BranchFunction> branches,
                const CaseOptions& options, SourceLocation location) {
  if (branches.empty()) {
    if (owner == nullptr) return {};
    owner->Fail(absl::InvalidArgumentError(absl::StrCat(
                    "node '", options.name, "' (Case): there are no branches")),
                location);
    return InvalidChoice(owner, 0);
  }
  std::vector<std::string> suffixes;
  for (size_t i = 0; i < branches.size(); ++i) {
    suffixes.push_back(absl::StrCat("_branch", i));
  }
  return Choose(owner, {"Case", "index", DType::kInt32}, index, branches,
                suffixes, options.name, location);
}

Operation MakeCase(GraphBuilder* owner, const Output& index,
                   absl::Span<const EffectFunction> branches,
                   const CaseOptions& options, SourceLocation location) {
  std::vector<Effect> effects;
  for (const EffectFunction& branch : branches) effects.push_back({branch});
  const std::vector<BranchFunction> functions(effects.begin(), effects.end());
  return MakeCase(owner, index, functions, options, location).operation;
}

std::vector<Output> MakeWhile(GraphBuilder& owner,
                              absl::Span<const Output> initial,
                              LoopCondition condition, LoopBody body,
                              const WhileOptions& options,
                              SourceLocation location) {
  if (!owner.status().ok()) return Invalid(&owner, initial.size());
  LoopBuilder loop(owner, initial, options, location);
  absl::StatusOr<Operation> node = loop.Run(condition, body);
  if (node.ok()) return FirstOutputs(*node, initial.size());
  // If the condition or the body failed, the builder already has that error and
  // ignores this one.
  owner.Fail(Annotate(node.status(), loop.name(), "While"), location);
  return Invalid(&owner, initial.size());
}

}  // namespace

std::vector<Output> Cond(Output pred, BranchFunction then_branch,
                         BranchFunction else_branch, const CondOptions& options,
                         SourceLocation location) {
  return MakeCond(pred.builder(), pred, then_branch, else_branch, options,
                  location)
      .outputs;
}

std::vector<Output> Cond(GraphBuilder& builder, Output pred,
                         BranchFunction then_branch, BranchFunction else_branch,
                         const CondOptions& options, SourceLocation location) {
  return MakeCond(&builder, pred, then_branch, else_branch, options, location)
      .outputs;
}

Operation Cond(Output pred, EffectFunction then_branch,
               EffectFunction else_branch, const CondOptions& options,
               SourceLocation location) {
  return MakeCond(pred.builder(), pred, Effect{then_branch},
                  Effect{else_branch}, options, location)
      .operation;
}

Operation Cond(GraphBuilder& builder, Output pred, EffectFunction then_branch,
               EffectFunction else_branch, const CondOptions& options,
               SourceLocation location) {
  return MakeCond(&builder, pred, Effect{then_branch}, Effect{else_branch},
                  options, location)
      .operation;
}

std::vector<Output> Case(Output index,
                         absl::Span<const BranchFunction> branches,
                         const CaseOptions& options, SourceLocation location) {
  return MakeCase(index.builder(), index, branches, options, location).outputs;
}

std::vector<Output> Case(GraphBuilder& builder, Output index,
                         absl::Span<const BranchFunction> branches,
                         const CaseOptions& options, SourceLocation location) {
  return MakeCase(&builder, index, branches, options, location).outputs;
}

Operation Case(Output index, absl::Span<const EffectFunction> branches,
               const CaseOptions& options, SourceLocation location) {
  return MakeCase(index.builder(), index, branches, options, location);
}

Operation Case(GraphBuilder& builder, Output index,
               absl::Span<const EffectFunction> branches,
               const CaseOptions& options, SourceLocation location) {
  return MakeCase(&builder, index, branches, options, location);
}

std::vector<Output> While(const OperandList& initial, LoopCondition condition,
                          LoopBody body, const WhileOptions& options,
                          SourceLocation location) {
  std::vector<Output> unchanged;  // the ids in it may be kOfConstants
  for (const Operand& operand : initial.operands()) {
    if (GraphBuilder* const builder = operand.builder(); builder != nullptr) {
      return While(*builder, initial, condition, body, options, location);
    }
    unchanged.push_back(operand.output());
  }
  return unchanged;
}

std::vector<Output> While(GraphBuilder& builder, const OperandList& initial,
                          LoopCondition condition, LoopBody body,
                          const WhileOptions& options,
                          SourceLocation location) {
  return MakeWhile(builder, AsOutputs(builder, initial, options.name, location),
                   condition, body, options, location);
}

std::string FunctionOf(const Operation& operation) {
  if (operation.builder() == nullptr) return "";
  const Body* body = BuilderAccess::Of(*operation.builder()).body.get();
  return body == nullptr ? "" : body->function;
}

std::string OpenFunction(const GraphBuilder& builder) {
  const GraphBuilder& open = BuilderAccess::Current(builder);
  const Body* body = BuilderAccess::Of(open).body.get();
  return body == nullptr ? "" : body->function;
}

}  // namespace leat
