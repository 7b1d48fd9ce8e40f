// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/step_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/status_payloads.h"
#include "leat/core/utf8.h"
#include "leat/distributed/shown_status.h"
#include "leat/protos/status.pb.h"

namespace leat {
namespace {

// A status examines at most this many runs to find the oldest ones.
constexpr size_t kMaxReportedRuns = 10'000;

}  // namespace

StepTable::StepTable(std::string task, const ServerLimits& limits,
                     TimerQueue& timers, MakeOutbox make_outbox)
    : task_(std::move(task)),
      limits_(limits),
      timers_(timers),
      make_outbox_(std::move(make_outbox)),
      counts_(timers.clock()) {
  waiting_.time = limits.waiting_step_timeout;
  patient_.time = limits.max_step_time;
  lingering_.time = limits.step_linger;
}

StepTable::~StepTable() {
  std::vector<Ended> ended;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    for (Line* const line : {&waiting_, &patient_, &lingering_}) {
      if (line->timer != 0 && timers_.Cancel(line->timer)) line->timer = 0;
      // If the timer was not cancelled, its callback is running or about to
      // run.
      while (line->timer != 0) timer_has_run_.Wait(mutex_);
    }
    for (auto& [step_id, entry] : steps_) {
      ended.push_back(TakeOut(step_id, entry));
    }
    steps_.clear();
  }
  for (const Ended& step : ended) {
    Fail(step, AsDerived(absl::UnavailableError(absl::StrCat(
                   "step ", step.step_id, " ended: ", task_, " stops"))));
  }
}

absl::StatusOr<std::shared_ptr<StepOutbox>> StepTable::Begin(
    int64_t step_id, absl::string_view session, Run run, FailStep fail,
    bool is_shared) {
  counts_.Begin();
  absl::StatusOr<std::shared_ptr<StepOutbox>> outbox =
      Enroll(step_id, session, run, std::move(fail), is_shared);
  if (!outbox.ok()) counts_.End(/*succeeded=*/false);
  return outbox;
}

absl::StatusOr<std::shared_ptr<StepOutbox>> StepTable::Enroll(
    int64_t step_id, absl::string_view session, Run run, FailStep fail,
    bool is_shared) {
  MutexLock lock(mutex_);
  if (ended_.contains(step_id)) return EndedError(step_id);
  Entry& entry = steps_[step_id];
  if (!entry.has_begun) {
    entry.has_begun = true;
    entry.is_shared = is_shared;
  } else if (!entry.sessions.contains(session) &&
             !(is_shared && entry.is_shared)) {
    // The message does not contain the other session's handle, because
    // everybody who has a handle can use its session.
    return absl::InvalidArgumentError(absl::StrCat(
        "step ", step_id, " on ", task_, " belongs to another session"));
  }
  entry.sessions.emplace(session);
  if (entry.outbox == nullptr) entry.outbox = make_outbox_(step_id);
  Leave(entry);
  const bool is_new =
      runs_
          .insert_or_assign({step_id, run},
                            RunEntry{.session = std::string(session),
                                     .begun = timers_.clock().Now(),
                                     .fail = std::move(fail)})
          .second;
  if (is_new) entry.running.insert(run);
  return entry.outbox;
}

void StepTable::Finish(int64_t step_id, Run run, const absl::Status& status) {
  counts_.End(status.ok());
  std::vector<Ended> ended;
  FailStep forgotten;  // freed outside the lock
  absl::Status why = status;
  {
    MutexLock lock(mutex_);
    if (const auto place = runs_.find({step_id, run}); place != runs_.end()) {
      forgotten = std::move(place->second.fail);
      runs_.erase(place);
    }
    const auto found = steps_.find(step_id);
    if (found == steps_.end()) return;
    Entry& entry = found->second;
    if (entry.running.erase(run) == 0) return;
    if (!status.ok()) {
      Bury(step_id, ended);
    } else if (entry.running.empty()) {
      Enter(step_id, entry, lingering_);
      if (lingering_.steps.size() > limits_.max_tombstones) {
        const int64_t oldest = lingering_.steps.front().step_id;
        why = absl::ResourceExhaustedError(
            absl::StrCat("step ", oldest, " ended: more than ",
                         limits_.max_tombstones, " steps have succeeded on ",
                         task_, " and were not cleaned up (--max-tombstones)"));
        Bury(oldest, ended);
      }
    }
  }
  FailAll(ended, AsDerived(why));
}

absl::StatusOr<std::shared_ptr<StepOutbox>> StepTable::Await(int64_t step_id,
                                                             bool& is_waiting,
                                                             bool is_patient) {
  MutexLock lock(mutex_);
  const auto found = steps_.find(step_id);
  if (found != steps_.end()) {
    Entry& known = found->second;
    is_waiting = !known.has_begun;
    if (!is_waiting) return known.outbox;
    ++known.waiting;
    if (is_patient && known.line == &waiting_) {
      Leave(known);
      Enter(step_id, known, patient_);
    }
    return known.outbox;
  }
  if (ended_.contains(step_id)) return EndedError(step_id);
  const size_t num_waiting = waiting_.steps.size() + patient_.steps.size();
  if (num_waiting >= limits_.max_waiting_steps) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "step ", step_id, " has not begun on ", task_, ", where ",
        limits_.max_waiting_steps,
        " such steps are waited for already (--max-waiting-steps)"));
  }
  Entry& entry = steps_[step_id];
  entry.outbox = make_outbox_(step_id);
  Enter(step_id, entry, is_patient ? patient_ : waiting_);
  is_waiting = true;
  entry.waiting = 1;
  return entry.outbox;
}

