// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddFunction adds a function to a graph, for a node that names the function in
// an attr and calls it, such as a MapDataset. (Cond, Case and While add the
// functions of their own nodes, control_flow.h.)
//
//   LEAT_ASSIGN_OR_RETURN(
//       const AddedFunction doubled,
//       AddFunction(b, "doubled", {{.dtype = DType::kFloat}},
//                   [](absl::Span<const Output> x) {
//                     return std::vector<Output>{x[0] * 2};
//                   }));
//   // The node has the attr {"f", doubled.function} and the inputs
//   // doubled.captured.
#ifndef LEAT_GRAPH_BUILDER_ADD_FUNCTION_H_
#define LEAT_GRAPH_BUILDER_ADD_FUNCTION_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/partial_shape.h"
#include "leat/core/source_location.h"
#include "leat/graph/attr.h"
#include "leat/graph/builder/builder.h"

namespace leat {

// Is what is known of an argument or a result of a function.
struct FunctionTensor {
  DType dtype = DType::kInvalid;
  PartialShape shape = {};
};

// Builds the body of a function from its arguments, and returns its results.
using BodyFunction =
    absl::FunctionRef<std::vector<Output>(absl::Span<const Output>)>;

struct AddedFunction {
  FunctionRef function = {};
  // Holds the Outputs from outside of the body that the body uses. The function
  // takes them after its arguments, so the node must pass them.
  std::vector<Output> captured = {};
  std::vector<FunctionTensor> results = {};
};

// Adds a function to the graph of `builder`, and makes `name` unique. Calls
// `body` once. All nodes that `body` adds become nodes of the function, as
// control_flow.h describes it for the bodies there. Returns the error of the
// builder if it has one. Returns INVALID_ARGUMENT if the body returns an output
// of no node, or if a node of the body must run after an operation outside of
// it, which only data can order. Is not thread-safe, as GraphBuilder is not.
absl::StatusOr<AddedFunction> AddFunction(
    GraphBuilder& builder, absl::string_view name,
    absl::Span<const FunctionTensor> arguments, BodyFunction body,
    SourceLocation location = SourceLocation::Current());

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_ADD_FUNCTION_H_
