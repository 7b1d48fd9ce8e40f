// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanTable holds the plans of a session. The signature of a step identifies
// its plan. If several callers ask for the same plan at the same time, the plan
// is made only once. Local sessions and the sessions of masters keep their
// plans in PlanTables.
#ifndef LEAT_RUNTIME_PLAN_TABLE_H_
#define LEAT_RUNTIME_PLAN_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// A PlanTable is a table of plans, which are made on demand. It is thread-safe.
// No function blocks: a caller that has to wait passes a callback, and Leave
// removes the callback. The table shares the ownership of its plans with the
// steps that run them.
template <class Value>
class PlanTable : public std::enable_shared_from_this<PlanTable<Value>> {
 public:
  using Plan = std::shared_ptr<const Value>;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Plan>) &&>;
  // Makes a plan. Calls `done` exactly once, immediately or later, on any
  // thread.
  using Make = absl::AnyInvocable<void(Done done) &&>;
  // Takes a plan that the table has evicted and that no step uses.
  using Release = std::function<void(Plan)>;
  // Identifies a caller that waits for a plan.
  using Ticket = int64_t;

  // Is the default of `max_plans`, which limits both the number of plans that
  // are kept and the number of plans that are being made.
  static constexpr size_t kMaxPlans = 1000;

  // Makes a table that keeps at most `max_plans` plans. The table calls
  // `release` with each plan that it evicts, on any thread and without holding
  // a lock. It evicts only plans that no step uses, so it may keep more than
  // `max_plans` plans. If `release` is null, the table also evicts plans that
  // steps use. The steps then keep such a plan until they have ended.
  static std::shared_ptr<PlanTable> Create(Release release,
                                           size_t max_plans = kMaxPlans) {
    return std::shared_ptr<PlanTable>(
        new PlanTable(std::move(release), max_plans));
  }

  // Returns the plan of `key`, or null if it has not been made. After Close,
  // returns the error that Close got.
  absl::StatusOr<Plan> Find(absl::string_view key);

  // Calls `done` with the plan of `key`. The call happens exactly once, or
  // never if Leave is called first. If the plan has not been made and is not
  // being made, calls `make`. If making the plan fails, all callers that wait
  // for it get the error. The table does not keep errors, so the next call
  // tries again. Returns a ticket for Leave.
  //
  // `graph_version` is the version of the graph that `make` plans. If making a
  // plan from an earlier version fails, a caller with a later version gets null
  // instead of the error, and has to call Get again.
  //
  // `done` gets RESOURCE_EXHAUSTED when `max_plans` plans are being made
  // already. After Close it gets the error that Close got.
  Ticket Get(const std::string& key, int64_t graph_version, Make make,
             Done done);
  // Ends the wait of `ticket`. From now on the table does not call the `done`
  // of this wait, but a call that another thread has begun may still be
  // running. The plan of `key` is still made if it is being made now.
  void Leave(const std::string& key, Ticket ticket);

  // Drops every plan without calling `release`, because the session ends on all
  // tasks. All waiting callers and all later callers get `why`. REQUIRES: `why`
  // is not OK.
  void Close(const absl::Status& why);

  // Returns the number of plans in the table, without those that are being
  // made.
  size_t num_plans() const {
    MutexLock lock(mutex_);
    return used_.size();
  }

 private:
  // Describes a caller that waits for a plan.
  struct Waiter {
    int64_t graph_version = 0;
    Done done = {};
  };
  // Describes a plan that has been made or is being made.
  struct Entry {
    Plan plan = {};  // null while it is being made
    std::map<Ticket, Waiter> waiters = {};
    std::list<std::string>::iterator place = {};  // position in used_, if made
  };

  PlanTable(Release release, size_t max_plans)
      : release_(std::move(release)), max_plans_(max_plans) {}

  // Must be called when the plan of `key` has been made from `graph_version`,
  // or could not be made. Keeps the plan and calls the waiters of `key`.
  void Finish(const std::string& key, int64_t graph_version,
              absl::StatusOr<Plan> plan);
  // Removes and returns the plans above the limit, beginning with the plan that
  // has been unused for longest. If `release_` is not null, plans that a step
  // uses stay.
  std::vector<Plan> Evict() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Release release_;
  const size_t max_plans_;

  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK until Close
  Ticket last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries_
      ABSL_GUARDED_BY(mutex_);
  std::list<std::string> used_ ABSL_GUARDED_BY(mutex_);  // oldest use first
};

