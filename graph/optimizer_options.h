// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OptimizerOptions: which passes a step's graph goes through. A value.
#ifndef LEAT_GRAPH_OPTIMIZER_OPTIONS_H_
#define LEAT_GRAPH_OPTIMIZER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace leat::pb {
class GraphOptions;
}  // namespace leat::pb

namespace leat {

enum class OptimizeLevel : uint8_t {
  kOff,  // a step runs the nodes it was given, every one
  kOn,
};

struct OptimizerOptions {
  OptimizeLevel level = OptimizeLevel::kOn;
  // Names of passes not to run; unknown ones are ignored.
  std::vector<std::string> disabled_passes = {};
  // No folded constant is larger. A step's constants together take at most
  // kMaxFoldedConstants times as much.
  int64_t max_folded_bytes = int64_t{10} << 20;
  static constexpr int64_t kMaxFoldedConstants = 16;
  // What is evaluated for one plan reads and writes at most so many bytes
  // together. What fails counts as if it had written all that it may.
  static constexpr int64_t kMaxFoldingWork = int64_t{512} << 20;
  // Nodes of CostClass::kExpensive, and those that read strings, are left to
  // the step when they read or write more. An expensive one counts as if it
  // took an operation for each pair of 4 bytes read and 4 bytes written.
  static constexpr int64_t kMaxExpensiveInput = 4 << 10;
  static constexpr int64_t kMaxExpensiveOutput = 64 << 10;
};

// What a TensorFlow client asks for: opt_level L0 and disable_meta_optimizer
// switch everything off, the toggles of rewrite_options single passes.
// do_common_subexpression_elimination and do_constant_folding are not looked
// at: L1 means both, whatever they say.
OptimizerOptions OptimizerOptionsFrom(const pb::GraphOptions& options);

// The inverse, for a session of another process. A pass that TensorFlow has no
// toggle for cannot be switched off there and is left out.
void ExportOptimizerOptions(const OptimizerOptions& options,
                            pb::GraphOptions& graph_options);

}  // namespace leat

#endif  // LEAT_GRAPH_OPTIMIZER_OPTIONS_H_
