// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Cond, Case and While add control flow to a graph. Their branches and bodies
// are C++ functions that build nodes, as in TensorFlow's tf.cond,
// tf.switch_case and tf.while_loop.
//
//   std::vector<Output> y = Cond(op::Greater(x, 0.0f),
//                                [&] { return std::vector<Output>{x * w}; },
//                                [&] { return std::vector<Output>{x}; });
//   std::vector<Output> r = While(
//       {0, x0}, [&](auto v) { return op::Less(v[0], 10); },
//       [&](auto v) { return std::vector<Output>{v[0] + 1, v[1] * w}; });
//
// Each call adds one node: an If, Case or While, or its Stateless form if no op
// of its bodies is stateful. Build() adds the functions that the node calls to
// the graph.
//
// Each branch, condition or loop body is called exactly once, while the graph
// is being built. All nodes that it adds become a function, regardless of the
// builder that adds them and of the scopes that the body opens. If a body uses
// an Output from outside, this Output becomes an argument of the function. In a
// loop, such an argument has the same value in every iteration. Outputs of a
// body cannot be used after the body has ended. Only what the body returns
// becomes an output of the node. A variable made in a body belongs to the
// graph; Variable::value() reads it in the body. Bodies can nest at most 100
// deep. Loops whose gradients are built can nest at most 32 deep.
//
// Name, device and control scopes that are open outside apply to the node, not
// to its bodies. If a body opens a control scope of operations outside of the
// body, the node runs after these operations. Nodes of a body that have side
// effects run whenever the body runs. As in any graph, only edges order these
// nodes.
//
// Gradients (autodiff/gradients.h) differentiates through Cond, Case and While,
// even if they are nested. Gradients fails with UNIMPLEMENTED for second
// derivatives through a loop. Gradients adds outputs to the node, for the
// values of the forward computation that the gradient needs. Gradients also
// adds inputs to a While, because a While keeps such values in lists of
// tensors. The node changes in place, so its Outputs stay valid. But a session
// refuses to extend its graph if a node has changed. So the gradients must be
// built before the session gets the graph. Gradients that a program requests
// inside a body also flow to the outside, through the values that the body
// captures. A loop variable inside the body has no gradient with respect to the
// variable's initial value, because the two differ after the first iteration.
//
// The builder of `pred`, `index` or `initial` records errors, with the name of
// the node and the place of the call. After an error, Cond and Case return as
// many invalid Outputs as the first branch returned. While returns one invalid
// Output for each variable of the loop. `pred`, `index` or `initial` has no
// builder if it belongs to no node or comes from an op function that got only
// constants. Then Cond and Case return an empty result, and While returns
// `initial`. They do not call any branch, condition or body, and cannot record
// an error. The overloads that take a builder do record this error.
#ifndef LEAT_GRAPH_BUILDER_CONTROL_FLOW_H_
#define LEAT_GRAPH_BUILDER_CONTROL_FLOW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "leat/core/partial_shape.h"
#include "leat/core/source_location.h"
#include "leat/graph/builder/operand.h"
#include "leat/graph/builder/output.h"

