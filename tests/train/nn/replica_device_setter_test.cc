// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/replica_device_setter.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/train/nn/initializers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/optimizers.h"

namespace leat::nn::replica_device_setter_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string DeviceOf(const GraphBuilder& b, absl::string_view name) {
  const NodeId id = b.graph().Find(name);
  return id == kNoNode ? "no such node" : b.graph().node(id).def->device;
}

ReplicaDeviceSetterOptions OptionsOf(const json& setter) {
  ReplicaDeviceSetterOptions options;
  options.ps_tasks = setter["ps_tasks"].get<int>();
  options.worker_device = setter["worker_device"].get<std::string>();
  if (setter.contains("ps_device")) {
    options.ps_device = setter["ps_device"].get<std::string>();
  }
  if (setter["strategy"].get<std::string>() == "greedy") {
    options.strategy = GreedyByBytes(options.ps_tasks);
  }
  return options;
}

// Makes the node that a case describes, within the case's scopes, and returns
// its output.
Output MakeNode(GraphBuilder& b, const json& spec,
                const DeviceFunction& setter) {
  std::vector<Scope> scopes;
  for (const auto& scope : spec["scopes"]) {
    const auto text = scope.get<std::string>();
    scopes.push_back(text == "setter" ? b.OnDevice(setter) : b.OnDevice(text));
  }
  const auto name = spec["name"].get<std::string>();
  const auto dims = spec["shape"].get<std::vector<int64_t>>();
  const Shape shape = Shape::Create(dims).value();
  const DType dtype =
      testing::TensorFromJson({spec["dtype"], {0}, json::array()}).dtype();
  Output value;
  if (spec["kind"] == "placeholder") {
    value = b.Placeholder(dtype, name, shape);
  } else {
    value = b.GetVariable(name, dtype, shape,
                          [&] { return Zeros()(b, shape, dtype, shape); },
                          {.use_resource = spec["kind"] == "variable"})
                .value();
  }
  while (!scopes.empty()) scopes.pop_back();
  return value;
}

void BuildStep(GraphBuilder& b, const std::string& optimizer, Output loss,
               const DeviceFunction& setter, bool use_resource) {
  const Scope scope = b.OnDevice(setter);
  const Variable step =
      b.GetVariable("global_step", DType::kInt64, Shape{},
                    [&] { return b.Const<int64_t>(0); },
                    {.trainable = false, .use_resource = use_resource});
  if (optimizer == "Adam") {
    Adam().Minimize(loss, {.global_step = step});
  } else {
    ASSERT_EQ(optimizer, "Adagrad");
    Adagrad().Minimize(loss, {.global_step = step});
  }
}

TEST(ReplicaDeviceSetterTest, PlacesAsTensorFlowDoes) {
  int cases = 0;
  for (const json& spec :
       testing::ReadJsonLines("train/nn/between_graph_cases.jsonl")) {
    if (spec.value("kind", "") != "placement") continue;
    SCOPED_TRACE(spec["name"].get<std::string>());
    ++cases;
    GraphBuilder b;
    const DeviceFunction setter =
        ReplicaDeviceSetter(OptionsOf(spec["setter"]));
    Output loss = b.Const(0.0f);
    for (const json& node : spec["nodes"]) {
      const Output value = MakeNode(b, node, setter);
      if (!spec["slots"].is_null() && node["kind"] != "placeholder") {
        loss = loss + op::L2Loss(value);
      }
    }
    if (!spec["slots"].is_null()) {
      BuildStep(b, spec["slots"].get<std::string>(), loss, setter,
                spec["nodes"][0]["kind"] == "variable");
    }
    ASSERT_TRUE(b.status().ok()) << b.status();
    for (const auto& [name, device] : spec["devices"].items()) {
      EXPECT_EQ(DeviceOf(b, name), device.get<std::string>()) << name;
    }
  }
  EXPECT_GT(cases, 10);
}

TEST(ReplicaDeviceSetterTest, CopiesGoOnTogether) {
  GraphBuilder b;
  const DeviceFunction setter = ReplicaDeviceSetter({.ps_tasks = 3});
  std::vector<std::string> devices;
  for (const char* name : {"a", "b", "c", "d"}) {
    const Scope scope = b.OnDevice(setter);
    b.Variable(name, b.Const(1.0f));
    devices.push_back(DeviceOf(b, name));
  }
  EXPECT_THAT(devices, ElementsAre("/job:ps/task:0", "/job:ps/task:1",
                                   "/job:ps/task:2", "/job:ps/task:0"));
}

