// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/plan_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

void PlanTable::Get(const std::string& key, int64_t graph_version, Make make,
                    Done done) {
  absl::StatusOr<Plan> found = Plan();  // null: to be made
  {
    MutexLock lock(mutex_);
    const auto it = entries_.find(key);
    if (!closed_.ok()) {
      found = closed_;
    } else if (it == entries_.end()) {
      auto entry = std::make_unique<Entry>();
      entry->waiters.push_back(
          {.graph_version = graph_version, .done = std::move(done)});
      entries_.emplace(key, std::move(entry));
    } else if (it->second->plan == nullptr) {
      it->second->waiters.push_back({.graph_version = graph_version,
                                     .make = std::move(make),
                                     .done = std::move(done)});
      return;
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
  Make next;  // not null: tried again, with a later graph
  int64_t next_version = 0;
  {
    MutexLock lock(mutex_);
    const auto it = entries_.find(key);
    if (it == entries_.end()) return;  // closed meanwhile
    Entry& entry = *it->second;
    if (plan.ok()) {
      served = std::exchange(entry.waiters, {});
      entry.plan = *plan;
      entry.place = used_.insert(used_.end(), key);
      evicted = Evict();
    } else {
      const auto later =
          std::stable_partition(entry.waiters.begin(), entry.waiters.end(),
                                [graph_version](const Waiter& waiter) {
                                  return waiter.graph_version <= graph_version;
                                });
      served.assign(std::make_move_iterator(entry.waiters.begin()),
                    std::make_move_iterator(later));
      entry.waiters.erase(entry.waiters.begin(), later);
      const auto latest =
          std::max_element(entry.waiters.begin(), entry.waiters.end(),
                           [](const Waiter& a, const Waiter& b) {
                             return a.graph_version < b.graph_version;
                           });
      if (latest == entry.waiters.end()) {
        entries_.erase(it);
      } else {
        next = std::exchange(latest->make, nullptr);
        next_version = latest->graph_version;
      }
    }
  }
  for (Waiter& waiter : served) std::move(waiter.done)(plan);
  for (Plan& unused : evicted) release_(std::move(unused));
  if (next != nullptr) Start(key, next_version, std::move(next));
}

std::vector<PlanTable::Plan> PlanTable::Evict() {
  std::vector<Plan> evicted;
  auto oldest = used_.begin();
  while (used_.size() > max_plans_ && oldest != used_.end()) {
    const auto entry = entries_.find(*oldest);
    // Only under the lock does anybody get a plan of which there is one copy.
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
    for (Waiter& waiter : entry->waiters) std::move(waiter.done)(why);
  }
}

size_t PlanTable::num_plans() const {
  MutexLock lock(mutex_);
  return used_.size();
}

}  // namespace leat
