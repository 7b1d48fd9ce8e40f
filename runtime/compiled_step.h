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

// A CompiledStep does not change after it has been made. The steps that run it
// share it.
struct CompiledStep {
  FeedSpec feeds = {};
  std::vector<std::string> fetch_names = {};
  std::shared_ptr<CompiledGraph> graph = {};

  // The members below are set only for a partial run. `whole` is the member of
  // the same name of StepPlan.
  std::optional<Graph> whole = {};
  // `feed_keys` and `fetch_keys` hold the rendezvous keys of the feeds and
  // fetches, by position. If the step does not need a feed, the key of the feed
  // is malformed.
  std::vector<ParsedKey> feed_keys = {};
  std::vector<ParsedKey> fetch_keys = {};
};

}  // namespace leat

#endif  // LEAT_RUNTIME_COMPILED_STEP_H_
