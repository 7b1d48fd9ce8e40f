// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// PlanTable: the plans of a session by the signature of their steps, each made
// once however many ask for it at the same time. Nobody's thread waits, and who
// waits no longer leaves nothing behind. Thread-safe.
#ifndef LEAT_DISTRIBUTED_PLAN_TABLE_H_
#define LEAT_DISTRIBUTED_PLAN_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/distributed/registered_plan.h"

namespace leat {

class PlanTable : public std::enable_shared_from_this<PlanTable> {
 public:
  using Plan = std::shared_ptr<const RegisteredPlan>;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Plan>) &&>;
  // Plans and registers; calls `done` exactly once, at once or later, on any
  // thread.
  using Make = absl::AnyInvocable<void(Done done) &&>;
  // Takes a plan that the table has given up and that no step uses.
  using Release = std::function<void(Plan)>;
  // Who waits for a plan.
  using Ticket = int64_t;

  // That are kept, and that are being made.
  static constexpr size_t kMaxPlans = 1000;

  // `release` is called outside of any lock, on any thread.
  static std::shared_ptr<PlanTable> Create(Release release,
                                           size_t max_plans = kMaxPlans);

  // The plan of `key` if it is there, or null; the reason after Close.
  absl::StatusOr<Plan> Find(absl::string_view key);

  // The plan of `key`: `done` exactly once, with the plan that is there or that
  // is being made; else with what `make` makes, whose errors all who wait for
  // it get and which are not kept. `graph_version`: that `make` sees. Who asks
  // with a later one is not told of an error of an earlier graph; its own
  // `make` is tried. RESOURCE_EXHAUSTED when too many are being made.
  Ticket Get(const std::string& key, int64_t graph_version, Make make,
             Done done);
  // Who has that ticket waits no longer: unless its `done` has been called, or
  // is about to be, it never is. A plan that is being made goes on being made.
  void Leave(const std::string& key, Ticket ticket);

  // Gives every plan up, without releasing: their session ends everywhere. All
  // who wait, and ask later, get `why` (not OK).
  void Close(const absl::Status& why);

  size_t num_plans() const;  // made
  size_t num_waiting() const;

 private:
  struct Waiter {
    int64_t graph_version = 0;
    Make make = {};  // null: its own is under way
    Done done = {};
  };
  struct Entry {
    Plan plan = {};  // null: it is being made
    std::map<Ticket, Waiter> waiters = {};
    std::list<std::string>::iterator place = {};  // in used_, when made
  };

  PlanTable(Release release, size_t max_plans)
      : release_(std::move(release)), max_plans_(max_plans) {}

  // Takes out those that ask with that version or an earlier one.
  static std::vector<Waiter> TakeUpTo(int64_t graph_version, Entry& entry);
  // `make` is under way for those that wait.
  void Start(const std::string& key, int64_t graph_version, Make make);
  void Finish(const std::string& key, int64_t graph_version,
              absl::StatusOr<Plan> plan);
  // Takes out the plans unused for longest that are too many.
  std::vector<Plan> Evict() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Release release_;
  const size_t max_plans_;

  mutable Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK: open
  Ticket last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries_
      ABSL_GUARDED_BY(mutex_);
  std::list<std::string> used_ ABSL_GUARDED_BY(mutex_);  // longest ago first
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_PLAN_TABLE_H_
