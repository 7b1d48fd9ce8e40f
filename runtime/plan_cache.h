// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanCache: a session's plans by signature. The oldest goes when there are too
// many: a signature may come from outside, and be used once.
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

// Thread-compatible.
template <class Plan>
class PlanCache {
 public:
  static constexpr size_t kMaxPlans = 1000;

  // Null when there is none.
  std::shared_ptr<Plan> Find(const std::string& key) const {
    const auto found = plans_.find(key);
    return found == plans_.end() ? nullptr : found->second;
  }

  // The plan that is kept: the first of a key.
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

  void Clear() {
    plans_.clear();
    keys_.clear();
  }

  size_t size() const { return plans_.size(); }

 private:
  absl::flat_hash_map<std::string, std::shared_ptr<Plan>> plans_;
  std::deque<std::string> keys_;  // oldest first
};

namespace internal {

inline const std::string& Text(const std::string& name) { return name; }
inline const std::string& Text(const TensorName& name) { return name.text; }

template <class Name>
void AppendNames(const std::vector<Name>& names, std::string& key) {
  for (const Name& name : names) {
    absl::StrAppend(&key, Text(name).size(), ":", Text(name));
  }
  key.push_back(';');
}

}  // namespace internal

// The key of a signature: names (TensorName or std::string) in order. They may
// hold any byte.
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
