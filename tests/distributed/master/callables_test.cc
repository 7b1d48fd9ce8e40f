// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that callables of clients do not raise the number of plans that a
// session keeps.
#include <cstddef>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/distributed/master/registered_plan.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::callables_test {
namespace {

using ::leat::testing::Eventually;
using ::leat::testing::InProcessCluster;

const TaskId kWorker = {"worker", 0};

TEST(CallablesTest, KeepNoPlans) {
  constexpr size_t kCallables = RegisteredPlans::kMaxPlans + 10;
  const testing::SimulatedClock clock;
  InProcessCluster cluster({{"worker", 1}});
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  std::vector<Output> sums;
  for (size_t i = 0; i < kCallables; ++i) {
    sums.push_back(x + static_cast<float>(i));
  }
  auto session = cluster.NewSession(*b.Build(), kWorker);
  ASSERT_TRUE(session.ok()) << session.status();
  std::vector<Callable> callables;
  for (const Output& sum : sums) {
    auto callable = (*session)->MakeCallable({.feeds = {x}, .fetches = {sum}});
    ASSERT_TRUE(callable.ok()) << callable.status();
    callables.push_back(*std::move(callable));
  }
  // The master tells the tasks which plans it has dropped.
  EXPECT_TRUE(Eventually([&] {
    return cluster.server(kWorker).counters().graphs <=
           RegisteredPlans::kMaxPlans;
  }));
  // All callables can still be called. The plans that were dropped are made
  // again.
  for (size_t i = 0; i < kCallables; i += 50) {
    for (int again = 0; again < 2; ++again) {
      const auto out = callables[i]({Tensor::Scalar(0.5f)});
      ASSERT_TRUE(out.ok()) << i << ": " << out.status();
      EXPECT_EQ((*out)[0].scalar<float>(), 0.5f + static_cast<float>(i));
    }
  }
  callables.clear();
  session->reset();
  EXPECT_EQ(cluster.Leaks(), "");
}

}  // namespace
}  // namespace leat::callables_test
