// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LEAT_CHECK ends the process when an invariant of our own code is broken. It
// is enabled in every build. No content of a graph, feed, file, message or
// environment variable may make a check fail: code must return a Status for bad
// input.
//
//   LEAT_CHECK(num_threads >= 1);
#ifndef LEAT_CORE_CHECK_H_
#define LEAT_CORE_CHECK_H_

#include "absl/base/optimization.h"

namespace leat::internal {
// Prints the place and the text of the condition to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line,
                              const char* condition);
}  // namespace leat::internal

#define LEAT_CHECK(condition)   \
  (ABSL_PREDICT_TRUE(condition) \
       ? static_cast<void>(0)   \
       : ::leat::internal::CheckFailed(__FILE__, __LINE__, #condition))

#endif  // LEAT_CORE_CHECK_H_
