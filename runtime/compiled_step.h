// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CompiledStep is a plan (partitioner/plan_step.h) that was compiled for the
// devices of this process.
#ifndef LEAT_RUNTIME_COMPILED_STEP_H_
#define LEAT_RUNTIME_COMPILED_STEP_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/core/devices/rendezvous.h"
#include "leat/graph/graph.h"
#include "leat/runtime/feed_checks.h"
#include "leat/runtime/graph_runner.h"

namespace leat {

// Does not change after it has been made, and is shared by the steps that run
// it.
struct CompiledStep {
  FeedSpec feeds = {};
  std::vector<std::string> fetch_names = {};
  std::shared_ptr<CompiledGraph> graph = {};

  // The plan of a partial run also has these.
  //
  // StepPlan::whole.
  std::optional<Graph> whole = {};
  // Holds the keys of feeds and fetches in the step's rendezvous, by position.
  // The key of a feed that the step does not need is malformed.
  std::vector<ParsedKey> feed_keys = {};
  std::vector<ParsedKey> fetch_keys = {};
};

}  // namespace leat

#endif  // LEAT_RUNTIME_COMPILED_STEP_H_
