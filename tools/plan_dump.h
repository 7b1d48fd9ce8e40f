// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanDump: writes every plan of a master into a folder, for people:
//
//   FOLDER/1a2b3c4d/0-ps-0.pbtxt    what /job:ps/task:0 gets of plan 0
//   FOLDER/1a2b3c4d/0-worker-0.pbtxt
//   FOLDER/1a2b3c4d/plan.txt        its plans, as graph-dump shows graphs
//
// where 1a2b3c4d begins the handle of the session. Plans are numbered as they
// come, over all sessions; those beyond the limit are not written. What cannot
// be written is logged, once, and fails no step. Files are for their owner
// only: graphs may hold data. Thread-safe.
#ifndef LEAT_TOOLS_PLAN_DUMP_H_
#define LEAT_TOOLS_PLAN_DUMP_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/distributed/plan_observer.h"
#include "leat/tools/log.h"

namespace leat {

class PlanDump final : public PlanObserver {
 public:
  static constexpr int64_t kDefaultMaxPlans = 1000;

  // INVALID_ARGUMENT naming a folder that there is not, or in which nothing can
  // be made.
  static absl::Status CheckFolder(const std::string& folder);

  // `log` is borrowed and outlives this.
  PlanDump(std::string folder, const Log& log,
           int64_t max_plans = kDefaultMaxPlans)
      : folder_(std::move(folder)), log_(log), max_plans_(max_plans) {}

  void OnPlan(const PlanView& view) override;

 private:
  absl::Status Write(int64_t number, const PlanView& view);
  // What goes to plan.txt.
  static std::string TextOf(int64_t number, const PlanView& view);

  const std::string folder_;
  const Log& log_;
  const int64_t max_plans_;

  Mutex mutex_;  // held while something is appended or logged
  int64_t num_plans_ ABSL_GUARDED_BY(mutex_) = 0;  // written
  bool is_full_ ABSL_GUARDED_BY(mutex_) = false;   // and that was logged
  bool has_failed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace leat

#endif  // LEAT_TOOLS_PLAN_DUMP_H_
