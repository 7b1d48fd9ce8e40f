// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanCache keeps the plans of a library, because the library takes long to
// choose one.
//
//   LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Plan> plan,
//                         plans.Get(form, [&] { return NewPlan(form); }));
#ifndef LEAT_RUNTIME_CUDA_PLAN_CACHE_H_
#define LEAT_RUNTIME_CUDA_PLAN_CACHE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace leat {

// Keeps a plan, or UNIMPLEMENTED, for each of at most `capacity` keys. The
// least recently used plan is dropped first. Thread-compatible.
template <class Key, class Plan>
class PlanCache {
 public:
  explicit PlanCache(size_t capacity) : capacity_(capacity) {}

  // Returns the plan of `key`. If there is none yet, calls `make`, which
  // returns an absl::StatusOr<std::unique_ptr<Plan>>. If `make` fails with
  // UNIMPLEMENTED, keeps and returns this error. Returns other errors without
  // keeping them.
  template <class Make>
  absl::StatusOr<std::shared_ptr<Plan>> Get(const Key& key, Make make) {
    auto found = plans_.find(key);
    if (found == plans_.end()) {
      absl::StatusOr<std::shared_ptr<Plan>> plan = make();
      // Any other error may be temporary, so the next call tries again.
      if (!plan.ok() && !absl::IsUnimplemented(plan.status())) return plan;
      if (plans_.size() >= capacity_) DropOldest();
      found = plans_.emplace(key, Kept{std::move(plan)}).first;
    }
    found->second.last_use = ++num_uses_;
    return found->second.plan;
  }

 private:
  struct Kept {
    absl::StatusOr<std::shared_ptr<Plan>> plan;
    int64_t last_use = 0;
  };

  void DropOldest() {
    plans_.erase(std::min_element(
        plans_.begin(), plans_.end(), [](const auto& a, const auto& b) {
          return a.second.last_use < b.second.last_use;
        }));
  }

  const size_t capacity_;
  std::map<Key, Kept> plans_;
  int64_t num_uses_ = 0;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_PLAN_CACHE_H_
