// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// PlanObserver: what watches the plans that a master makes, such as `leat serve
// --dump-dir`.
#ifndef LEAT_DISTRIBUTED_PLAN_OBSERVER_H_
#define LEAT_DISTRIBUTED_PLAN_OBSERVER_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "leat/partitioner/plan_step.h"

namespace leat::pb {
class GraphDef;
}  // namespace leat::pb

namespace leat {

// A plan that is about to be registered. All borrowed for the call.
struct PlanView {
  absl::string_view session = {};  // its handle
  // `whole` is there, and `partitions` as they were cut.
  const StepPlan* plan = nullptr;
  // What the task of each partition gets: with feeds and fetches as it knows
  // them, and without what a task of TensorFlow would not understand.
  std::vector<const pb::GraphDef*> graphs = {};
};

class PlanObserver {
 public:
  virtual ~PlanObserver() = default;
  // Called on several threads at once, which may wait here; what goes wrong is
  // the observer's own affair.
  virtual void OnPlan(const PlanView& view) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_PLAN_OBSERVER_H_
