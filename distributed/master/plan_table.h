// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanTable: the plans of a session, by the signature of their steps. Each plan
// is made once, however many callers ask for it at the same time.
#ifndef LEAT_DISTRIBUTED_MASTER_PLAN_TABLE_H_
#define LEAT_DISTRIBUTED_MASTER_PLAN_TABLE_H_

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
#include "leat/core/threads/mutex.h"
#include "leat/distributed/master/registered_plan.h"

namespace leat {

// A table of plans, made on demand. Thread-safe. Calls do not block: who has to
// wait is called back, and a caller that stops waiting leaves nothing behind.
// The table shares the ownership of its plans with the steps that run them.
class PlanTable : public std::enable_shared_from_this<PlanTable> {
 public:
  using Plan = std::shared_ptr<const RegisteredPlan>;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Plan>) &&>;
  // Plans and registers. Calls `done` exactly once, at once or later, on any
  // thread.
  using Make = absl::AnyInvocable<void(Done done) &&>;
  // Takes a plan that the table has evicted and that no step uses.
  using Release = std::function<void(Plan)>;
  // Identifies a caller that waits for a plan.
  using Ticket = int64_t;

  // The default limit of plans that are kept, and of plans that are being made.
  static constexpr size_t kMaxPlans = 1000;

  // Makes a table that keeps at most `max_plans` plans. `release` is called
  // outside of any lock, on any thread.
  static std::shared_ptr<PlanTable> Create(Release release,
                                           size_t max_plans = kMaxPlans);

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

  size_t num_plans() const;  // plans that have been made
  // The number of callers that wait for a plan.
  size_t num_waiting() const;

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
  // been used for longest. Plans that a step uses stay.
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

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_PLAN_TABLE_H_
