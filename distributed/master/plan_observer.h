// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanObserver is the interface for watching the plans that a master makes, as
// `leat serve --dump-dir` does.
#ifndef LEAT_DISTRIBUTED_MASTER_PLAN_OBSERVER_H_
#define LEAT_DISTRIBUTED_MASTER_PLAN_OBSERVER_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "leat/partitioner/plan_step.h"

namespace leat::pb {
class GraphDef;
}  // namespace leat::pb

namespace leat {

// Describes a plan that is about to be registered with its tasks. Everything is
// borrowed for the duration of OnPlan.
struct PlanView {
  absl::string_view session = {};  // the session's handle
  // Is the plan as PlanStep returned it, with its `whole` graph and
  // `partitions`.
  const StepPlan* plan = nullptr;
  // Holds the graphs that the tasks get, in the order of the partitions. Feeds
  // and fetches are client-terminated _Recv and _Send nodes. A graph for a task
  // of TensorFlow lacks the attrs that only Leat understands.
  std::vector<const pb::GraphDef*> graphs = {};
};

// Implementations must be thread-safe.
class PlanObserver {
 public:
  virtual ~PlanObserver() = default;
  // Is called once for each plan. Calls for different plans may come at the
  // same time, on different threads. A call may block its thread. The observer
  // has to handle its own errors.
  virtual void OnPlan(const PlanView& view) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_PLAN_OBSERVER_H_
