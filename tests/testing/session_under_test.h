// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewTestSession makes the session for tests of sessions. Their programs run
// three times (tests/CMakeLists.txt), with different values of
// LEAT_TEST_SESSION:
//
//   local       or unset: a LocalSession,
//   in_process  a session on a server of one task in this process,
//   grpc        the same over gRPC.
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

// Returns the kind that LEAT_TEST_SESSION names. Any other word ends the
// program.
SessionKind TestedSession();

// Makes a session of that kind. Its clock is TestClock(), except that gRPC has
// the real one. One on a server has the devices, limits and
// optimizer of `options`, and its task is "/job:localhost/replica:0/task:0",
// which is also a local session's name for its own task; the master keeps its
// own placement policy. When the session and all its Callables are gone, the
// server must hold nothing of them: otherwise the test fails. UNIMPLEMENTED for
// options that only a local session can have (device_set, passes).
absl::StatusOr<std::shared_ptr<Session>> NewTestSession(
    const Graph& graph, const LocalSessionOptions& options = {},
    const KernelRegistry& kernels = BuiltinKernels());

// Returns how many variants a long test tries: `local` for local sessions, and
// a tenth of that for servers, because each try starts one.
template <class Int>
Int NumTries(Int local) {
  return TestedSession() == SessionKind::kLocal ? local : (local + 9) / 10;
}

}  // namespace leat

// Skips the rest of a test that looks at something only a local session has.
// tests/runtime/session_kinds_test.cc lists the tests that use it.
#define LEAT_LOCAL_SESSION_ONLY(reason)                           \
  do {                                                            \
    if (::leat::TestedSession() != ::leat::SessionKind::kLocal) { \
      GTEST_SKIP() << "only of local sessions: " << (reason);     \
    }                                                             \
  } while (false)

#endif  // LEAT_TESTS_TESTING_SESSION_UNDER_TEST_H_
