// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepTable keeps the steps of a task. A step goes through these states:
//
//   unknown -> waiting (a peer asked first) -> running (RunGraph) -> ended
//
// When a step has ended, the table keeps its id as a tombstone. A late request
// then finds that the step has ended, and cannot begin the step again.
//
// The table also keeps the *runs* of steps. A run is one graph that runs in a
// step, from the call of RunGraph until its reply.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_STEP_TABLE_H_
#define LEAT_DISTRIBUTED_EXCHANGE_STEP_TABLE_H_

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
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/step_counts.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

struct StatusListing;

// Is thread-safe. Shares the ownership of each step's outbox until the step
// ends.
class StepTable {
 public:
  // Makes the outbox of a step. The table calls this function under its lock,
  // so the function must do nothing else.
  using MakeOutbox =
      std::function<std::shared_ptr<StepOutbox>(int64_t step_id)>;
  // Makes one run of a graph fail. The table calls this function at most once
  // when the step ends, and once in each FailRuns. It holds no lock during the
  // call. So Finish may be called for the run before or during the call.
  // Therefore the function must own the objects that it uses.
  using FailStep = std::function<void(const absl::Status& why)>;
  // Identifies one run of a graph in a step. Runs that are in the same step at
  // the same time must have different values.
  using Run = const void*;
  // `task` names this task in messages. `timers` is borrowed and must outlive
  // this.
  StepTable(std::string task, const ServerLimits& limits, TimerQueue& timers,
            MakeOutbox make_outbox);
  // Ends every step, with UNAVAILABLE. REQUIRES: no other call is under way,
  // and this is not called on the thread of `timers`.
  ~StepTable();
  StepTable(const StepTable&) = delete;
  StepTable& operator=(const StepTable&) = delete;

  // Begins a run of a graph of `session` in the step. The step may be unknown
  // or waiting. It may also be running, because a step may run several graphs
  // of a task. Keeps `fail` until the run is over or the step ends. Returns the
  // step's outbox. Returns ABORTED (derived) if the step has ended, and
  // INVALID_ARGUMENT if the step belongs to another session. Counts the run
  // even if it returns an error.
  //
  // If `is_shared` is true, other sessions may have runs in the step, too: the
  // masters of several clients run one step of a collective.
  absl::StatusOr<std::shared_ptr<StepOutbox>> Begin(int64_t step_id,
                                                    absl::string_view session,
                                                    Run run, FailStep fail,
                                                    bool is_shared = false);

  // Ends a run that Begin has accepted. If the run failed, the step ends. If it
  // succeeded and no other run of the step is left, the step *lingers*: it ends
  // after `step_linger`, because peers may still fetch its tensors. If more
  // than `max_tombstones` steps linger, the oldest one ends.
  void Finish(int64_t step_id, Run run, const absl::Status& status);

  // Is called when a peer asks for a tensor of the step. An unknown step
  // becomes a waiting step. If it does not begin within `waiting_step_timeout`,
  // it ends with ABORTED. Returns the step's outbox. Returns ABORTED (derived)
  // if the step has ended, and RESOURCE_EXHAUSTED if too many steps wait.
  //
  // If `is_patient` is true, the step may begin up to `max_step_time` later.
  // The step of a collective begins when the client of this task wants it.
  //
  // On success, sets `is_waiting` to true if the step has not begun, otherwise
  // to false. If `is_waiting` is true, the caller must call StopWaiting once,
  // as soon as the peer stops waiting for any reason.
  absl::StatusOr<std::shared_ptr<StepOutbox>> Await(int64_t step_id,
                                                    bool& is_waiting,
                                                    bool is_patient = false);
  // Is called when a peer stops waiting. If the step has not begun and no other
  // peer waits for it, it becomes unknown again.
  void StopWaiting(int64_t step_id);

  // Returns the outbox of a step that waits, runs or lingers. Returns ABORTED
  // (derived) for a step that has ended, and NOT_FOUND for an unknown step.
  absl::StatusOr<std::shared_ptr<StepOutbox>> Find(int64_t step_id) const;

  // Ends a step: makes its runs fail and aborts its outbox, both with an error
  // derived from `why` (not OK). Leaves a tombstone even if the step was
  // unknown. Is idempotent.
  void End(int64_t step_id, const absl::Status& why);
  // Is called when the master of `session` needs a shared step no more. The
  // step ends when the masters of all its sessions have released it. It leaves
  // no tombstone, because another session may begin a run in it later. Is
  // idempotent. Does what End does if the step is not shared, and nothing if it
  // is unknown.
  void Release(int64_t step_id, absl::string_view session,
               const absl::Status& why);
  // Says why a step with collectives ends. Errors for those who come later name
  // the reason. Only the last 1,000 reasons are kept. Returns true if the step
  // had no reason before.
  bool Explain(int64_t step_id, const absl::Status& why);
  // Ends every step that a run of the session has begun. A shared step in which
  // no run of the session is left is only released.
  void EndOf(absl::string_view session, const absl::Status& why);

