// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LeaksOf returns what a server still holds of sessions and steps that are
// over. BecomesEmpty is for tests that look for other leaks.
//
//   EXPECT_EQ(LeaksOf(*server), "");
#ifndef LEAT_TESTS_TESTING_LEAKS_H_
#define LEAT_TESTS_TESTING_LEAKS_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "leat/distributed/server/server.h"

namespace leat::testing {

// Waits until `is_empty()` is true, but at most 30 seconds. If the test
// simulates time, these seconds are simulated. Returns whether `is_empty()` is
// true.
//
// 30 seconds are enough for every orderly end of a step or session, even if a
// notice of the end must be repeated. A server that never gets the notice drops
// the step or session only after a minute or more (ServerLimits). This function
// waits less, so it returns false in that case.
bool BecomesEmpty(absl::FunctionRef<bool()> is_empty);

// Waits, as BecomesEmpty does, until the server holds nothing of a session or
// step. Then returns "". If the server still holds something after the wait,
// returns a list of what it holds.
std::string LeaksOf(const Server& server);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_LEAKS_H_
