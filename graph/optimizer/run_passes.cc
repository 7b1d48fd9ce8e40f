// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/optimizer/run_passes.h"

#include <algorithm>

#include "leat/core/status_macros.h"
#include "leat/graph/optimizer/pass_context.h"

namespace leat {
namespace {

// Limits the number of times that the phase kSimplify runs. One pass may make
// work for another, but in real graphs such chains are short.
constexpr int kMaxRounds = 3;

bool IsDisabled(const OptimizerOptions& options, const std::string& name) {
  return std::find(options.disabled_passes.begin(),
                   options.disabled_passes.end(),
                   name) != options.disabled_passes.end();
}

// Runs the passes of one phase. Returns true if a pass changed the graph.
bool RunPhase(Phase phase, const PassRegistry& passes, PassContext& context) {
  const RunPassesOptions& options = context.options();
  bool any = false;
  for (const Pass& pass : passes.passes()) {
    if (pass.phase != phase || IsDisabled(options.optimizer, pass.name)) {
      continue;
    }
    const bool changed = pass.run(context);
    any = any || changed;
    if (options.after_pass) {
      options.after_pass(pass, changed, context.graph());
    }
  }
  return any;
}

}  // namespace

absl::Status RunPasses(Graph& graph, const PassRegistry& passes,
                       const RunPassesOptions& options) {
  if (options.optimizer.level == OptimizeLevel::kOff) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(PassContext context,
                        PassContext::Create(graph, options));
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!RunPhase(Phase::kSimplify, passes, context)) break;
  }
  RunPhase(Phase::kClean, passes, context);
  RunPhase(Phase::kFuse, passes, context);
  return absl::OkStatus();
}

}  // namespace leat
