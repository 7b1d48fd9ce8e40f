// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/step_table.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/status_payloads.h"

namespace leat {

StepTable::StepTable(std::string task, const ServerLimits& limits,
                     TimerQueue& timers, MakeRendezvous make_rendezvous)
    : task_(std::move(task)),
      limits_(limits),
      timers_(timers),
      make_rendezvous_(std::move(make_rendezvous)) {
  waiting_.time = limits.waiting_step_timeout;
  lingering_.time = limits.step_linger;
}

StepTable::~StepTable() {
  Entries ended;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    for (Line* const line : {&waiting_, &lingering_}) {
      if (line->timer != 0 && timers_.Cancel(line->timer)) line->timer = 0;
      // The timer runs, or is about to.
      while (line->timer != 0) timer_has_run_.Wait(mutex_);
    }
    for (auto& [step_id, entry] : steps_) {
      ended.emplace_back(step_id, std::move(entry));
    }
    steps_.clear();
  }
  for (auto& [step_id, entry] : ended) {
    FailEntry(entry, AsDerived(absl::UnavailableError(absl::StrCat(
                         "step ", step_id, " ended: ", task_, " stops"))));
  }
}

absl::StatusOr<std::shared_ptr<RemoteRendezvous>> StepTable::Begin(
    int64_t step_id, absl::string_view session, Run run, FailStep fail) {
  MutexLock lock(mutex_);
  if (ended_.contains(step_id)) return EndedError(step_id);
  Entry& entry = steps_[step_id];
  if (!entry.has_begun) {
    entry.has_begun = true;
    entry.session = std::string(session);
  } else if (entry.session != session) {
    // The message does not contain the other session's handle, because whoever
    // knows a handle can use the session.
    return absl::InvalidArgumentError(absl::StrCat(
        "step ", step_id, " on ", task_, " belongs to another session"));
  }
  if (entry.rendezvous == nullptr) entry.rendezvous = make_rendezvous_(step_id);
  Leave(entry);
  entry.running.insert_or_assign(run, std::move(fail));
  return entry.rendezvous;
}

void StepTable::Finish(int64_t step_id, Run run, const absl::Status& status) {
  Entries ended;
  FailStep forgotten;  // freed outside the lock
  absl::Status why = status;
  {
    MutexLock lock(mutex_);
    const auto found = steps_.find(step_id);
    if (found == steps_.end()) return;
    Entry& entry = found->second;
    const auto place = entry.running.find(run);
    if (place == entry.running.end()) return;
    forgotten = std::move(place->second);
    entry.running.erase(place);
    if (!status.ok()) {
      Bury(step_id, ended);
    } else if (entry.running.empty()) {
      Enter(step_id, entry, lingering_);
      if (lingering_.steps.size() > limits_.max_tombstones) {
        const int64_t oldest = lingering_.steps.front().step_id;
        why = absl::ResourceExhaustedError(absl::StrCat(
            "step ", oldest, " ended: more than ", limits_.max_tombstones,
            " steps linger on ", task_, " (--max-tombstones)"));
        Bury(oldest, ended);
      }
    }
  }
  for (auto& [id, entry] : ended) FailEntry(entry, AsDerived(why));
}

absl::StatusOr<std::shared_ptr<RemoteRendezvous>> StepTable::Await(
    int64_t step_id, bool* is_waiting) {
  MutexLock lock(mutex_);
  const auto found = steps_.find(step_id);
  if (found != steps_.end()) {
    Entry& known = found->second;
    if (is_waiting != nullptr) {
      *is_waiting = !known.has_begun;
      known.waiting += *is_waiting;
    }
    return known.rendezvous;
  }
  if (ended_.contains(step_id)) return EndedError(step_id);
  if (waiting_.steps.size() >= limits_.max_waiting_steps) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "step ", step_id, " has not begun on ", task_, ", where ",
        limits_.max_waiting_steps,
        " such steps are waited for already (--max-waiting-steps)"));
  }
  Entry& entry = steps_[step_id];
  entry.rendezvous = make_rendezvous_(step_id);
  Enter(step_id, entry, waiting_);
  if (is_waiting != nullptr) {
    *is_waiting = true;
    entry.waiting = 1;
  }
  return entry.rendezvous;
}

