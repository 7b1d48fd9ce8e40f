// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// CallAll calls functions that were collected while a lock was held. It is
// stateless.
#ifndef LEAT_KERNELS_CALLBACKS_H_
#define LEAT_KERNELS_CALLBACKS_H_

#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"

namespace leat::kernels {

// Calls each function once, in order. REQUIRES: the caller holds no lock that
// one of the functions may take.
inline void CallAll(std::vector<absl::AnyInvocable<void() &&>> functions) {
  for (auto& function : functions) std::move(function)();
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_CALLBACKS_H_
