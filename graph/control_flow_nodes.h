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

// The output of an If or Case that is `value`, of the body of branch `branch`;
// a new one if need be, of which the other branches give something arbitrary.
absl::StatusOr<Output> BranchOutput(const Operation& node, size_t branch,
                                    const Output& value);

// The output of a While that counts its iterations, an int32.
absl::StatusOr<Output> IterationsOutput(const Operation& node);

// The output of a While that is the list of all values, the last iteration's at
// its end, that `value`, of its body, had.
absl::StatusOr<Output> ListOutput(const Operation& node, const Output& value);

}  // namespace leat

#endif  // LEAT_GRAPH_CONTROL_FLOW_NODES_H_