void StepTable::StopWaiting(int64_t step_id) {
  Ended forgotten;
  {
    MutexLock lock(mutex_);
    const auto found = steps_.find(step_id);
    if (found == steps_.end()) return;
    Entry& entry = found->second;
    if (entry.waiting == 0 || --entry.waiting > 0 || entry.has_begun) return;
    forgotten = Remove(found);
  }
  Fail(forgotten, AsDerived(absl::CancelledError(absl::StrCat(
                      "nobody waits for step ", step_id, " any more"))));
}

absl::StatusOr<std::shared_ptr<StepOutbox>> StepTable::Find(
    int64_t step_id) const {
  MutexLock lock(mutex_);
  const auto found = steps_.find(step_id);
  if (found != steps_.end()) return found->second.outbox;
  if (ended_.contains(step_id)) return EndedError(step_id);
  return absl::NotFoundError(
      absl::StrCat("there is no step ", step_id, " on ", task_));
}

void StepTable::End(int64_t step_id, const absl::Status& why) {
  std::vector<Ended> ended;
  {
    MutexLock lock(mutex_);
    Bury(step_id, ended);
  }
  FailAll(ended, AsDerived(why));
}

void StepTable::Release(int64_t step_id, absl::string_view session,
                        const absl::Status& why) {
  std::vector<Ended> ended;
  {
    MutexLock lock(mutex_);
    ReleaseLocked(step_id, session, ended);
  }
  FailAll(ended, AsDerived(why));
}

void StepTable::ReleaseLocked(int64_t step_id, absl::string_view session,
                              std::vector<Ended>& ended) {
  const auto found = steps_.find(step_id);
  if (found == steps_.end()) return;
  Entry& entry = found->second;
  if (!entry.is_shared) return Bury(step_id, ended);
  if (entry.sessions.erase(session) == 0 || !entry.sessions.empty()) return;
  if (!entry.running.empty()) return;  // it lingers afterwards
  ended.push_back(Remove(found));
}

bool StepTable::IsRunning(absl::string_view session, int64_t step_id,
                          const Entry& entry) const {
  for (const Run run : entry.running) {
    if (runs_.at({step_id, run}).session == session) return true;
  }
  return false;
}

void StepTable::EndOf(absl::string_view session, const absl::Status& why) {
  std::vector<Ended> ended;
  {
    MutexLock lock(mutex_);
    std::vector<int64_t> ending;
    std::vector<int64_t> released;
    for (const auto& [step_id, entry] : steps_) {
      const bool is_running = IsRunning(session, step_id, entry);
      if (!is_running && !entry.sessions.contains(session)) continue;
      (is_running ? ending : released).push_back(step_id);
    }
    for (const int64_t step_id : ending) Bury(step_id, ended);
    for (const int64_t step_id : released) {
      ReleaseLocked(step_id, session, ended);
    }
  }
  FailAll(ended, AsDerived(why));
}

size_t StepTable::num_steps() const {
  MutexLock lock(mutex_);
  return steps_.size();
}

size_t StepTable::num_runs() const {
  MutexLock lock(mutex_);
  return runs_.size();
}

size_t StepTable::num_untaken() const {
  std::vector<std::shared_ptr<StepOutbox>> lingering;
  {
    MutexLock lock(mutex_);
    for (const auto& [step_id, entry] : steps_) {
      if (entry.line == &lingering_) lingering.push_back(entry.outbox);
    }
  }
  size_t untaken = 0;
  for (const auto& outbox : lingering) untaken += outbox->num_untaken();
  return untaken;
}

void StepTable::FailRuns(const absl::Status& why) {
  std::vector<FailStep> runs;
  {
    MutexLock lock(mutex_);
    for (const auto& [run, entry] : runs_) {
      if (entry.fail != nullptr) runs.push_back(entry.fail);
    }
  }
  for (const FailStep& fail : runs) fail(why);
}

void StepTable::Report(const StatusListing& listing,
                       pb::TaskStatusResponse& status) const {
  ExportSteps(counts_.totals(), *status.mutable_steps());
  const Clock::time_point now = timers_.clock().Now();
  struct Shown {
    int64_t step_id = 0;
    std::string session = {};
    Clock::time_point begun = {};
  };
  std::vector<Shown> old;
  {
    MutexLock lock(mutex_);
    status.set_num_open_steps(static_cast<int64_t>(steps_.size()));
    for (const auto& [run, entry] : runs_) {
      if (old.size() >= kMaxReportedRuns) break;
      if (now - entry.begun < listing.min_age) continue;
      old.push_back({run.first, entry.session, entry.begun});
    }
  }
  std::sort(old.begin(), old.end(),
            [](const Shown& a, const Shown& b) { return a.begun < b.begun; });
  if (old.size() > listing.max_listed) old.resize(listing.max_listed);
  for (const Shown& entry : old) {
    // The ids are shortened, because a whole id could be misused.
    pb::RunningStepStatus& step = *status.add_running_steps();
    step.set_step(ShownStep(entry.step_id));
    step.set_session(ShownHandle(entry.session));
    step.set_age_us(ToMicros(now - entry.begun));
  }
}

