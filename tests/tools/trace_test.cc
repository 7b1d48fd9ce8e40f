// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/trace.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace leat::trace_test {
namespace {

using std::chrono::microseconds;

constexpr int64_t kZero = 1'700'000'000'000'000'000;  // nanoseconds

pb::DeviceStepStats& Device(pb::StepStats& step, const std::string& name) {
  for (auto& device : *step.mutable_dev_stats()) {
    if (device.device() == name) return device;
  }
  pb::DeviceStepStats& device = *step.add_dev_stats();
  device.set_device(name);
  return device;
}

// Adds one run of a node. `from` and `to` are times in microseconds.
pb::NodeExecStats& Ran(pb::DeviceStepStats& device, const std::string& node,
                       const std::string& call, int from, int to,
                       int thread = 7) {
  pb::NodeExecStats& stats = *device.add_node_stats();
  stats.set_node_name(node);
  stats.set_timeline_label(node + " = " + call);
  stats.set_scheduled_nanos(kZero);
  stats.set_all_start_nanos(kZero + from * 1000);
  stats.set_all_end_rel_nanos((to - from) * 1000);
  stats.set_thread_id(thread);
  return stats;
}

nlohmann::json ChromeOf(pb::StepStats step) {
  Trace trace;
  trace.AddStep(std::move(step));
  return nlohmann::json::parse(trace.ToChromeJson());
}

std::map<std::string, nlohmann::json> SlicesByNode(
    const nlohmann::json& trace) {
  std::map<std::string, nlohmann::json> slices;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == "op") {
      slices[event["args"]["node"]] = event;
    }
  }
  return slices;
}

TEST(TraceTest, WritesChromeEvents) {
  pb::StepStats step;
  pb::DeviceStepStats& cpu = Device(step, "cpu");
  (*cpu.mutable_thread_names())[7] = "worker";
  pb::NodeExecStats& a = Ran(cpu, "a", "MatMul(x, w:1, ^c)", 10, 30);
  pb::TensorDescription& out = *a.add_output()->mutable_tensor_description();
  out.set_dtype(pb::DT_FLOAT);
  out.mutable_shape()->add_dim()->set_size(2);
  out.mutable_shape()->add_dim()->set_size(3);
  Ran(cpu, "b", "Relu(a)", 50, 60);
  const auto trace = ChromeOf(step);
  const auto slice = SlicesByNode(trace).at("a");
  EXPECT_EQ(slice["name"], "MatMul");
  EXPECT_EQ(slice["ts"], 0.0);
  EXPECT_EQ(slice["dur"], 20.0);
  EXPECT_EQ(slice["args"]["queued_us"], 10.0);
  EXPECT_EQ(slice["args"]["inputs"], "x, w:1, ^c");
  EXPECT_EQ(slice["args"]["outputs"], "float [2,3]");
  EXPECT_EQ(SlicesByNode(trace).at("b")["ts"], 40.0);
  bool names_thread = false, has_step = false;
  for (const auto& event : trace["traceEvents"]) {
    names_thread = names_thread || (event["name"] == "thread_name" &&
                                    event["args"]["name"] == "worker");
    if (event["ph"] != "X" || event["cat"] != "step") continue;
    has_step = true;
    EXPECT_EQ(event["dur"], 50.0);
  }
  EXPECT_TRUE(names_thread);
  EXPECT_TRUE(has_step);
}

// In one row, every event must end before the next one begins.
TEST(TraceTest, PutsWhatOverlapsOnRowsOfItsOwn) {
  pb::StepStats step;
  pb::DeviceStepStats& cpu = Device(step, "cpu");
  Ran(cpu, "first wait", "_Recv()", 0, 50, /*thread=*/0);
  Ran(cpu, "second wait", "_Recv()", 10, 40, /*thread=*/0);
  Ran(cpu, "work", "MatMul()", 20, 30);
  Ran(cpu, "more", "MatMul()", 30, 45);
  const auto slices = SlicesByNode(ChromeOf(step));
  EXPECT_NE(slices.at("first wait")["tid"], slices.at("second wait")["tid"]);
  EXPECT_NE(slices.at("first wait")["tid"], slices.at("work")["tid"]);
  EXPECT_NE(slices.at("second wait")["tid"], slices.at("work")["tid"]);
  EXPECT_EQ(slices.at("work")["tid"], slices.at("more")["tid"]);
}

