// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewTestSession makes the session for tests of sessions. Their programs run
// several times (cmake/LeatTests.cmake), with different values of
// LEAT_TEST_SESSION:
//
//   local       or unset: a LocalSession,
//   in_process  a session on a server of one task in this process,
//   grpc        the same over gRPC,
//   gpu         a LocalSession with a fake GPU (fake_cuda.h), which runs all
//               nodes for which it has a kernel. It needs a build in which the
//               kernels of GPUs are compiled for the host.
//   real_gpu    the same with a real GPU, for tools/gpu_check.
#ifndef LEAT_TESTS_TESTING_SESSION_UNDER_TEST_H_
#define LEAT_TESTS_TESTING_SESSION_UNDER_TEST_H_

#include <chrono>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/local_session.h"
#include "leat/runtime/session.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat {

enum class SessionKind { kLocal, kInProcess, kGrpc };

// Returns the kind that LEAT_TEST_SESSION names. A session with a GPU has the
// kind kLocal. An unknown name ends the program.
SessionKind TestedSession();

// Returns true if LEAT_TEST_SESSION is "gpu" or "real_gpu".
bool HasGpu();

// Makes a session of the kind TestedSession(). The clock of the session is
// TestClock(), or the real clock if the session runs over gRPC. A session on a
// server has the devices, limits and optimizer of `options`, but not the
// placement policy of `options`. The task of the server has the name that a
// local session gives to its own task, "/job:localhost/replica:0/task:0". When
// the session and all its Callables are destroyed, the test fails if the server
// still holds something of them. Returns UNIMPLEMENTED for options that only a
// local session can have (device_set, passes).
absl::StatusOr<std::shared_ptr<Session>> NewTestSession(
    const Graph& graph, const LocalSessionOptions& options = {},
    const KernelRegistry& kernels = BuiltinKernels());

// Returns a SimulatedClock for the sessions that are made next. Returns null if
// sessions run over gRPC, because gRPC uses real time.
std::unique_ptr<testing::SimulatedClock> SimulateTime();

// Runs `step` until it ends or its `timeout` is over. `step` may run a loop
// that never ends. The threads of such a loop never wait, so simulated time
// does not pass by itself, and this function moves the clock.
void RunUntilTimeout(std::chrono::nanoseconds timeout,
                     absl::FunctionRef<void()> step);

// Returns how many variants a long test tries. With local sessions on CPUs, it
// tries `local` variants. With servers or a GPU, it tries a tenth of `local`,
// because each try takes longer: the try starts a server, or a fake GPU runs
// it.
template <class Int>
Int NumTries(Int local) {
  const bool all = TestedSession() == SessionKind::kLocal && !HasGpu();
  return all ? local : (local + 9) / 10;
}

}  // namespace leat

// Skips the rest of a test that checks something that only a local session has.
// tests/runtime/session_kinds_test.cc lists the tests that use this macro.
#define LEAT_LOCAL_SESSION_ONLY(reason)                           \
  do {                                                            \
    if (::leat::TestedSession() != ::leat::SessionKind::kLocal) { \
      GTEST_SKIP() << "only for local sessions: " << (reason);    \
    }                                                             \
  } while (false)

// Skips the rest of a test that checks how a session without a GPU runs, such
// as on which devices, in which order, or in how much memory.
#define LEAT_CPU_SESSION_ONLY(reason)                                  \
  do {                                                                 \
    if (::leat::HasGpu()) {                                            \
      GTEST_SKIP() << "only for sessions without a GPU: " << (reason); \
    }                                                                  \
  } while (false)

#endif  // LEAT_TESTS_TESTING_SESSION_UNDER_TEST_H_
