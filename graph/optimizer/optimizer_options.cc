// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/optimizer/optimizer_options.h"

#include <algorithm>

#include "leat/protos/config.pb.h"

namespace leat {
namespace {

using Rewrites = pb::RewriterConfig;

// Holds the name of a pass, and the toggle of TensorFlow that switches the pass
// on and off.
struct Toggle {
  const char* pass;
  Rewrites::Toggle (Rewrites::*get)() const;
  void (Rewrites::*set)(Rewrites::Toggle);
};

constexpr Toggle kToggles[] = {
    {"constant_folding", &Rewrites::constant_folding,
     &Rewrites::set_constant_folding},
    {"fusion", &Rewrites::remapping, &Rewrites::set_remapping},
    {"cse", &Rewrites::common_subgraph_elimination,
     &Rewrites::set_common_subgraph_elimination},
    {"arithmetic", &Rewrites::arithmetic_optimization,
     &Rewrites::set_arithmetic_optimization},
    {"identity_removal", &Rewrites::dependency_optimization,
     &Rewrites::set_dependency_optimization},
};
constexpr char kDeadNodes[] = "dead_nodes";

}  // namespace

OptimizerOptions OptimizerOptionsFrom(const pb::GraphOptions& options) {
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
  for (const Toggle& toggle : kToggles) {
    if ((rewrites.*toggle.get)() == Rewrites::OFF) {
      result.disabled_passes.emplace_back(toggle.pass);
    }
  }
  if (rewrites.disable_model_pruning()) {
    result.disabled_passes.emplace_back(kDeadNodes);
  }
  return result;
}

void ExportOptimizerOptions(const OptimizerOptions& options,
                            pb::GraphOptions& graph_options) {
  Rewrites& rewrites = *graph_options.mutable_rewrite_options();
  pb::OptimizerOptions& optimizer = *graph_options.mutable_optimizer_options();
  // In the message, 0 stands for the default.
  optimizer.set_max_folded_constant_in_bytes(
      std::max<int64_t>(1, options.max_folded_bytes));
  if (options.level == OptimizeLevel::kOff) {
    optimizer.set_opt_level(pb::OptimizerOptions::L0);
    rewrites.set_disable_meta_optimizer(true);
  }
  for (const std::string& pass : options.disabled_passes) {
    for (const Toggle& toggle : kToggles) {
      if (pass == toggle.pass) (rewrites.*toggle.set)(Rewrites::OFF);
    }
    if (pass == kDeadNodes) rewrites.set_disable_model_pruning(true);
  }
}

}  // namespace leat