TEST(TraceTest, DrawsArrowsFromSendsToRecvs) {
  pb::StepStats step;
  pb::DeviceStepStats& from = Device(step, "cpu0");
  pb::DeviceStepStats& to = Device(step, "cpu1");
  Ran(from, "s1", "_Send(x:0 @cpu1)", 10, 12);
  Ran(from, "s2", "_Send(x:0 @cpu1)", 20, 22);  // the next iteration
  Ran(from, "other", "_Send(y:0 @cpu1)", 30, 32);
  Ran(to, "r1", "_Recv(x:0 @cpu0)", 0, 15, 0);
  Ran(to, "r2", "_Recv(x:0 @cpu0)", 16, 25, 0);
  const auto trace = ChromeOf(step);
  const auto slices = SlicesByNode(trace);
  std::map<int, std::vector<nlohmann::json>> arrows;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "s" || event["ph"] == "f") {
      arrows[event["id"]].push_back(event);
    }
  }
  ASSERT_EQ(arrows.size(), 2u);
  int number = 0;
  for (const auto& [id, ends] : arrows) {
    ++number;
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_EQ(ends[0]["name"], "x:0");
    EXPECT_EQ(ends[1]["bp"], "e");
    EXPECT_LE(ends[0]["ts"], ends[1]["ts"]);
    for (int end = 0; end < 2; ++end) {
      const auto& slice =
          slices.at((end == 0 ? "s" : "r") + std::to_string(number));
      EXPECT_EQ(ends[end]["pid"], slice["pid"]);
      EXPECT_EQ(ends[end]["tid"], slice["tid"]);
      const double time = ends[end]["ts"], start = slice["ts"];
      EXPECT_GE(time, start);
      EXPECT_LT(time, start + slice["dur"].get<double>());
    }
  }
}

// TensorFlow's tasks report received tensors in this way: without a thread, and
// with times in microseconds.
TEST(TraceTest, ShowsTensorsOnTheirWayInRowsOfTheirOwn) {
  pb::StepStats step;
  pb::DeviceStepStats& cpu = Device(step, "cpu");
  Ran(cpu, "wait", "_Recv()", 0, 50, /*thread=*/0);
  Ran(cpu, "work", "MatMul()", 0, 50, /*thread=*/7);
  for (const int start : {10, 20}) {
    pb::NodeExecStats& pull = *cpu.add_node_stats();
    pull.set_node_name("RecvTensor");
    pull.set_timeline_label("[12B] [9.6Mb/s] edge_6_w/read from /a to /b");
    pull.set_all_start_micros(kZero / 1000 + start);
    pull.set_all_end_rel_micros(10);
    pull.add_output()
        ->mutable_tensor_description()
        ->mutable_allocation_description()
        ->set_requested_bytes(12);
  }
  const auto trace = ChromeOf(step);
  const auto slices = SlicesByNode(trace);
  const auto& pull = slices.at("RecvTensor");
  EXPECT_EQ(pull["name"], "RecvTensor");
  EXPECT_EQ(pull["ts"], 20.0);
  EXPECT_EQ(pull["dur"], 10.0);
  EXPECT_EQ(pull["args"]["transfer"],
            "[12B] [9.6Mb/s] edge_6_w/read from /a to /b");
  EXPECT_FALSE(pull["args"].contains("outputs"));
  EXPECT_EQ(pull["args"]["queued_us"], 0.0);
  for (const char* other : {"wait", "work"}) {
    EXPECT_NE(pull["tid"], slices.at(other)["tid"]) << other;
  }
  std::map<int, std::string> rows;
  for (const auto& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") {
      rows[event["tid"]] = event["args"]["name"];
    }
  }
  EXPECT_EQ(rows[pull["tid"]], "receiving");
  EXPECT_EQ(rows.size(), 3u) << "one row for both";
}

