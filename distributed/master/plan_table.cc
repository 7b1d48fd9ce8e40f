// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/plan_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace leat {

std::shared_ptr<PlanTable> PlanTable::Create(Release release,
                                             size_t max_plans) {
  return std::shared_ptr<PlanTable>(
      new PlanTable(std::move(release), max_plans));
}

absl::StatusOr<PlanTable::Plan> PlanTable::Find(absl::string_view key) {
  MutexLock lock(mutex_);
  if (!closed_.ok()) return closed_;
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second->plan == nullptr) return Plan();
  used_.splice(used_.end(), used_, found->second->place);
  return found->second->plan;
}

PlanTable::Ticket PlanTable::Get(const std::string& key, int64_t graph_version,
                                 Make make, Done done) {
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

void PlanTable::Leave(const std::string& key, Ticket ticket) {
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

void PlanTable::Start(const std::string& key, int64_t graph_version,
                      Make make) {
  std::move(make)([self = shared_from_this(), key,
                   graph_version](absl::StatusOr<Plan> plan) {
    self->Finish(key, graph_version, std::move(plan));
  });
}

void PlanTable::Finish(const std::string& key, int64_t graph_version,
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
  for (Plan& unused : evicted) release_(std::move(unused));
  if (next != nullptr) Start(key, next_version, std::move(next));
}

std::vector<PlanTable::Waiter> PlanTable::TakeUpTo(int64_t graph_version,
                                                   Entry& entry) {
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

std::vector<PlanTable::Plan> PlanTable::Evict() {
  std::vector<Plan> evicted;
  auto oldest = used_.begin();
  while (used_.size() > max_plans_ && oldest != used_.end()) {
    const auto entry = entries_.find(*oldest);
    // The count cannot grow from 1 while the lock is held, because plans are
    // copied from the table only under the lock.
    if (entry->second->plan.use_count() > 1) {
      ++oldest;
      continue;
    }
    evicted.push_back(std::move(entry->second->plan));
    entries_.erase(entry);
    oldest = used_.erase(oldest);
  }
  return evicted;
}

void PlanTable::Close(const absl::Status& why) {
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

size_t PlanTable::num_plans() const {
  MutexLock lock(mutex_);
  return used_.size();
}

size_t PlanTable::num_waiting() const {
  MutexLock lock(mutex_);
  size_t waiting = 0;
  for (const auto& [key, entry] : entries_) waiting += entry->waiters.size();
  return waiting;
}

}  // namespace leat