namespace leat {

// A BranchFunction builds a branch. A LoopCondition builds the condition of a
// loop, and a LoopBody builds its body; both get the loop's variables. Cond,
// Case and While call these functions before they return, and do not keep them.
using BranchFunction = absl::FunctionRef<std::vector<Output>()>;
using LoopCondition = absl::FunctionRef<Output(absl::Span<const Output>)>;
using LoopBody =
    absl::FunctionRef<std::vector<Output>(absl::Span<const Output>)>;

// An EffectFunction is a branch that returns no tensors and only has side
// effects. Cond and Case of such branches return the Operation of the node. A
// step can run this Operation, or another operation can run after it. The
// Operation is invalid after an error.
//
//   Operation count = Cond(
//       is_new, [&] { op::AssignAddVariableOp(n.handle(), 1); }, [] {});
class EffectFunction : public absl::FunctionRef<void()> {
 public:
  template <class F, class = std::enable_if_t<
                         std::is_void_v<std::invoke_result_t<const F&>>>>
  EffectFunction(const F& function)  // NOLINT: the conversion is the purpose
      : absl::FunctionRef<void()>(function) {}
};

struct CondOptions {
  std::string name = "cond";  // of the node
};

// Runs `then_branch` in steps in which `pred` is true, and `else_branch` in
// other steps. `pred` is a scalar bool. Returns the results of the branch that
// runs. Both branches must return the same number of tensors of the same types.
// The two shapes of a result may differ. Then only what the shapes have in
// common is known before a step.
std::vector<Output> Cond(Output pred, BranchFunction then_branch,
                         BranchFunction else_branch,
                         const CondOptions& options = {},
                         SourceLocation location = SourceLocation::Current());

std::vector<Output> Cond(GraphBuilder& builder, Output pred,
                         BranchFunction then_branch, BranchFunction else_branch,
                         const CondOptions& options = {},
                         SourceLocation location = SourceLocation::Current());

Operation Cond(Output pred, EffectFunction then_branch,
               EffectFunction else_branch, const CondOptions& options = {},
               SourceLocation location = SourceLocation::Current());

Operation Cond(GraphBuilder& builder, Output pred, EffectFunction then_branch,
               EffectFunction else_branch, const CondOptions& options = {},
               SourceLocation location = SourceLocation::Current());

struct CaseOptions {
  std::string name = "case";  // of the node
};

// Runs one of `branches`, and returns its results. `index`, a scalar int32, is
// the number of the branch. If `index` is out of range, the last branch runs.
// The same rules apply to the results as for Cond. There must be at least one
// branch.
std::vector<Output> Case(Output index,
                         absl::Span<const BranchFunction> branches,
                         const CaseOptions& options = {},
                         SourceLocation location = SourceLocation::Current());

std::vector<Output> Case(GraphBuilder& builder, Output index,
                         absl::Span<const BranchFunction> branches,
                         const CaseOptions& options = {},
                         SourceLocation location = SourceLocation::Current());

Operation Case(Output index, absl::Span<const EffectFunction> branches,
               const CaseOptions& options = {},
               SourceLocation location = SourceLocation::Current());

Operation Case(GraphBuilder& builder, Output index,
               absl::Span<const EffectFunction> branches,
               const CaseOptions& options = {},
               SourceLocation location = SourceLocation::Current());

struct WhileOptions {
  std::string name = "while";  // of the node
  // Ends the loop after this number of iterations even if the condition still
  // holds.
  std::optional<int32_t> maximum_iterations = {};
  int64_t parallel_iterations = 10;  // how many may run at once, at least 1
  // Holds the shape that each variable has in every iteration. If it is empty,
  // the variables keep the shapes of `initial`. The body must return values of
  // these shapes.
  std::vector<PartialShape> shape_invariants = {};
};

// Runs a loop. The variables of the loop start with the values in `initial`,
// which must not be empty. Integers in `initial` become int32, and numbers with
// a fraction become float. `condition` computes a scalar bool from the
// variables. While this bool is true, `body` computes the values of the
// variables in the next iteration. These values must have the same types as the
// variables. Returns the values of the variables after the last iteration.
std::vector<Output> While(const OperandList& initial, LoopCondition condition,
                          LoopBody body, const WhileOptions& options = {},
                          SourceLocation location = SourceLocation::Current());

std::vector<Output> While(GraphBuilder& builder, const OperandList& initial,
                          LoopCondition condition, LoopBody body,
                          const WhileOptions& options = {},
                          SourceLocation location = SourceLocation::Current());

// Returns the name of the function whose body `operation` is in, or "" if the
// operation is in the graph itself.
std::string FunctionOf(const Operation& operation);
// Returns the name of the function whose body gets new nodes, or "" if no body
// is open.
std::string OpenFunction(const GraphBuilder& builder);

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_CONTROL_FLOW_H_
