// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes the nodes of Cond, Case and While, and of their gradients, from bodies
// that have ended. Also adds outputs to such a node in place if the gradient of
// the node needs them. The existing outputs of the node keep their numbers.
// Only graph/builder/control_flow*.cc and
// graph/autodiff/control_flow_gradients.cc use this header. Is not thread-safe,
// as GraphBuilder is not.
#ifndef LEAT_GRAPH_BUILDER_CONTROL_FLOW_NODES_H_
#define LEAT_GRAPH_BUILDER_CONTROL_FLOW_NODES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {

// Returns the Body of `builder`. REQUIRES: `builder` builds a body.
inline Body& BodyOf(const GraphBuilder& builder) {
  return *BuilderAccess::Of(builder).body;
}
// Returns what inference knows of an output. REQUIRES: `output` is an output of
// a node.
inline const InferredOutput& Known(const Output& output) {
  return BuilderAccess::Of(*output.builder()).InferredAt(output.endpoint());
}

// The argument of AddBranches: describes the If or Case to add.
struct BranchesSpec {
  std::string name = {};  // unique, includes the name scopes
  bool is_case = false;   // otherwise it is an If
  Output selector = {};   // the predicate of an If, the index of a Case
  std::vector<GraphBuilder*> bodies = {};  // two for an If: then, else
  bool is_gradient = false;
};
// Adds the If or Case that `spec` describes to the innermost open body, or to
// the graph if no body is open. The scopes that are open there apply to the
// node. Fails with INVALID_ARGUMENT if the bodies differ in the number or types
// of the tensors that they return.
absl::StatusOr<Operation> AddBranches(GraphBuilder& builder,
                                      const BranchesSpec& spec);

// The argument of AddLoop: describes the While to add. The first
// `num_variables` arguments of the body and of the condition are the loop's
// variables. In the body, these arguments have `outer` and `next` set. The
// other arguments are captured. The condition returns one tensor.
struct LoopSpec {
  std::string name = {};  // unique, includes the name scopes
  size_t num_variables = 0;
  GraphBuilder* condition = nullptr;
  GraphBuilder* body = nullptr;
  int64_t parallel_iterations = 10;
  int counter = -1;  // the variable that counts iterations, or -1
  bool check_shapes = true;
  bool is_gradient = false;
};
// Adds the While that `spec` describes to the innermost open body, or to the
// graph if no body is open. The scopes that are open there apply to the node.
// Fails with INVALID_ARGUMENT, naming the variable, if the body changes the
// type of a variable or, if `check_shapes` is set, its shape.
absl::StatusOr<Operation> AddLoop(GraphBuilder& builder, const LoopSpec& spec);

// Makes tensors inside of the branches of `node`, an If or Case, available as
// outputs of `node`. values[i] lists outputs of nodes in branch i, and
// result[i] has one output of `node` for each of them. When branch i runs, the
// outputs in result[i] have the values of the outputs in values[i]. Adds
// outputs to `node` if needed. Values of different branches share an output if
// their types and shapes are equal. A branch that has no value for an output
// gives it an arbitrary tensor.
absl::StatusOr<std::vector<std::vector<Output>>> BranchOutputs(
    const Operation& node, absl::Span<const std::vector<Output>> values);

// Returns the int32 output of a While that counts the iterations of the loop.
// Adds this output if the loop has none.
absl::StatusOr<Output> IterationsOutput(const Operation& node);

// Returns one list for each of `values`, which are outputs of nodes in the body
// of a While. Each list is an output of the While. It holds the value that the
// body's output had in each iteration, in order. Adds the lists that the While
// does not have yet. Fails with INVALID_ARGUMENT if the lists would nest deeper
// than kMaxVariantDepth (core/variant.h).
absl::StatusOr<std::vector<Output>> ListOutputs(
    const Operation& node, absl::Span<const Output> values);

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_CONTROL_FLOW_NODES_H_
