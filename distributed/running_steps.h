// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RunningSteps: the calls of RunGraph on a task that have not replied yet.
#ifndef LEAT_DISTRIBUTED_RUNNING_STEPS_H_
#define LEAT_DISTRIBUTED_RUNNING_STEPS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/distributed/step_counts.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

class WorkerStep;
struct StatusListing;

// The steps of a task that run. Thread-safe. It does not own them.
class RunningSteps {
 public:
  // Adds a step and counts it. `session` is the handle of the step's session.
  void Add(std::shared_ptr<WorkerStep> step, int64_t step_id,
           absl::string_view session);
  // Removes a step that is about to reply.
  void Remove(const WorkerStep* step, bool succeeded);
  // Fails the steps that run now.
  void FailAll(const absl::Status& why);
  // The number of steps that run now.
  size_t size() const;

  // Adds to `status` how many steps there were, and the oldest ones that run.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  // A step, with its ids as they are shown to people.
  struct Entry {
    std::weak_ptr<WorkerStep> step = {};
    // For people. The ids are shortened, since a whole one could be misused
    // (shown_ids.h).
    uint32_t step_id = 0;      // by ShownStep
    std::string session = {};  // by ShownHandle
    std::chrono::steady_clock::time_point begun = {};
  };

  mutable Mutex mutex_;
  absl::flat_hash_map<const WorkerStep*, Entry> steps_ ABSL_GUARDED_BY(mutex_);
  StepCounts counts_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_RUNNING_STEPS_H_
