// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewTestSession: the session that a test of sessions is about. The programs of
// such tests run three times (tests/CMakeLists.txt), with LEAT_TEST_SESSION
//
//   local       or unset: a LocalSession,
//   in_process  a session on a server of one task in this process,
//   grpc        the same by gRPC.
#ifndef LEAT_TESTS_TESTING_SESSION_UNDER_TEST_H_
#define LEAT_TESTS_TESTING_SESSION_UNDER_TEST_H_

#include <memory>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/local_session.h"
#include "leat/runtime/session.h"

namespace leat {

enum class SessionKind { kLocal, kInProcess, kGrpc };

// What LEAT_TEST_SESSION says; another word ends the program.
SessionKind TestedSession();

// Where it is on a server, that is "/job:localhost/replica:0/task:0", as a
// local session calls its own task, with devices, limits and optimizer of
// `options`; a master has its own placement policy. When the session and every
// Callable of it have gone, nothing may be left on the server: the test fails
// otherwise. UNIMPLEMENTED for options that are of this process only
// (device_set, passes).
absl::StatusOr<std::shared_ptr<Session>> NewTestSession(
    const Graph& graph, const LocalSessionOptions& options = {},
    const KernelRegistry& kernels = BuiltinKernels());

// In how many ways a test that is long tries what it tries: a tenth over
// servers, where each takes one to start.
template <class Int>
Int NumTries(Int local) {
  return TestedSession() == SessionKind::kLocal ? local : (local + 9) / 10;
}

}  // namespace leat

// Skips the rest of a test which looks at what only a local session has.
// tests/runtime/session_kinds_test.cc lists those that do.
#define LEAT_LOCAL_SESSION_ONLY(reason)                           \
  do {                                                            \
    if (::leat::TestedSession() != ::leat::SessionKind::kLocal) { \
      GTEST_SKIP() << "only of local sessions: " << (reason);     \
    }                                                             \
  } while (false)

#endif  // LEAT_TESTS_TESTING_SESSION_UNDER_TEST_H_
