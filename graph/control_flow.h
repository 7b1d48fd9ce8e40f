// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Cond, Case and While: control flow whose branches and bodies are C++
// functions that build nodes. TensorFlow's tf.cond, tf.switch_case and
// tf.while_loop: nodes If, Case and While, Stateless where no op of the bodies
// is stateful, which call functions that Build() adds to the graph.
//
//   std::vector<Output> y = Cond(op::Greater(x, 0.0f),
//                                [&] { return std::vector<Output>{x * w}; },
//                                [&] { return std::vector<Output>{x}; });
//   std::vector<Output> r = While(
//       {i0, x0}, [&](auto v) { return op::Less(v[0], 10); },
//       [&](auto v) { return std::vector<Output>{v[0] + 1, v[1] * w}; });
//
// A body is called once. What it adds lands in the function, also through the
// outer builder and with its scopes; an Output from outside that it uses
// becomes an argument, which in a loop has the same value in every iteration.
// Its own Outputs end with it, but for those that it returns. A variable
// made in a body belongs to the graph; Variable::value() reads it in the body.
// Name, device and control scopes that are open outside apply to the node, not
// to the body; inside a body, operations outside that it is to run after make
// the node wait. As in any graph, nodes of a body that have an effect run
// whenever the body does, in no order but that of their edges.
//
// Bodies nest at most 100 deep, loops with gradients at most 32.
//
// GraphBuilder::Gradients goes through all three, also nested; second
// derivatives through a loop are UNIMPLEMENTED. What a gradient needs of the
// forward computation the node hands out: it gets more outputs (a While, which
// keeps lists of tensors, more inputs too), in place, so Outputs stay valid. A
// graph that a session runs is to have its gradients before it is extended.
// Asked for in a body, gradients go on outside from what the body uses; the
// variable of a loop is not what it starts as, and has none with respect to it.
//
// Errors stick to the builder, with the node's name and the call site. As many
// Outputs as the first branch returned, or as the loop has variables, come back
// in any case but one: the builder is that of `pred`, `index` or `initial`; if
// none has a builder (they are of no node, or of an op function of constants
// only), no function is called, there is nobody to tell, and what comes back is
// nothing, or the loop's `initial`. The overloads that take the builder report
// that too.
#ifndef LEAT_GRAPH_CONTROL_FLOW_H_
#define LEAT_GRAPH_CONTROL_FLOW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "leat/core/partial_shape.h"
#include "leat/core/source_location.h"
#include "leat/graph/output.h"

namespace leat {

using BranchFunction = absl::FunctionRef<std::vector<Output>()>;
using LoopCondition = absl::FunctionRef<Output(absl::Span<const Output>)>;
using LoopBody =
    absl::FunctionRef<std::vector<Output>(absl::Span<const Output>)>;

// A branch that returns nothing: it is there for what it does. Cond and Case of
// such branches return their operation, to be run or waited for; one of no node
// where they fail.
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
  std::string name = "cond";
};

// What the branch returns that the scalar bool `pred` chooses. Both branches
// return as many tensors, of the same types; their shapes may differ.
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
  std::string name = "case";
};

// The same with the branch of the number `index`, a scalar int32; the last one
// where it is out of range. At least one branch.
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
  std::string name = "while";
  // Ends the loop after so many iterations though the condition holds.
  std::optional<int32_t> maximum_iterations = {};
  int64_t parallel_iterations = 10;
  // The shapes of the variables in all iterations, none or one for each. A body
  // must keep them; without, those that the variables enter with.
  std::vector<PartialShape> shape_invariants = {};
};

// The variables, which start as `initial` (at least one), once `condition`, a
// scalar bool, does not hold any more; `body` gives the next iteration's.
std::vector<Output> While(absl::Span<const Output> initial,
                          LoopCondition condition, LoopBody body,
                          const WhileOptions& options = {},
                          SourceLocation location = SourceLocation::Current());

std::vector<Output> While(GraphBuilder& builder,
                          absl::Span<const Output> initial,
                          LoopCondition condition, LoopBody body,
                          const WhileOptions& options = {},
                          SourceLocation location = SourceLocation::Current());

// The name of the function whose body the operation is in; "" in the graph.
std::string FunctionOf(const Operation& operation);
// That of the innermost body that is open, where what is added lands.
std::string OpenFunction(const GraphBuilder& builder);

}  // namespace leat

#endif  // LEAT_GRAPH_CONTROL_FLOW_H_
