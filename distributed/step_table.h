// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// StepTable: the steps of a task, from the first a peer asks for until they are
// forgotten:
//
//   unknown -> waiting (a peer asked first) -> running (RunGraph) -> ended
//
// An ended step leaves its id behind, so that what comes late finds it ended
// and cannot begin it anew. Thread-safe.
#ifndef LEAT_DISTRIBUTED_STEP_TABLE_H_
#define LEAT_DISTRIBUTED_STEP_TABLE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/core/timer_queue.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/remote_rendezvous.h"

namespace leat {

class StepTable {
 public:
  // Called while the table is locked: only makes it.
  using MakeRendezvous =
      std::function<std::shared_ptr<RemoteRendezvous>(int64_t step_id)>;
  // Ends what runs of a step. Called at most once, outside any lock, maybe
  // beside or after its Finish: it owns what it touches.
  using FailStep = std::function<void(const absl::Status& why)>;
  // Which of a step's graphs: another one for each that runs.
  using Run = const void*;

  // `task`: for messages. `timers` is borrowed and outlives this.
  StepTable(std::string task, const ServerLimits& limits, TimerQueue& timers,
            MakeRendezvous make_rendezvous);
  // Ends every step. REQUIRES: no other call is under way; not on the thread of
  // `timers`.
  ~StepTable();
  StepTable(const StepTable&) = delete;
  StepTable& operator=(const StepTable&) = delete;

  // A graph of the session starts to run in that step: unknown, waiting or
  // running before (a step may run several graphs of a task). `fail` is kept
  // until that run is over, or the step's end. ABORTED, derived, for a step
  // that has ended; INVALID_ARGUMENT for one of another session.
  absl::StatusOr<std::shared_ptr<RemoteRendezvous>> Begin(
      int64_t step_id, absl::string_view session, Run run, FailStep fail);

  // That run is over. With an error the step ends. Else, when it was the last
  // one, it lingers, since peers may still ask: for `step_linger`, and at most
  // as many steps as there may be tombstones, then the oldest ends.
  void Finish(int64_t step_id, Run run, const absl::Status& status);

  // A peer asks: makes an unknown step a waiting one, which ends, ABORTED,
  // unless it begins within `waiting_step_timeout`. ABORTED, derived, for a
  // step that has ended, RESOURCE_EXHAUSTED above the limit of those that wait.
  // `*is_waiting` (may be null) tells that it has not begun: StopWaiting is to
  // be called once, when that peer waits no longer, for whatever reason.
  absl::StatusOr<std::shared_ptr<RemoteRendezvous>> Await(
      int64_t step_id, bool* is_waiting = nullptr);
  // A step that nobody waits for any more before it has begun is unknown again.
  void StopWaiting(int64_t step_id);

  // One that waits, runs or lingers. ABORTED, derived, for a step that has
  // ended, NOT_FOUND for an unknown one.
  absl::StatusOr<std::shared_ptr<RemoteRendezvous>> Find(int64_t step_id) const;

  // Fails what runs, aborts the rendezvous, both derived from `why` (not OK),
  // and leaves the tombstone, also of an unknown step. Idempotent.
  void End(int64_t step_id, const absl::Status& why);
  // Every step of that session.
  void EndOf(absl::string_view session, const absl::Status& why);

  size_t num_steps() const;  // that have not ended
  // What runs in steps now.
  size_t num_runs() const;
  // Of steps of which nothing runs any more: tensors that peers have still to
  // fetch.
  size_t num_untaken() const;

 private:
  using Clock = TimerQueue::Clock;
  struct Deadline {
    Clock::time_point when = {};
    int64_t step_id = 0;
  };
  // Steps that end when their time is up. All have the same time, so the first
  // in line is the first whose time is up, and one timer does for all.
  struct Line {
    std::chrono::nanoseconds time = {};
    std::list<Deadline> steps = {};
    TimerQueue::Id timer = 0;  // 0: none
  };
  struct Entry {
    std::shared_ptr<RemoteRendezvous> rendezvous = {};
    bool has_begun = false;
    std::string session = {};
    absl::flat_hash_map<Run, FailStep> running = {};
    int waiting = 0;       // peers, before it has begun
    Line* line = nullptr;  // in which it stands, or null
    std::list<Deadline>::iterator place = {};
  };
  using Entries = std::vector<std::pair<int64_t, Entry>>;

  static void FailEntry(Entry& entry, const absl::Status& derived);
  absl::Status EndedError(int64_t step_id) const;

  void Enter(int64_t step_id, Entry& entry, Line& line)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Leave(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetTimer(Line& line) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves a step, if there is one of that id, to `ended`, for FailEntry outside
  // the lock, and leaves the tombstone.
  void Bury(int64_t step_id, Entries& ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What the timer of a line does.
  void EndThoseWhoseTimeIsUp(Line& line);
  absl::Status TimeIsUp(int64_t step_id, const Line& line) const;

  const std::string task_;
  const ServerLimits limits_;
  TimerQueue& timers_;
  const MakeRendezvous make_rendezvous_;

  mutable Mutex mutex_;
  CondVar timer_has_run_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<int64_t, Entry> steps_ ABSL_GUARDED_BY(mutex_);
  Line waiting_ ABSL_GUARDED_BY(mutex_);
  Line lingering_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<int64_t> ended_ ABSL_GUARDED_BY(mutex_);
  std::deque<int64_t> tombstones_ ABSL_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_STEP_TABLE_H_
