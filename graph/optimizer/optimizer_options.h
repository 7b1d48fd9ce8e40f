// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OptimizerOptions says which passes (pass.h) optimize the graph of a step, and
// bounds what constant folding may take. A session has one:
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
  kOff,  // no pass runs: a step runs every node that it needs, as it is
  kOn,   // all passes run that are not disabled
};

// A value; thread-compatible.
struct OptimizerOptions {
  OptimizeLevel level = OptimizeLevel::kOn;
  // The names of passes that do not run. Unknown names are ignored.
  std::vector<std::string> disabled_passes = {};
  // The most bytes that a folded constant may have. All constants folded for
  // one plan together may have kMaxFoldedConstants times as many.
  int64_t max_folded_bytes = int64_t{10} << 20;
  static constexpr int64_t kMaxFoldedConstants = 16;
  // The bytes that all evaluations for one plan may read and write together. An
  // evaluation that fails counts as if it had written all that it was allowed
  // to, unless it fails because it got no memory.
  static constexpr int64_t kMaxFoldingWork = int64_t{512} << 20;
  // The bytes that a node of CostClass::kExpensive, or one that reads strings,
  // may read and write. A larger one is left to the step. The work of an
  // expensive node is estimated as one operation for each pair of 4 bytes read
  // and 4 bytes written.
  static constexpr int64_t kMaxExpensiveInput = 4 << 10;
  static constexpr int64_t kMaxExpensiveOutput = 64 << 10;
};

// Returns what a TensorFlow client asks for. The opt_level L0 and
// disable_meta_optimizer switch all passes off; the toggles of rewrite_options
// switch single passes off. do_common_subexpression_elimination and
// do_constant_folding are ignored, because L1 means both, whatever they say.
OptimizerOptions OptimizerOptionsFrom(const pb::GraphOptions& options);

// Does the opposite: sets what makes a session of another process optimize as
// `options` say. Leaves out passes for which TensorFlow has no toggle, so they
// are not switched off there.
void ExportOptimizerOptions(const OptimizerOptions& options,
                            pb::GraphOptions& graph_options);

}  // namespace leat

#endif  // LEAT_GRAPH_OPTIMIZER_OPTIMIZER_OPTIONS_H_
