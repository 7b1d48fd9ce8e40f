// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the limits on the memory and the nodes that the steps and graphs of a
// session may use.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::session_limits_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Runs each test on one and on two CPU devices.
class SessionLimitsTest : public ::testing::TestWithParam<int> {
 protected:
  GraphBuilder b;
};

INSTANTIATE_TEST_SUITE_P(Devices, SessionLimitsTest, ::testing::Values(1, 2));

TEST_P(SessionLimitsTest, RunsOutOfMemoryWithAStatus) {
  LEAT_CPU_SESSION_ONLY("it limits the memory of CPUs");
  const Output n = b.Placeholder<int32_t>("n");
  const Output big = op::Fill(n, 1.0f);
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(
      *graph,
      {.devices = {.num_cpus = GetParam(), .cpu_memory_bytes = 1 << 20}});
  ASSERT_TRUE(session.ok());
  const auto run = [&](int32_t size) {
    return (*session)
        ->Run(
            {.feeds = {{n, Tensor::Vector<int32_t>({size})}}, .fetches = {big}})
        .status();
  };
  const absl::Status refused = run(1 << 20);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("{{node Fill}}"), HasSubstr("4194304 bytes")));
  EXPECT_EQ(run(1 << 10), absl::OkStatus());
}

// Runs a step that runs out of memory. At that time the output of the node
// "kept/Fill" (512 KiB) and the output of "small/Fill" (4 KiB) are alive. The
// output of "dropped/Fill" is freed already. Returns the message of the error.
std::string TextOfExhaustion(GraphBuilder& b, int num_cpus,
                             const RunOptions& options) {
  const Output one = b.Placeholder<int32_t>("one");
  const auto fill = [&](int32_t size, const char* name) {
    const auto scope = b.NameScope(name);
    return op::Fill(one * size, 1.0f);
  };
  const Output dropped = op::Sum(fill(1 << 16, "dropped"), 0);
  const Output small = fill(1 << 10, "small");
  Output kept;
  {
    const auto after =
        b.ControlDependencies({dropped.operation(), small.operation()});
    kept = fill(1 << 17, "kept");
  }
  Output big;
  {
    const auto after = b.ControlDependencies({kept.operation()});
    big = fill(1 << 20, "big");
  }
  auto graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(
      *graph, {.devices = {.num_cpus = num_cpus, .cpu_memory_bytes = 1 << 20}});
  EXPECT_TRUE(session.ok()) << session.status();
  const absl::Status status =
      (*session)
          ->Run({.feeds = {{one, Tensor::Vector<int32_t>({1})}},
                 .fetches = {kept, small, big},
                 .options = options})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  return std::string(status.message());
}

TEST_P(SessionLimitsTest, SaysHowToListAllocations) {
  LEAT_CPU_SESSION_ONLY("it limits the memory of CPUs");
  EXPECT_THAT(TextOfExhaustion(b, GetParam(), {}),
              HasSubstr("]]\nHint: If you want to see a list of allocated "
                        "tensors when OOM happens, add "
                        "report_tensor_allocations_upon_oom to RunOptions"));
}

TEST_P(SessionLimitsTest, ListsTheAllocationsThatAreAlive) {
  LEAT_CPU_SESSION_ONLY("it limits the memory of CPUs");
  const std::string text = TextOfExhaustion(
      b, GetParam(), {.report_tensor_allocations_upon_oom = true});
  EXPECT_THAT(text,
              AllOf(HasSubstr("\n\nCurrent usage from device: "
                              "/job:localhost/replica:0/task:0/device:CPU:0, "
                              "allocator: "),
                    HasSubstr("\n  512.0 KiB from kept/Fill\n"),
                    Not(HasSubstr("dropped")), Not(HasSubstr("Hint"))));
}

// The characters of strings also count as memory. Here two Tile nodes would
// make a gigabyte of strings from one short string.
TEST_P(SessionLimitsTest, RunsOutOfMemoryForStringsWithAStatus) {
  const Output text = b.Placeholder<std::string>("text");
  const Output n = b.Placeholder<int32_t>("n");
  const Output many = op::Tile(op::Tile(text, n), n);
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(
      *graph,
      {.devices = {.num_cpus = GetParam(), .cpu_memory_bytes = 1 << 20}});
  ASSERT_TRUE(session.ok());
  const Tensor row =
      Tensor::Of<std::string>(Shape{1}, {std::string(1100, 'x')});
  const auto run = [&](int32_t times) {
    return (*session)
        ->Run({.feeds = {{text, row}, {n, Tensor::Vector<int32_t>({times})}},
               .fetches = {many}})
        .status();
  };
  const absl::Status refused = run(1000);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("{{node Tile}}"), HasSubstr("Out of memory")));
  const absl::Status second = run(100);
  EXPECT_EQ(second.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(second.message()), HasSubstr("{{node Tile_1}}"));
  EXPECT_EQ(run(10), absl::OkStatus());
}

// A graph above the limit is refused before it is planned, both when the
// session is created and when it is extended.
TEST_P(SessionLimitsTest, RefusesGraphsAboveItsLimits) {
  const Output x = b.Const(1.0f, "x");
  auto small = b.Build();
  ASSERT_TRUE(small.ok()) << small.status();
  Cond(
      b.Const(true), [&] { return std::vector<Output>{x + 1.0f}; },
      [&] { return std::vector<Output>{x}; });
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  LocalSessionOptions options = {.devices = {.num_cpus = GetParam()}};
  options.lower_limits.max_nodes = 4;
  const absl::Status refused = NewTestSession(*graph, options).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("over 4 nodes"));
  auto session = NewTestSession(*small, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->Extend(*graph).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE((*session)->Run({.fetches = {x}}).ok());
  options.lower_limits = {};
  EXPECT_TRUE(NewTestSession(*graph, options).ok());
}

}  // namespace
}  // namespace leat::session_limits_test