// ---------------------------------------------------------------------------

template <class Value>
auto PlanTable<Value>::Find(absl::string_view key) -> absl::StatusOr<Plan> {
  MutexLock lock(mutex_);
  if (!closed_.ok()) return closed_;
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second->plan == nullptr) return Plan();
  used_.splice(used_.end(), used_, found->second->place);
  return found->second->plan;
}

template <class Value>
auto PlanTable<Value>::Get(const std::string& key, int64_t graph_version,
                           Make make, Done done) -> Ticket {
  absl::StatusOr<Plan> found = Plan();  // null if the plan must be made
  Ticket ticket = 0;
  {
    MutexLock lock(mutex_);
    ticket = ++last_ticket_;
    const auto it = entries_.find(key);
    if (!closed_.ok()) {
      found = closed_;
    } else if (it == entries_.end()) {
      if (entries_.size() - used_.size() < max_plans_) {
        auto entry = std::make_unique<Entry>();
        entry->waiters[ticket] = {.graph_version = graph_version,
                                  .done = std::move(done)};
        entries_.emplace(key, std::move(entry));
      } else {
        found = absl::ResourceExhaustedError(absl::StrCat(
            "the session is already making ", max_plans_,
            " plans of steps, which is as many as it makes at the same time; "
            "try again later"));
      }
    } else if (it->second->plan == nullptr) {
      it->second->waiters[ticket] = {.graph_version = graph_version,
                                     .done = std::move(done)};
      return ticket;
    } else {
      used_.splice(used_.end(), used_, it->second->place);
      found = it->second->plan;
    }
  }
  if (!found.ok() || *found != nullptr) {
    std::move(done)(std::move(found));
    return ticket;
  }
  std::move(make)([self = this->shared_from_this(), key,
                   graph_version](absl::StatusOr<Plan> plan) {
    self->Finish(key, graph_version, std::move(plan));
  });
  return ticket;
}

template <class Value>
void PlanTable<Value>::Leave(const std::string& key, Ticket ticket) {
  Waiter left;  // freed outside the lock
  MutexLock lock(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  std::map<Ticket, Waiter>& waiters = it->second->waiters;
  const auto found = waiters.find(ticket);
  if (found == waiters.end()) return;
  left = std::move(found->second);
  waiters.erase(found);
}

template <class Value>
void PlanTable<Value>::Finish(const std::string& key, int64_t graph_version,
                              absl::StatusOr<Plan> plan) {
  std::map<Ticket, Waiter> waiters;
  std::vector<Plan> evicted;
  {
    MutexLock lock(mutex_);
    const auto it = entries_.find(key);
    if (it == entries_.end()) return;  // Close has been called.
    Entry& entry = *it->second;
    waiters.swap(entry.waiters);
    if (plan.ok()) {
      entry.plan = *plan;
      entry.place = used_.insert(used_.end(), key);
      evicted = Evict();
    } else {
      entries_.erase(it);
    }
  }
  for (auto& [ticket, waiter] : waiters) {
    const bool has_to_ask_again =
        !plan.ok() && waiter.graph_version > graph_version;
    std::move(waiter.done)(has_to_ask_again ? absl::StatusOr<Plan>(Plan())
                                            : plan);
  }
  if (release_ != nullptr) {
    for (Plan& unused : evicted) release_(std::move(unused));
  }
}

template <class Value>
auto PlanTable<Value>::Evict() -> std::vector<Plan> {
  std::vector<Plan> evicted;
  auto oldest = used_.begin();
  while (used_.size() > max_plans_ && oldest != used_.end()) {
    const auto entry = entries_.find(*oldest);
    // The count cannot grow from 1 while the lock is held, because plans are
    // copied from the table only under the lock.
    if (release_ != nullptr && entry->second->plan.use_count() > 1) {
      ++oldest;
      continue;
    }
    evicted.push_back(std::move(entry->second->plan));
    entries_.erase(entry);
    oldest = used_.erase(oldest);
  }
  return evicted;
}

template <class Value>
void PlanTable<Value>::Close(const absl::Status& why) {
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries;
  {
    MutexLock lock(mutex_);
    if (!closed_.ok()) return;
    closed_ = why;
    entries.swap(entries_);
    used_.clear();
  }
  for (auto& [key, entry] : entries) {
    for (auto& [ticket, waiter] : entry->waiters) std::move(waiter.done)(why);
  }
}

}  // namespace leat

#endif  // LEAT_RUNTIME_PLAN_TABLE_H_
