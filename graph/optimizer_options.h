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
};

// What a TensorFlow client asks for: opt_level L0 and disable_meta_optimizer
// switch everything off, the toggles of rewrite_options single passes.
// do_common_subexpression_elimination and do_constant_folding are not looked
// at: L1 means both, whatever they say.
OptimizerOptions OptimizerOptionsFrom(const pb::GraphOptions& options);

}  // namespace leat

#endif  // LEAT_GRAPH_OPTIMIZER_OPTIONS_H_