// TensorFlow's servers measure the scheduled time since the boot of the
// machine. So the time in the queue cannot be computed.
TEST(TraceTest, AWaitByAnotherClockIsNone) {
  pb::StepStats step;
  Ran(Device(step, "cpu"), "a", "MatMul(x)", 10, 30)
      .set_scheduled_nanos(5'964'983'006'219'047);
  EXPECT_EQ(SlicesByNode(ChromeOf(step)).at("a")["args"]["queued_us"], 0.0);
}

TEST(TraceTest, CountsLiveBytesWhereTheyChange) {
  pb::StepStats step;
  pb::DeviceStepStats& cpu = Device(step, "cpu");
  for (const int bytes : {64, 64, 128}) {
    const int at = 10 * cpu.node_stats_size();
    Ran(cpu, "n", "Op()", at, at + 5)
        .add_memory()
        ->set_allocator_bytes_in_use(bytes);
  }
  std::vector<int> seen;
  const auto trace = ChromeOf(step);
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "C") seen.push_back(event["args"]["bytes"]);
  }
  EXPECT_EQ(seen, (std::vector<int>{64, 128}));
}

TEST(TraceTest, AnEmptyTraceIsOne) {
  const auto trace = nlohmann::json::parse(Trace().ToChromeJson());
  EXPECT_TRUE(trace["traceEvents"].is_array());
  EXPECT_TRUE(trace["traceEvents"].empty());
  EXPECT_TRUE(ChromeOf(pb::StepStats())["traceEvents"].is_array());
}

TEST(TraceTest, SumsTimeByOp) {
  pb::StepStats step;
  pb::DeviceStepStats& cpu = Device(step, "cpu");
  Ran(cpu, "a", "MatMul(x)", 10, 30);
  Ran(cpu, "b", "Relu(x)", 20, 60);
  Ran(cpu, "c", "Relu(x)", 60, 70);
  Trace trace;
  trace.AddStep(step);
  const std::vector<OpTime> times = trace.TimeByOp();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].op, "Relu");
  EXPECT_EQ(times[0].count, 2);
  EXPECT_EQ(times[0].total, microseconds(50));
  EXPECT_EQ(times[1].op, "MatMul");
}

TEST(TraceTest, KeepsNoMoreThanItMay) {
  pb::StepStats step;
  Ran(Device(step, "cpu"), "a", "MatMul(x)", 10, 30);
  Trace trace(/*max_node_runs=*/2);
  for (int i = 0; i < 3; ++i) trace.AddStep(step);
  EXPECT_EQ(trace.num_dropped_steps(), 1);
  EXPECT_EQ(trace.TimeByOp()[0].count, 3);
}

// If a step is too large, the trace leaves out this step and all later steps,
// even small ones.
TEST(TraceTest, TakesNoStepAfterOneThatIsTooLarge) {
  pb::StepStats small, large;
  Ran(Device(small, "cpu"), "a", "MatMul(x)", 10, 30);
  for (int i = 0; i < 5; ++i) {
    Ran(Device(large, "cpu"), "b", "Relu(x)", 10 * i, 10 * i + 5);
  }
  Trace trace(/*max_node_runs=*/3);
  for (const pb::StepStats& step : {small, small, large, small}) {
    trace.AddStep(step);
  }
  EXPECT_EQ(trace.num_steps(), 4);
  EXPECT_EQ(trace.num_dropped_steps(), 2);
  std::vector<std::string> steps;
  const auto json = nlohmann::json::parse(trace.ToChromeJson());
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == "step") {
      steps.push_back(event["name"]);
    }
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"step 0", "step 1"}));
  EXPECT_EQ(trace.TimeByOp()[0].count + trace.TimeByOp()[1].count, 8);
}

TEST(TraceTest, WritesJsonOfNamesThatAreNotUtf8) {
  pb::StepStats step;
  Ran(Device(step, "cpu"), "a\xff\"", "Op()", 10, 30);
  EXPECT_EQ(SlicesByNode(ChromeOf(step)).count("a\uFFFD\""), 1u);
}

TEST(TraceTest, ReadsStatsWithoutLabelsAndNanoseconds) {
  pb::StepStats step;
  pb::NodeExecStats& node = *Device(step, "gpu").add_node_stats();
  node.set_node_name("a");
  node.set_all_start_micros(5);
  node.set_all_end_rel_micros(3);
  const auto slice = SlicesByNode(ChromeOf(step)).at("a");
  EXPECT_EQ(slice["name"], "a");
  EXPECT_EQ(slice["dur"], 3.0);
}

}  // namespace
}  // namespace leat::trace_test
