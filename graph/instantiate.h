// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Instantiate: a function and the attrs of one call make a typed body, whose
// nodes refer to each other by position. Lowering copies it into a graph.
#ifndef LEAT_GRAPH_INSTANTIATE_H_
#define LEAT_GRAPH_INSTANTIATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/function_library.h"
#include "leat/graph/graph.h"

namespace leat {

// Output `index` of a node of a body; of kArguments, an argument's tensor.
struct BodyTensor {
  static constexpr int32_t kArguments = -1;
  int32_t node = kArguments;
  int32_t index = 0;

  friend bool operator==(const BodyTensor&, const BodyTensor&) = default;
};

struct BodyNode {
  NodeDef def = {};  // named as in the function; the caller adds a prefix
  std::vector<BodyTensor> inputs = {};
  std::vector<int32_t> controls = {};      // nodes
  std::vector<int32_t> arg_controls = {};  // tensors of arguments
};

// Points at ops of the registry and of the function library.
struct FunctionBody {
  std::string name = {};
  std::vector<std::string> arg_names = {};  // one per tensor
  std::vector<DType> arg_types = {};
  std::vector<BodyNode> nodes = {};
  std::vector<BodyTensor> returns = {};
  std::vector<DType> return_types = {};
  // Nodes that run although no data leaves them: the function's control
  // outputs; without any, stateful nodes that nothing consumes.
  std::vector<int32_t> control_outputs = {};
};

// `function` with "$name" attrs replaced by those of `attrs`, and defaults of
// its signature. INVALID_ARGUMENT naming function and node for missing or wrong
// attrs, unknown ops, and what does not fit in number or type;
// RESOURCE_EXHAUSTED when the nodes have more than `max_tensors` inputs and
// outputs, which is found before they take much memory. `function` has passed
// ValidateBody (graph_validation.h); it and `library` outlive the body.
absl::StatusOr<FunctionBody> Instantiate(const Function& function,
                                         const AttrMap& attrs,
                                         const OpRegistry& ops,
                                         const FunctionLibrary& library,
                                         int64_t max_tensors);

}  // namespace leat

#endif  // LEAT_GRAPH_INSTANTIATE_H_
