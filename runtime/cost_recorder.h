// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CostRecorder keeps what sampled steps of this process have measured
// (graph_sampler.h), and writes it to a folder for later processes and for
// planning.
//
//   LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<CostRecorder> recorder,
//                         CostRecorder::Create({.folder = "costs"}));
#ifndef LEAT_RUNTIME_COST_RECORDER_H_
#define LEAT_RUNTIME_COST_RECORDER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/container/btree_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/partitioner/costs/cost_table.h"

namespace leat {

struct CostRecorderOptions {
  // Is the folder from which the costs are read and to which they are written.
  std::string folder = {};
  // Is the clock of the steps and of `write_interval`. Is borrowed and must
  // outlive the recorder. Null stands for RealClock().
  Clock* clock = nullptr;
  // Is called on any thread, at most once, with a message for people if the
  // costs cannot be written. May be null.
  std::function<void(absl::string_view message)> log = {};
  // Says how often the costs are written if they have changed.
  std::chrono::nanoseconds write_interval = std::chrono::minutes(1);
};

// Is thread-safe. Several processes may have the same folder: each writes what
// it has measured, and keeps what only the others know.
class CostRecorder {
 public:
  // Makes the folder if there is none, and reads the costs that are there.
  // Fails as ReadCosts does (partitioner/costs/cost_file.h), and as
  // FileAccess::MakeFolders and StartThreads do.
  static absl::StatusOr<std::unique_ptr<CostRecorder>> Create(
      CostRecorderOptions options);
  // Writes the costs.
  ~CostRecorder();

  Clock& clock() const { return clock_; }
  const CostTable& table() const { return table_; }
  // Does what CostTable::Update does. The result will be written.
  void Update(absl::string_view device_kind,
              absl::FunctionRef<void(DeviceCosts&)> update);
  // Writes the costs of those kinds of devices that have changed.
  void Write();

 private:
  explicit CostRecorder(CostRecorderOptions options);

  // Calls Write each time that `write_interval` has passed.
  void StartTimer(TimerQueue& timers);
  // Writes the costs of `kinds`.
  absl::Status WriteKinds(const absl::btree_set<std::string>& kinds)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);

  const CostRecorderOptions options_;
  Clock& clock_;
  CostTable table_;
  Mutex writing_;  // held during Write
  bool has_logged_ ABSL_GUARDED_BY(writing_) = false;
  Mutex mutex_;
  // Holds the kinds of devices whose costs were not written yet.
  absl::btree_set<std::string> changed_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<TimerQueue> timers_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_COST_RECORDER_H_
