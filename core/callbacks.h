// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// CallAll: calls functions that were collected while a lock was held.
// Stateless.
#ifndef LEAT_CORE_CALLBACKS_H_
#define LEAT_CORE_CALLBACKS_H_

#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"

namespace leat {

// Calls each function once, in order. REQUIRES: the caller holds no lock that
// one of them may take.
inline void CallAll(std::vector<absl::AnyInvocable<void() &&>> functions) {
  for (auto& function : functions) std::move(function)();
}

}  // namespace leat

#endif  // LEAT_CORE_CALLBACKS_H_