void StepTable::Fail(const Ended& ended, const absl::Status& derived) {
  for (const FailStep& fail : ended.runs) fail(derived);
  ended.outbox->StartAbort(derived);
}

void StepTable::FailAll(const std::vector<Ended>& ended,
                        const absl::Status& derived) {
  for (const Ended& step : ended) Fail(step, derived);
}

StepTable::Ended StepTable::TakeOut(int64_t step_id, Entry& entry) {
  Ended ended{.step_id = step_id, .outbox = std::move(entry.outbox)};
  for (const Run run : entry.running) {
    ended.runs.push_back(std::exchange(runs_[{step_id, run}].fail, nullptr));
  }
  return ended;
}

StepTable::Ended StepTable::Remove(
    absl::flat_hash_map<int64_t, Entry>::iterator step) {
  Leave(step->second);
  Ended ended = TakeOut(step->first, step->second);
  steps_.erase(step);
  return ended;
}

absl::Status StepTable::EndedError(int64_t step_id) const {
  const auto reason = reasons_.find(step_id);
  return AsDerived(absl::AbortedError(
      absl::StrCat("step ", step_id, " has ended on ", task_,
                   reason == reasons_.end() ? "" : ": ",
                   reason == reasons_.end() ? "" : reason->second)));
}

bool StepTable::Explain(int64_t step_id, const absl::Status& why) {
  constexpr size_t kMaxReasons = 1000;
  constexpr size_t kMaxReasonBytes = 1000;
  MutexLock lock(mutex_);
  const bool is_new =
      reasons_.try_emplace(step_id, Utf8Prefix(why.message(), kMaxReasonBytes))
          .second;
  if (!is_new) return false;
  explained_.push_back(step_id);
  if (explained_.size() <= kMaxReasons) return true;
  reasons_.erase(explained_.front());
  explained_.pop_front();
  return true;
}

void StepTable::Enter(int64_t step_id, Entry& entry, Line& line) {
  const Clock::time_point when = timers_.clock().After(
      std::chrono::duration_cast<Clock::duration>(line.time));
  line.steps.push_back({.when = when, .step_id = step_id});
  entry.line = &line;
  entry.place = std::prev(line.steps.end());
  SetTimer(line);
}

void StepTable::Leave(Entry& entry) {
  if (entry.line == nullptr) return;
  entry.line->steps.erase(entry.place);
  entry.line = nullptr;
}

void StepTable::SetTimer(Line& line) {
  if (line.timer != 0 || line.steps.empty() || is_closed_) return;
  line.timer = timers_.At(line.steps.front().when,
                          [this, &line] { EndThoseWhoseTimeIsUp(line); });
}

void StepTable::Bury(int64_t step_id, std::vector<Ended>& ended) {
  const auto found = steps_.find(step_id);
  if (found != steps_.end()) ended.push_back(Remove(found));
  if (!ended_.insert(step_id).second) return;
  tombstones_.push_back(step_id);
  if (tombstones_.size() <= limits_.max_tombstones) return;
  ended_.erase(tombstones_.front());
  tombstones_.pop_front();
}

void StepTable::EndThoseWhoseTimeIsUp(Line& line) {
  std::vector<Ended> ended;
  {
    MutexLock lock(mutex_);
    const Clock::time_point now = timers_.clock().Now();
    while (!line.steps.empty() && line.steps.front().when <= now) {
      Bury(line.steps.front().step_id, ended);
    }
  }
  for (const Ended& step : ended) {
    Fail(step, AsDerived(TimeIsUp(step.step_id, line)));
  }
  ended.clear();
  MutexLock lock(mutex_);
  line.timer = 0;
  SetTimer(line);
  timer_has_run_.NotifyAll();
}

absl::Status StepTable::TimeIsUp(int64_t step_id, const Line& line) const {
  // No lock is needed: only the address of the line is used, and `limits_` is
  // const.
  if (&line == &lingering_) {
    return absl::AbortedError(absl::StrCat(
        "step ", step_id, " ended: nobody has cleaned it up on ", task_,
        " for ", absl::FormatDuration(absl::FromChrono(limits_.step_linger)),
        " (--step-linger)"));
  }
  const bool is_patient = &line == &patient_;
  return absl::AbortedError(absl::StrCat(
      "step ", step_id, " has not begun on ", task_, " within ",
      absl::FormatDuration(absl::FromChrono(
          is_patient ? limits_.max_step_time : limits_.waiting_step_timeout)),
      " of a peer's asking for it (",
      is_patient ? "--max-step-time" : "--waiting-step-timeout", ")"));
}

}  // namespace leat
