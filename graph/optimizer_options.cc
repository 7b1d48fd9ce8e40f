// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/optimizer_options.h"

#include "leat/protos/config.pb.h"

namespace leat {

OptimizerOptions OptimizerOptionsFrom(const pb::GraphOptions& options) {
  using Rewrites = pb::RewriterConfig;
  const Rewrites& rewrites = options.rewrite_options();
  OptimizerOptions result;
  if (options.optimizer_options().opt_level() == pb::OptimizerOptions::L0 ||
      rewrites.disable_meta_optimizer()) {
    result.level = OptimizeLevel::kOff;
  }
  if (options.optimizer_options().max_folded_constant_in_bytes() > 0) {
    result.max_folded_bytes =
        options.optimizer_options().max_folded_constant_in_bytes();
  }
  const auto disable = [&](bool is_off, const char* pass) {
    if (is_off) result.disabled_passes.emplace_back(pass);
  };
  disable(rewrites.constant_folding() == Rewrites::OFF, "constant_folding");
  disable(rewrites.remapping() == Rewrites::OFF, "fusion");
  disable(rewrites.common_subgraph_elimination() == Rewrites::OFF, "cse");
  disable(rewrites.arithmetic_optimization() == Rewrites::OFF, "arithmetic");
  disable(rewrites.dependency_optimization() == Rewrites::OFF,
          "identity_removal");
  disable(rewrites.disable_model_pruning(), "dead_nodes");
  return result;
}

}  // namespace leat
