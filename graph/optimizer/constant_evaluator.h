// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ConstantEvaluator lets a pass compute the outputs of a node whose inputs are
// known. It is an interface, because this layer has no kernels. The
// implementation is in runtime/constant_evaluator.h.
#ifndef LEAT_GRAPH_OPTIMIZER_CONSTANT_EVALUATOR_H_
#define LEAT_GRAPH_OPTIMIZER_CONSTANT_EVALUATOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"

namespace leat {

// Evaluates single nodes while a step is planned. Is thread-safe.
class ConstantEvaluator {
 public:
  virtual ~ConstantEvaluator() = default;

  // Returns all outputs of `node` for these inputs, one tensor each, as a step
  // on a CPU would compute them. No output is larger than `max_bytes`. Fails if
  // a step would fail, or if the node must not be evaluated before the step.
  // Fails with RESOURCE_EXHAUSTED if the evaluation would allocate a block of
  // more than `max_bytes`. A failure does no harm: the caller leaves the node
  // in the graph.
  virtual absl::StatusOr<std::vector<Tensor>> Evaluate(
      const NodeDef& node, absl::Span<const Tensor> inputs,
      int64_t max_bytes) = 0;
};

}  // namespace leat

#endif  // LEAT_GRAPH_OPTIMIZER_CONSTANT_EVALUATOR_H_