void StepTable::StopWaiting(int64_t step_id) {
  Entry forgotten;
  {
    MutexLock lock(mutex_);
    const auto found = steps_.find(step_id);
    if (found == steps_.end()) return;
    Entry& entry = found->second;
    if (entry.waiting == 0 || --entry.waiting > 0 || entry.has_begun) return;
    Leave(entry);
    forgotten = std::move(entry);
    steps_.erase(found);
  }
  FailEntry(forgotten, AsDerived(absl::CancelledError(absl::StrCat(
                           "nobody waits for step ", step_id, " any more"))));
}

absl::StatusOr<std::shared_ptr<RemoteRendezvous>> StepTable::Find(
    int64_t step_id) const {
  MutexLock lock(mutex_);
  const auto found = steps_.find(step_id);
  if (found != steps_.end()) return found->second.rendezvous;
  if (ended_.contains(step_id)) return EndedError(step_id);
  return absl::NotFoundError(
      absl::StrCat("there is no step ", step_id, " on ", task_));
}

void StepTable::End(int64_t step_id, const absl::Status& why) {
  Entries ended;
  {
    MutexLock lock(mutex_);
    Bury(step_id, ended);
  }
  for (auto& [id, entry] : ended) FailEntry(entry, AsDerived(why));
}

void StepTable::EndOf(absl::string_view session, const absl::Status& why) {
  Entries ended;
  {
    MutexLock lock(mutex_);
    std::vector<int64_t> ids;
    for (const auto& [step_id, entry] : steps_) {
      if (entry.has_begun && entry.session == session) ids.push_back(step_id);
    }
    for (const int64_t step_id : ids) Bury(step_id, ended);
  }
  for (auto& [id, entry] : ended) FailEntry(entry, AsDerived(why));
}

size_t StepTable::num_steps() const {
  MutexLock lock(mutex_);
  return steps_.size();
}

size_t StepTable::num_runs() const {
  MutexLock lock(mutex_);
  size_t runs = 0;
  for (const auto& [step_id, entry] : steps_) runs += entry.running.size();
  return runs;
}

size_t StepTable::num_untaken() const {
  std::vector<std::shared_ptr<RemoteRendezvous>> lingering;
  {
    MutexLock lock(mutex_);
    for (const auto& [step_id, entry] : steps_) {
      if (entry.line == &lingering_) lingering.push_back(entry.rendezvous);
    }
  }
  size_t untaken = 0;
  for (const auto& rendezvous : lingering) untaken += rendezvous->num_untaken();
  return untaken;
}

void StepTable::FailEntry(Entry& entry, const absl::Status& derived) {
  for (const auto& [run, fail] : entry.running) fail(derived);
  entry.rendezvous->StartAbort(derived);
}

absl::Status StepTable::EndedError(int64_t step_id) const {
  return AsDerived(absl::AbortedError(
      absl::StrCat("step ", step_id, " has ended on ", task_)));
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

void StepTable::Bury(int64_t step_id, Entries& ended) {
  const auto found = steps_.find(step_id);
  if (found != steps_.end()) {
    Leave(found->second);
    ended.emplace_back(step_id, std::move(found->second));
    steps_.erase(found);
  }
  if (!ended_.insert(step_id).second) return;
  tombstones_.push_back(step_id);
  if (tombstones_.size() <= limits_.max_tombstones) return;
  ended_.erase(tombstones_.front());
  tombstones_.pop_front();
}

void StepTable::EndThoseWhoseTimeIsUp(Line& line) {
  Entries ended;
  {
    MutexLock lock(mutex_);
    const Clock::time_point now = timers_.clock().Now();
    while (!line.steps.empty() && line.steps.front().when <= now) {
      Bury(line.steps.front().step_id, ended);
    }
  }
  for (auto& [step_id, entry] : ended) {
    FailEntry(entry, AsDerived(TimeIsUp(step_id, line)));
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
  return absl::AbortedError(absl::StrCat(
      "step ", step_id, " has not begun on ", task_, " within ",
      absl::FormatDuration(absl::FromChrono(limits_.waiting_step_timeout)),
      " of a peer's asking for it (--waiting-step-timeout)"));
}

}  // namespace leat
