// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The nodes of Cond, Case and While, and of their gradients: made from bodies
// that have ended, and extended where they are by what a gradient needs of
// them. The outputs that a node has keep their numbers.
#ifndef LEAT_GRAPH_CONTROL_FLOW_NODES_H_
#define LEAT_GRAPH_CONTROL_FLOW_NODES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/builder_state.h"

namespace leat {

inline Body& BodyOf(const GraphBuilder& builder) {
  return *BuilderAccess::Of(builder).body;
}
inline const InferredOutput& Known(const Output& output) {
  return BuilderAccess::Of(*output.builder()).InferredAt(output.endpoint());
}

// An If (two bodies, `selector` a bool) or a Case, added where the innermost
// open body is, with all its scopes. INVALID_ARGUMENT when the bodies do not
// return the same number of tensors of the same types.
struct BranchesSpec {
  std::string name = {};  // unique, with its scopes
  bool is_case = false;
  Output selector = {};
  std::vector<GraphBuilder*> bodies = {};
  bool is_gradient = false;
};
absl::StatusOr<Operation> AddBranches(GraphBuilder& builder,
                                      const BranchesSpec& spec);

// A While. The first arguments of the body are the loop's variables, with
// `outer` and `next` set; the condition has as many, and returns one tensor;
// the body's other ones are captured. INVALID_ARGUMENT naming the variable that
// changes its type, or its shape, unless that is not to be checked.
struct LoopSpec {
  std::string name = {};
  size_t num_variables = 0;
  GraphBuilder* condition = nullptr;
  GraphBuilder* body = nullptr;
  int64_t parallel_iterations = 10;
  int counter = -1;
  bool check_shapes = true;
  bool is_gradient = false;
};
absl::StatusOr<Operation> AddLoop(GraphBuilder& builder, const LoopSpec& spec);

// The outputs of an If or Case that are `values[i]` of the body of branch i.
// New ones if need be, which values of different branches share where they are
// alike, and of which a branch that has no value gives something arbitrary.
absl::StatusOr<std::vector<std::vector<Output>>> BranchOutputs(
    const Operation& node, absl::Span<const std::vector<Output>> values);

// The output of a While that counts its iterations, an int32.
absl::StatusOr<Output> IterationsOutput(const Operation& node);

// The outputs of a While that are the lists of all values, the last iteration's
// at the end, that each of `values`, of its body, had. INVALID_ARGUMENT for
// lists that stand in each other deeper than variants may.
absl::StatusOr<std::vector<Output>> ListOutputs(
    const Operation& node, absl::Span<const Output> values);

}  // namespace leat

#endif  // LEAT_GRAPH_CONTROL_FLOW_NODES_H_
