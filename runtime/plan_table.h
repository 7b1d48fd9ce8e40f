// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanTable: the plans of a session, by the signature of their steps. Each plan
// is made once, however many callers ask for it at the same time. Sessions of
// this process and sessions of masters keep their plans in it.
#ifndef LEAT_RUNTIME_PLAN_TABLE_H_
#define LEAT_RUNTIME_PLAN_TABLE_H_

#include <algorithm>
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

// A table of plans, made on demand. Thread-safe. Calls do not block: who has to
// wait is called back, and a caller that stops waiting leaves nothing behind.
// The table shares the ownership of its plans with the steps that run them.
template <class Value>
class PlanTable : public std::enable_shared_from_this<PlanTable<Value>> {
 public:
  using Plan = std::shared_ptr<const Value>;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Plan>) &&>;
  // Makes a plan. Calls `done` exactly once, at once or later, on any thread.
  using Make = absl::AnyInvocable<void(Done done) &&>;
  // Takes a plan that the table has evicted and that no step uses.
  using Release = std::function<void(Plan)>;
  // Identifies a caller that waits for a plan.
  using Ticket = int64_t;

  // The default limit of plans that are kept, and of plans that are being made.
  static constexpr size_t kMaxPlans = 1000;

  // Makes a table that keeps at most `max_plans` plans. `release` is called
  // outside of any lock, on any thread, and only with plans that no step uses;
  // a plan in use is kept until then. If `release` is null, plans are evicted
  // whether they are in use or not, because nobody has to be told.
  static std::shared_ptr<PlanTable> Create(Release release,
                                           size_t max_plans = kMaxPlans) {
    return std::shared_ptr<PlanTable>(
        new PlanTable(std::move(release), max_plans));
  }

  // Returns the plan of `key` if it has been made, or null; after Close its
  // reason.
  absl::StatusOr<Plan> Find(absl::string_view key);

  // Calls `done` exactly once: with the plan of `key` if it has been made or is
  // being made, else with what `make` makes. All who wait for a plan get the
  // error if making it fails; errors are not kept. The returned ticket is for
  // Leave.
  //
  // `graph_version` is the version of the graph that `make` plans. A caller
  // with a later version than the one that has failed does not get that error;
  // its own `make` is tried instead.
  //
  // `done` gets RESOURCE_EXHAUSTED when `max_plans` plans are being made
  // already, and the reason of Close after that.
  Ticket Get(const std::string& key, int64_t graph_version, Make make,
             Done done);
  // Ends the wait of `ticket`: its `done` is never called, unless that has
  // happened or is about to. A plan that is being made is completed all the
  // same.
  void Leave(const std::string& key, Ticket ticket);

  // Drops every plan without calling Release, because their session ends
  // everywhere. All who wait, and all who ask later, get `why`. REQUIRES: `why`
  // is not OK.
  void Close(const absl::Status& why);

  // Returns the number of plans that have been made.
  size_t num_plans() const {
    MutexLock lock(mutex_);
    return used_.size();
  }
  // Returns the number of callers that wait for a plan.
  size_t num_waiting() const {
    MutexLock lock(mutex_);
    size_t waiting = 0;
    for (const auto& [key, entry] : entries_) waiting += entry->waiters.size();
    return waiting;
  }

 private:
  // A caller that waits for a plan.
  struct Waiter {
    int64_t graph_version = 0;
    Make make = {};  // null while it is running
    Done done = {};
  };
  // A plan that has been made, or that waiters wait for.
  struct Entry {
    Plan plan = {};  // null while it is being made
    std::map<Ticket, Waiter> waiters = {};
    std::list<std::string>::iterator place = {};  // in used_, if made
  };

  PlanTable(Release release, size_t max_plans)
      : release_(std::move(release)), max_plans_(max_plans) {}

  // Removes and returns the waiters that ask with `graph_version` or an earlier
  // one.
  static std::vector<Waiter> TakeUpTo(int64_t graph_version, Entry& entry);
  // Calls `make`, whose result goes to Finish.
  void Start(const std::string& key, int64_t graph_version, Make make);
  // Serves the waiters of `key`, or tries again with a later graph.
  void Finish(const std::string& key, int64_t graph_version,
              absl::StatusOr<Plan> plan);
  // Removes and returns the plans above the limit, those first that have not
  // been used for longest. Plans that a step uses stay if they are released.
  std::vector<Plan> Evict() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Release release_;
  const size_t max_plans_;

  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK until Close
  Ticket last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries_
      ABSL_GUARDED_BY(mutex_);
  std::list<std::string> used_ ABSL_GUARDED_BY(mutex_);  // least recent first
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
  absl::StatusOr<Plan> found = Plan();  // null if it is to be made
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
            max_plans_, " plans of the session are being made already"));
      }
    } else if (it->second->plan == nullptr) {
      it->second->waiters[ticket] = {.graph_version = graph_version,
                                     .make = std::move(make),
                                     .done = std::move(done)};
      return ticket;
    } else {
      used_.splice(used_.end(), used_, it->second->place);
      found = it->second->plan;
    }
  }
  if (found.ok() && *found == nullptr) {
    Start(key, graph_version, std::move(make));
  } else {
    std::move(done)(std::move(found));
  }
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
void PlanTable<Value>::Start(const std::string& key, int64_t graph_version,
                             Make make) {
  std::move(make)([self = this->shared_from_this(), key,
                   graph_version](absl::StatusOr<Plan> plan) {
    self->Finish(key, graph_version, std::move(plan));
  });
}

template <class Value>
void PlanTable<Value>::Finish(const std::string& key, int64_t graph_version,
                              absl::StatusOr<Plan> plan) {
  std::vector<Waiter> served;
  std::vector<Plan> evicted;
  Make next;  // if not null, the next try, with a later graph
  int64_t next_version = 0;
  {
    MutexLock lock(mutex_);
    const auto it = entries_.find(key);
    if (it == entries_.end()) return;  // Close was called meanwhile.
    Entry& entry = *it->second;
    if (plan.ok()) {
      served = TakeUpTo(INT64_MAX, entry);
      entry.plan = *plan;
      entry.place = used_.insert(used_.end(), key);
      evicted = Evict();
    } else {
      served = TakeUpTo(graph_version, entry);
      const auto latest = std::max_element(
          entry.waiters.begin(), entry.waiters.end(),
          [](const auto& a, const auto& b) {
            return a.second.graph_version < b.second.graph_version;
          });
      if (latest == entry.waiters.end()) {
        entries_.erase(it);
      } else {
        next = std::exchange(latest->second.make, nullptr);
        next_version = latest->second.graph_version;
      }
    }
  }
  for (Waiter& waiter : served) std::move(waiter.done)(plan);
  if (release_ != nullptr) {
    for (Plan& unused : evicted) release_(std::move(unused));
  }
  if (next != nullptr) Start(key, next_version, std::move(next));
}

template <class Value>
auto PlanTable<Value>::TakeUpTo(int64_t graph_version, Entry& entry)
    -> std::vector<Waiter> {
  std::vector<Waiter> taken;
  for (auto it = entry.waiters.begin(); it != entry.waiters.end();) {
    if (it->second.graph_version > graph_version) {
      ++it;
    } else {
      taken.push_back(std::move(it->second));
      it = entry.waiters.erase(it);
    }
  }
  return taken;
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
