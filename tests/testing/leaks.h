// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LeaksOf says what a server still holds of sessions and steps that are over.
//
//   EXPECT_EQ(LeaksOf(*server), "");
#ifndef LEAT_TESTS_TESTING_LEAKS_H_
#define LEAT_TESTS_TESTING_LEAKS_H_

#include <string>

#include "leat/distributed/server/server.h"

namespace leat::testing {

// Waits until the server holds nothing of a session or step and returns "". If
// it still holds something at the WaitLimit, returns a list of that.
std::string LeaksOf(const Server& server);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_LEAKS_H_
