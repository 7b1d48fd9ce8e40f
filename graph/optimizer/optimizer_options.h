// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OptimizerOptions says which passes (pass.h) optimize the graph of a step, and
// limits the memory and the work of constant folding. A session has one
// OptimizerOptions:
//
//   SessionOptions options;  // train/session.h
//   options.optimizer.disabled_passes = {"fusion"};
#ifndef LEAT_GRAPH_OPTIMIZER_OPTIMIZER_OPTIONS_H_
#define LEAT_GRAPH_OPTIMIZER_OPTIMIZER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace leat::pb {
class GraphOptions;
}  // namespace leat::pb

namespace leat {

enum class OptimizeLevel : uint8_t {
  kOff,  // no pass runs: a step runs all nodes that pruning leaves
  kOn,   // all passes that are not disabled run
};

// Selects the passes that run, and limits constant folding. Is a plain value
// and thread-compatible.
struct OptimizerOptions {
  OptimizeLevel level = OptimizeLevel::kOn;
  // Holds the names of passes that do not run. Unknown names are ignored.
  std::vector<std::string> disabled_passes = {};
  // max_folded_bytes limits the number of bytes of one folded constant. All
  // constants that are folded for one plan may together have at most
  // max_folded_bytes * kMaxFoldedConstants bytes.
  int64_t max_folded_bytes = int64_t{10} << 20;
  static constexpr int64_t kMaxFoldedConstants = 16;
  // Limits the number of bytes that all evaluations for one plan may read and
  // write in total. A failed evaluation counts as if it had written all bytes
  // that it was allowed to write. But if it failed with RESOURCE_EXHAUSTED, it
  // counts as if it had written nothing, because it got no memory to write to.
  static constexpr int64_t kMaxFoldingWork = int64_t{512} << 20;
  // These are the limits for one evaluation if the node is of
  // CostClass::kExpensive or reads strings. kMaxExpensiveInput limits the bytes
  // that it may read, and kMaxExpensiveOutput the bytes that it may write. A
  // node above these limits stays in the step. An expensive node uses up more
  // of kMaxFoldingWork than the bytes that it reads and writes. It uses up one
  // more byte for each pair of an input element and an output element. This
  // estimate assumes that elements have 4 bytes.
  static constexpr int64_t kMaxExpensiveInput = 4 << 10;
  static constexpr int64_t kMaxExpensiveOutput = 64 << 10;
};

// Returns the options that a TensorFlow client requests. The opt_level L0 and
// disable_meta_optimizer switch all passes off; the toggles of rewrite_options
// switch single passes off. do_common_subexpression_elimination and
// do_constant_folding are ignored, because the level L1 implies both.
OptimizerOptions OptimizerOptionsFrom(const pb::GraphOptions& options);

// Sets `graph_options` so that a session of another process optimizes as
// `options` say. If TensorFlow has no toggle for a disabled pass, that session
// runs the pass anyway.
void ExportOptimizerOptions(const OptimizerOptions& options,
                            pb::GraphOptions& graph_options);

}  // namespace leat

#endif  // LEAT_GRAPH_OPTIMIZER_OPTIMIZER_OPTIONS_H_
