// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Instantiate makes a typed body from a function and the attrs of one call. The
// nodes of a body refer to each other by position. Lowering (lowering.h) copies
// a body into a graph, and ReadFunction (function_graph.h) makes a graph from a
// body.
#ifndef LEAT_GRAPH_FUNCTIONS_INSTANTIATE_H_
#define LEAT_GRAPH_FUNCTIONS_INSTANTIATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/function_library.h"
#include "leat/graph/graph.h"

namespace leat {

// Describes a tensor in a body: output `index` of the node at position `node`,
// or argument tensor `index` if `node` is kArguments.
struct BodyTensor {
  static constexpr int32_t kArguments = -1;
  int32_t node = kArguments;
  int32_t index = 0;

  friend bool operator==(const BodyTensor&, const BodyTensor&) = default;
};

// Describes a node of a body, and its incoming edges.
struct BodyNode {
  NodeDef def = {};  // named as in the function, without a prefix
  std::vector<BodyTensor> inputs = {};
  std::vector<int32_t> controls = {};      // positions of nodes
  std::vector<int32_t> arg_controls = {};  // indices of argument tensors
};

// Describes the body of a function whose attrs are known. The body points at
// ops of the registry and of the function library, and both must outlive the
// body. Arguments and results are counted by tensor: an argument that is a list
// has several tensors.
struct FunctionBody {
  std::string name = {};  // the function's name
  // Holds the attrs that replaced the placeholders. Null if there were none.
  std::shared_ptr<const AttrMap> attrs = {};
  std::vector<std::string> arg_names = {};  // one per tensor
  std::vector<DType> arg_types = {};
  std::vector<BodyNode> nodes = {};  // in the order of Function::nodes
  std::vector<BodyTensor> returns = {};
  std::vector<DType> return_types = {};
  // Holds the positions of the nodes that must run even if no result needs
  // them: the function's control outputs or, if it has none, the stateful nodes
  // that nothing uses.
  std::vector<int32_t> control_outputs = {};
};

// Instantiates `function`: replaces attrs that are placeholders ("$name") by
// the values in `attrs`. If `attrs` has no value for a placeholder, the default
// of the signature replaces it. Fails with INVALID_ARGUMENT, naming function
// and node, for missing or wrong attrs, a wrong number or wrong types of
// tensors, and arguments or results that are references. Fails with NOT_FOUND
// for an op that does not exist. Fails with RESOURCE_EXHAUSTED if the nodes
// have more than `max_tensors` inputs and outputs together. Instantiate then
// fails before the nodes take much memory.
//
// REQUIRES: `function` has passed ValidateBody (graph_validation.h);
// `function`, `ops` and `library` outlive the body. Is thread-safe.
absl::StatusOr<FunctionBody> Instantiate(const Function& function,
                                         const AttrMap& attrs,
                                         const OpRegistry& ops,
                                         const FunctionLibrary& library,
                                         int64_t max_tensors);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTIONS_INSTANTIATE_H_