TEST(ReplicaDeviceSetterTest, SaysNothingWithoutParameterServers) {
  GraphBuilder b;
  const Scope outer = b.OnDevice("/cpu:0");
  const Scope scope = b.OnDevice(ReplicaDeviceSetter({}));
  b.Variable("w", b.Const(1.0f, "x"));
  EXPECT_EQ(DeviceOf(b, "w"), "/device:CPU:0");
  EXPECT_EQ(DeviceOf(b, "x"), "/device:CPU:0");
}

// If the device of a variable does not name a GPU, TensorFlow adds the GPU of
// the worker's device to the device of a read. The parameter server might not
// have that GPU. Leat places the read on the device of the variable.
TEST(ReplicaDeviceSetterTest, LeavesReadsAndInitialValuesWithTheVariable) {
  GraphBuilder b;
  const Scope scope = b.OnDevice(ReplicaDeviceSetter(
      {.ps_tasks = 1, .worker_device = "/job:worker/task:3/gpu:0"}));
  b.GetVariable("w", DType::kFloat, Shape{2}, [&] {
    return RandomUniform()(b, Shape{2}, DType::kFloat, Shape{2});
  });
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(DeviceOf(b, "w"), "/job:ps/task:0");
  EXPECT_EQ(DeviceOf(b, "w/Assign"), "/job:ps/task:0");
  EXPECT_EQ(DeviceOf(b, "w/Read/ReadVariableOp"), "/job:ps/task:0");
  EXPECT_EQ(DeviceOf(b, "w/Initializer/random_uniform"), "");
}

TEST(ReplicaDeviceSetterTest, TakesOtherOpsAndStrategies) {
  GraphBuilder b;
  std::vector<std::string> asked;
  ReplicaDeviceSetterOptions options = {.ps_tasks = 4, .ps_ops = {"Const"}};
  options.strategy = [&](const NodeDef& node) {
    asked.push_back(node.name);
    return 3;
  };
  const Scope scope = b.OnDevice(ReplicaDeviceSetter(options));
  b.Variable("w", b.Const(1.0f, "x"));
  EXPECT_EQ(DeviceOf(b, "w"), "/job:worker");
  EXPECT_EQ(DeviceOf(b, "x"), "/job:ps/task:3");
  EXPECT_THAT(asked, ElementsAre("x"));
}

TEST(ReplicaDeviceSetterTest, RefusesWhatItCannotPlace) {
  const auto error_of = [](ReplicaDeviceSetterOptions options,
                           PartialShape shape = Shape{}) {
    GraphBuilder b;
    const Scope scope = b.OnDevice(ReplicaDeviceSetter(std::move(options)));
    b.AddOp({.op = "VarHandleOp",
             .attrs = {{"dtype", DType::kFloat}, {"shape", shape}},
             .name = "w"});
    b.Const(1.0f, "x");
    return std::string(b.status().message());
  };
  EXPECT_EQ(error_of({.ps_tasks = 1}), "");
  EXPECT_THAT(error_of({.ps_tasks = 1, .ps_device = "ps"}),
              AllOf(HasSubstr("'w'"), HasSubstr("'ps'")));
  EXPECT_THAT(error_of({.ps_tasks = 1, .worker_device = "worker"}),
              AllOf(HasSubstr("'x'"), HasSubstr("'worker'")));
  EXPECT_THAT(error_of({.ps_tasks = -1}), HasSubstr("task 0 of -1"));
  EXPECT_THAT(error_of({.ps_tasks = 2, .strategy = RoundRobin(3)}), "");
  EXPECT_THAT(
      error_of({.ps_tasks = 2, .strategy = [](const NodeDef&) { return 2; }}),
      AllOf(HasSubstr("'w'"), HasSubstr("task 2 of 2")));
  EXPECT_THAT(error_of({.ps_tasks = 2, .strategy = GreedyByBytes(2)},
                       PartialShape{-1, 3}),
              AllOf(HasSubstr("'w'"), HasSubstr("[?,3]")));
}

}  // namespace
}  // namespace leat::nn::replica_device_setter_test
