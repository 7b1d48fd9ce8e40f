// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanDump writes every plan of a master into a folder, for people to read:
//
//   FOLDER/1a2b3c4d/0-ps-0.pbtxt    the graph of plan 0 for /job:ps/task:0
//   FOLDER/1a2b3c4d/0-worker-0.pbtxt
//   FOLDER/1a2b3c4d/plan.txt        all plans, as graph-dump shows graphs
//
// 1a2b3c4d is the beginning of the session's handle. Plans are numbered in the
// order in which they come, across all sessions. Only the first `max_plans`
// plans are written. If a file cannot be written, that is logged once, and no
// step fails. Only the owner may read the files, because graphs may contain
// data.
#ifndef LEAT_TOOLS_PLAN_DUMP_H_
#define LEAT_TOOLS_PLAN_DUMP_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/master/plan_observer.h"
#include "leat/tools/log.h"

namespace leat {

// Is thread-safe.
class PlanDump final : public PlanObserver {
 public:
  static constexpr int64_t kDefaultMaxPlans = 1000;

  // Returns INVALID_ARGUMENT, with the name of the folder, if the folder does
  // not exist or nothing can be created in it.
  static absl::Status CheckFolder(const std::string& folder);

  // `log` is borrowed and must outlive this.
  PlanDump(std::string folder, const Log& log,
           int64_t max_plans = kDefaultMaxPlans)
      : folder_(std::move(folder)), log_(log), max_plans_(max_plans) {}

  // Writes a plan, unless the limit is reached.
  void OnPlan(const PlanView& view) override;

 private:
  // Writes the files of a plan.
  absl::Status Write(int64_t number, const PlanView& view);
  // Returns the text of a plan for plan.txt.
  static std::string TextOf(int64_t number, const PlanView& view);

  const std::string folder_;
  const Log& log_;
  const int64_t max_plans_;

  Mutex mutex_;  // also held while appending or logging
  int64_t num_plans_ ABSL_GUARDED_BY(mutex_) = 0;  // written so far
  bool is_full_ ABSL_GUARDED_BY(mutex_) = false;   // the limit was logged
  // Is true if an error was logged.
  bool has_failed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace leat

#endif  // LEAT_TOOLS_PLAN_DUMP_H_
