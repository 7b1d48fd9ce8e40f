// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanCache: the plans of a session, found by the signature of the step (feeds,
// fetches and targets). The number of plans is limited, because signatures may
// come from outside and be used only once; the oldest plan is dropped.
//
//   const std::string key = SignatureKey(feeds, fetches, targets);
//   std::shared_ptr<Plan> plan = plans.Find(key);
//   if (plan == nullptr) plan = plans.Add(key, MakePlan());
#ifndef LEAT_RUNTIME_PLAN_CACHE_H_
#define LEAT_RUNTIME_PLAN_CACHE_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/runtime/session.h"

namespace leat {

// A map from signature keys to plans of type `Plan`. Thread-compatible: the
// session guards it with its lock. Plans are shared, so one that was dropped
// lives as long as somebody runs it.
//
// A plan takes long to make, so a session looks for it under its lock, makes a
// missing one without the lock, and then adds it. Two threads may thus make the
// same plan; the first one added is kept, for both.
template <class Plan>
class PlanCache {
 public:
  // The greatest number of plans that are kept.
  static constexpr size_t kMaxPlans = 1000;

  // Returns the plan for `key`, or null if there is none.
  std::shared_ptr<Plan> Find(const std::string& key) const {
    const auto found = plans_.find(key);
    return found == plans_.end() ? nullptr : found->second;
  }

  // Adds `plan`, unless there is one for `key` already, and returns the plan
  // that is kept for `key`. Drops the oldest plan if there are too many.
  std::shared_ptr<Plan> Add(const std::string& key,
                            std::shared_ptr<Plan> plan) {
    const auto [it, inserted] = plans_.try_emplace(key, std::move(plan));
    std::shared_ptr<Plan> kept = it->second;
    if (!inserted) return kept;
    keys_.push_back(key);
    if (keys_.size() > kMaxPlans) {
      plans_.erase(keys_.front());
      keys_.pop_front();
    }
    return kept;
  }

  // Drops all plans. A session does so when it is closed.
  void Clear() {
    plans_.clear();
    keys_.clear();
  }

  // The number of plans.
  size_t size() const { return plans_.size(); }

 private:
  absl::flat_hash_map<std::string, std::shared_ptr<Plan>> plans_;
  // The keys of `plans_`, in the order in which they were added.
  std::deque<std::string> keys_;
};

namespace internal {

// The text of a name, whether it is a string or a TensorName.
inline const std::string& Text(const std::string& name) { return name; }
inline const std::string& Text(const TensorName& name) { return name.text; }

// Appends each name with its length, and a ';' at the end of the list, so that
// no two signatures have the same key.
template <class Name>
void AppendNames(const std::vector<Name>& names, std::string& key) {
  for (const Name& name : names) {
    absl::StrAppend(&key, Text(name).size(), ":", Text(name));
  }
  key.push_back(';');
}

}  // namespace internal

// Returns the key of a signature. `Name` is TensorName or std::string. The
// order of the names matters, and names may contain any bytes.
template <class Name>
std::string SignatureKey(const std::vector<Name>& feeds,
                         const std::vector<Name>& fetches,
                         const std::vector<Name>& targets) {
  std::string key;
  internal::AppendNames(feeds, key);
  internal::AppendNames(fetches, key);
  internal::AppendNames(targets, key);
  return key;
}

}  // namespace leat

#endif  // LEAT_RUNTIME_PLAN_CACHE_H_
