// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ConstantEvaluator: computes what a node gives for known inputs, for passes.
// The graph knows no kernels; runtime/constant_evaluator.h has some.
#ifndef LEAT_GRAPH_CONSTANT_EVALUATOR_H_
#define LEAT_GRAPH_CONSTANT_EVALUATOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"

namespace leat {

// Thread-safe.
class ConstantEvaluator {
 public:
  virtual ~ConstantEvaluator() = default;

  // All outputs of the node, none of them larger than `max_bytes`, as a step
  // on a CPU would compute them. Fails, without harm, for what a step would
  // fail to compute, for nodes that are not to be folded, and with
  // RESOURCE_EXHAUSTED for what takes more memory.
  virtual absl::StatusOr<std::vector<Tensor>> Evaluate(
      const NodeDef& node, absl::Span<const Tensor> inputs,
      int64_t max_bytes) = 0;
};

}  // namespace leat

#endif  // LEAT_GRAPH_CONSTANT_EVALUATOR_H_