  // Cancels the runs of all steps that have not ended, with the error `why`.
  // The steps end when the runs are over.
  void FailRuns(const absl::Status& why);

  size_t num_steps() const;  // steps that have not ended
  // Returns the number of runs that are not over, including runs of steps that
  // have ended.
  size_t num_runs() const;
  // Returns the number of tensors that peers still have to fetch from lingering
  // steps.
  size_t num_untaken() const;

  // Adds to `status` the number of steps that have not ended, the counts of
  // runs, and the oldest runs that are not over.
  void Report(const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  // Says when a step in a Line ends.
  struct Deadline {
    Clock::time_point when = {};
    int64_t step_id = 0;
  };
  // A Line is a queue of steps. Each step ends `time` after it has entered the
  // line, so the steps end in the order of the line. One timer is enough: it is
  // set for the first step.
  struct Line {
    std::chrono::nanoseconds time = {};
    std::list<Deadline> steps = {};
    TimerQueue::Id timer = 0;  // 0 if not set
  };
  // Describes a step that has not ended.
  struct Entry {
    std::shared_ptr<StepOutbox> outbox = {};
    bool has_begun = false;
    bool is_shared = false;
    // Holds the sessions that have begun a run and have not released the step.
    // There are several only if the step is shared.
    absl::flat_hash_set<std::string> sessions = {};
    absl::flat_hash_set<Run> running = {};
    int waiting = 0;       // peers that wait for the step to begin
    Line* line = nullptr;  // the line of the step, or null
    std::list<Deadline>::iterator place = {};
  };
  // Describes a run that is not over.
  struct RunEntry {
    std::string session = {};
    Clock::time_point begun = {};
    FailStep fail = {};  // null after the step has ended
  };
  // Holds the outbox and the runs of a step that has just ended. Fail aborts
  // them.
  struct Ended {
    int64_t step_id = 0;
    std::shared_ptr<StepOutbox> outbox = {};
    std::vector<FailStep> runs = {};
  };

  // Fail makes the runs of an ended step fail and aborts the step's outbox.
  // FailAll does the same for several steps.
  static void Fail(const Ended& ended, const absl::Status& derived);
  static void FailAll(const std::vector<Ended>& ended,
                      const absl::Status& derived);
  // Returns ABORTED (derived), because the step has ended.
  absl::Status EndedError(int64_t step_id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Enter puts a step at the end of a line. Leave takes the step out of its
  // line.
  void Enter(int64_t step_id, Entry& entry, Line& line)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Leave(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Sets the timer for the first step in the line, if no timer is set.
  void SetTimer(Line& line) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does what Begin does, but does not count the run.
  absl::StatusOr<std::shared_ptr<StepOutbox>> Enroll(int64_t step_id,
                                                     absl::string_view session,
                                                     Run run, FailStep fail,
                                                     bool is_shared);
  // Returns true if a run of the session is in the step.
  bool IsRunning(absl::string_view session, int64_t step_id,
                 const Entry& entry) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does what Release does. The caller must release the lock and then pass
  // `ended` to FailAll.
  void ReleaseLocked(int64_t step_id, absl::string_view session,
                     std::vector<Ended>& ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves the outbox and the FailSteps out of a step. The caller must release
  // the lock and then pass the result to Fail.
  Ended TakeOut(int64_t step_id, Entry& entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does the same, and removes the step from the table.
  Ended Remove(absl::flat_hash_map<int64_t, Entry>::iterator step)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves the step `step_id` to `ended`, if the table has the step. Leaves a
  // tombstone in any case.
  void Bury(int64_t step_id, std::vector<Ended>& ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Is called by the timer of a line. Ends the steps whose time is up.
  void EndThoseWhoseTimeIsUp(Line& line);
  // Returns ABORTED, because the time of the step in `line` is up.
  absl::Status TimeIsUp(int64_t step_id, const Line& line) const;

  const std::string task_;
  const ServerLimits limits_;
  TimerQueue& timers_;
  const MakeOutbox make_outbox_;
  StepCounts counts_;  // counts runs

  mutable Mutex mutex_;
  CondVar timer_has_run_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<int64_t, Entry> steps_ ABSL_GUARDED_BY(mutex_);
  // Holds the runs that are not over, by step and run.
  absl::flat_hash_map<std::pair<int64_t, Run>, RunEntry> runs_
      ABSL_GUARDED_BY(mutex_);
  Line waiting_ ABSL_GUARDED_BY(mutex_);
  Line patient_ ABSL_GUARDED_BY(mutex_);  // for which patient peers wait
  Line lingering_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<int64_t> ended_ ABSL_GUARDED_BY(mutex_);
  std::deque<int64_t> tombstones_ ABSL_GUARDED_BY(mutex_);  // oldest first
  // Holds the reasons that Explain got, and their steps, oldest first.
  absl::flat_hash_map<int64_t, std::string> reasons_ ABSL_GUARDED_BY(mutex_);
  std::deque<int64_t> explained_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_STEP_TABLE_H_
