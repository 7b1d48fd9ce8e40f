// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make the nodes of Cond, Case and While, and of their
// gradients, from bodies that have ended. Later they extend such a node in
// place by outputs that its gradient needs. The outputs that the node had
// before keep their numbers. Private to graph/builder/control_flow*.cc and
// graph/autodiff/control_flow_gradients.cc. Not thread-safe, as GraphBuilder is
// not.
#ifndef LEAT_GRAPH_BUILDER_CONTROL_FLOW_NODES_H_
#define LEAT_GRAPH_BUILDER_CONTROL_FLOW_NODES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {

// REQUIRES: `builder` is the builder of a body.
inline Body& BodyOf(const GraphBuilder& builder) {
  return *BuilderAccess::Of(builder).body;
}
// Returns what inference knows of an output. REQUIRES: `output` is an output of
// a node.
inline const InferredOutput& Known(const Output& output) {
  return BuilderAccess::Of(*output.builder()).InferredAt(output.endpoint());
}

// Describes an If or a Case to AddBranches.
struct BranchesSpec {
  std::string name = {};  // unique, includes the name scopes
  bool is_case = false;   // else it is an If
  Output selector = {};   // the predicate of an If, the index of a Case
  std::vector<GraphBuilder*> bodies = {};  // two for an If: then, else
  bool is_gradient = false;
};
// Adds the node to the innermost open body, with the scopes that are open
// there. Fails with INVALID_ARGUMENT if the bodies do not return the same
// number of tensors of the same types.
absl::StatusOr<Operation> AddBranches(GraphBuilder& builder,
                                      const BranchesSpec& spec);

// Describes a While to AddLoop. The first `num_variables` arguments of the body
// and of the condition are the loop's variables; in the body their `outer` and
// `next` are set. The other arguments are captured. The condition returns one
// tensor.
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
// Adds the node to the innermost open body, with the scopes that are open
// there. Fails with INVALID_ARGUMENT, naming the variable, if the body changes
// the type of a variable or, if `check_shapes` is set, its shape.
absl::StatusOr<Operation> AddLoop(GraphBuilder& builder, const LoopSpec& spec);

// Returns the outputs of an If or Case that give the values of branches.
// `values[i]` are outputs of the body of branch i, and result[i] are the
// outputs of `node` that have their values when that branch runs. Adds outputs
// to `node` if needed. Values of different branches share an output if their
// types and shapes are equal. A branch that has no value for an output gives it
// an arbitrary tensor.
absl::StatusOr<std::vector<std::vector<Output>>> BranchOutputs(
    const Operation& node, absl::Span<const std::vector<Output>> values);

// Returns the output of a While that counts its iterations, an int32. Adds it
// if the loop has none.
absl::StatusOr<Output> IterationsOutput(const Operation& node);

// Returns the outputs of a While that are lists of the values of `values`,
// which are outputs of its body. Each list has the values of one output in all
// iterations, in their order. Adds the lists that are missing. Fails with
// INVALID_ARGUMENT if lists would be nested in each other deeper than variants
// may be (kMaxVariantDepth, core/variant.h).
absl::StatusOr<std::vector<Output>> ListOutputs(
    const Operation& node, absl::Span<const Output> values);

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_CONTROL_FLOW_NODES_H_
