// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The main function of programs whose tests run in simulated time
// (tests/CMakeLists.txt). Only the tests of sessions over gRPC run in real
// time, because of their sockets.
#include <optional>

#include "gtest/gtest.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/simulated_clock.h"

namespace {

// Gives each test a clock. Every thread that the test starts must end with it.
class SimulatesTime final : public ::testing::EmptyTestEventListener {
 public:
  void OnTestStart(const ::testing::TestInfo&) override { clock_.emplace(); }
  void OnTestEnd(const ::testing::TestInfo&) override { clock_.reset(); }

 private:
  std::optional<leat::testing::SimulatedClock> clock_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (leat::TestedSession() != leat::SessionKind::kGrpc) {
    ::testing::UnitTest::GetInstance()->listeners().Append(new SimulatesTime);
  }
  return RUN_ALL_TESTS();
}
