// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/trace.h"

#include <chrono>
#include <thread>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Clock = TraceRecorder::Clock;
using std::chrono::microseconds;

constexpr Clock::time_point kStart{};

NodeRun Ran(absl::string_view node, absl::string_view op, int from, int to) {
  NodeRun run;
  run.node = node;
  run.op = op;
  run.scheduled = kStart;
  run.started = kStart + microseconds(from);
  run.ended = kStart + microseconds(to);
  return run;
}

TEST(TraceTest, WritesChromeEvents) {
  TraceRecorder recorder;
  recorder.OnStep(0, kStart, kStart + microseconds(100));
  recorder.OnNodeRun(Ran("a", "MatMul", 10, 30));
  recorder.OnNodeRun(Ran("b", "Relu", 20, 40));  // overlaps a
  recorder.OnNodeRun(Ran("c", "Relu", 50, 60));
  const auto trace = nlohmann::json::parse(recorder.ToChromeJson());
  int count = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++count;
    const std::string node = event["args"]["node"];
    if (node == "step 0") {
      EXPECT_EQ(event["dur"], 100.0);
      continue;
    }
    if (node == "a") {
      EXPECT_EQ(event["name"], "MatMul");
      EXPECT_EQ(event["ts"], 10.0);
      EXPECT_EQ(event["dur"], 20.0);
      EXPECT_EQ(event["args"]["queued_us"], 10.0);
    }
    EXPECT_EQ(event["tid"], node == "b" ? 1 : 0) << node;
  }
  EXPECT_EQ(count, 4);
}

TEST(TraceTest, AnEmptyTraceIsOne) {
  const auto trace = nlohmann::json::parse(TraceRecorder().ToChromeJson());
  EXPECT_TRUE(trace["traceEvents"].is_array());
  EXPECT_TRUE(trace["traceEvents"].empty());
}

TEST(TraceTest, SumsTimeByOp) {
  TraceRecorder recorder;
  recorder.OnStep(0, kStart, kStart + microseconds(100));
  recorder.OnNodeRun(Ran("a", "MatMul", 10, 30));
  recorder.OnNodeRun(Ran("b", "Relu", 20, 60));
  recorder.OnNodeRun(Ran("c", "Relu", 60, 70));
  const std::vector<OpTime> times = recorder.TimeByOp();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].op, "Relu");
  EXPECT_EQ(times[0].count, 2);
  EXPECT_EQ(times[0].total, microseconds(50));
  EXPECT_EQ(times[1].op, "MatMul");
}

TEST(TraceTest, CountsWhatItDoesNotKeep) {
  TraceRecorder recorder(/*max_events=*/1);
  recorder.OnNodeRun(Ran("a", "MatMul", 10, 30));
  recorder.OnNodeRun(Ran("b", "Relu", 20, 60));
  EXPECT_EQ(recorder.num_dropped(), 1);
  EXPECT_EQ(recorder.TimeByOp().size(), 1u);
}

TEST(TraceTest, TakesEventsFromManyThreads) {
  TraceRecorder recorder;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&recorder] {
      for (int i = 0; i < 100; ++i) recorder.OnNodeRun(Ran("a", "A", i, i + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(recorder.TimeByOp()[0].count, 400);
}

}  // namespace
}  // namespace leat
