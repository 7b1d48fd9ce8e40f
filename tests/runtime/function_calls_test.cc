// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests functions that kernels call while a step runs.
// lowered_control_flow_test.cc compares their results with TensorFlow's.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/graph_text.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::function_calls_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::shared_ptr<Session> Open(const std::string& text) {
  auto session = NewTestSession(ImportText(text, BuiltinOps()),
                                {.devices = {.num_cpus = 1, .num_threads = 2}});
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *session : nullptr;
}

// Returns a node that calls a function of one float at run time.
std::string CallNode(const std::string& name, const std::string& function) {
  return NodeText(name, "StatefulPartitionedCall", {"x"},
                  Floats("Tin", 1) + Floats("Tout", 1) + Func("f", function) +
                      Attr("_call_at_run_time", "b: true"));
}

std::string InnerFloat(const std::string& name, float value) {
  return InnerNode(
      name, "Const", {},
      Attr("dtype", "type: DT_FLOAT") +
          Attr("value", absl::StrCat("tensor { dtype: DT_FLOAT tensor_shape {} "
                                     "float_val: ",
                                     value, " }")));
}

// Returns the functions `sum` and `longer`: sum(a) is 0 if a is below 1, and
// otherwise a + sum(a - 1).
std::string SumOfRange() {
  const std::string sum = FunctionText(
      "sum", 1, "DT_FLOAT",
      InnerFloat("one", 1) +
          InnerNode("ends", "Less", {"a0", "one:output:0"}, Float()) +
          InnerNode("choice", "If", {"ends:z:0", "a0"},
                    Attr("Tcond", "type: DT_BOOL") + Floats("Tin", 1) +
                        Floats("Tout", 1) + Func("then_branch", "nothing") +
                        Func("else_branch", "longer")) +
          Return("choice:output:0"));
  const std::string nothing = FunctionText(
      "nothing", 1, "DT_FLOAT",
      InnerNode("zero", "ZerosLike", {"a0"}, Float()) + Return("zero:y:0"));
  const std::string longer = FunctionText(
      "longer", 1, "DT_FLOAT",
      InnerFloat("one", 1) +
          InnerNode("less", "Sub", {"a0", "one:output:0"}, Float()) +
          InnerNode("rest", "sum", {"less:z:0"}) +
          InnerNode("total", "Add", {"a0", "rest:r:0"}, Float()) +
          Return("total:z:0"));
  return sum + nothing + longer;
}

absl::StatusOr<float> RunY(Session& session, float x,
                           const RunOptions& options = {}) {
  auto out = session.Run({.feeds = {{"x", Tensor::Scalar(x)}},
                          .fetches = {"y"},
                          .options = options});
  if (!out.ok()) return out.status();
  return (*out)[0].scalar<float>();
}

TEST(FunctionCallsTest, FunctionsMayCallThemselves) {
  const auto session =
      Open(SumOfRange() + FloatPlaceholder("x") + NodeText("y", "sum", {"x"}));
  ASSERT_NE(session, nullptr);
  for (const float n : {0, 1, 7, 450}) {
    const auto sum = RunY(*session, n);
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_EQ(*sum, n * (n + 1) / 2);
  }
}

TEST(FunctionCallsTest, StepsCallTheSameFunctionAtOnce) {
  const auto session =
      Open(SumOfRange() + FloatPlaceholder("x") + NodeText("y", "sum", {"x"}));
  ASSERT_NE(session, nullptr);
  std::vector<absl::StatusOr<float>> sums(8);
  {
    std::vector<std::unique_ptr<Thread>> threads;
    for (absl::StatusOr<float>& sum : sums) {
      threads.push_back(
          std::make_unique<Thread>("step", [&] { sum = RunY(*session, 40); }));
    }
    for (const auto& thread : threads) thread->Join();
  }
  for (const absl::StatusOr<float>& sum : sums) {
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_EQ(*sum, 820);
  }
}

TEST(FunctionCallsTest, CallsNestToALimit) {
  const auto session =
      Open(SumOfRange() + FloatPlaceholder("x") + NodeText("y", "sum", {"x"}));
  ASSERT_NE(session, nullptr);
  const absl::Status status = RunY(*session, 2000).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("calls of function 'sum' nest deeper than 1000"));
  // The error does not name the nodes of all levels.
  EXPECT_LT(status.message().size(), 5'000u);
  EXPECT_EQ(*RunY(*session, 3), 6);
}

// Returns a function that makes two calls of itself, without end. It also has
// `num_nodes` other nodes.
std::string CallsTwice(int num_nodes) {
  std::string body =
      InnerNode("first", "twice", {"a0"}) +
      InnerNode("second", "twice", {"a0"}) +
      InnerNode("sum0", "Add", {"first:r:0", "second:r:0"}, Float());
  for (int i = 0; i < num_nodes; ++i) {
    body +=
        InnerNode(absl::StrCat("sum", i + 1), "Neg",
                  {absl::StrCat("sum", i, i == 0 ? ":z:0" : ":y:0")}, Float());
  }
  return FunctionText(
      "twice", 1, "DT_FLOAT",
      body + Return(absl::StrCat("sum", num_nodes,
                                 num_nodes == 0 ? ":z:0" : ":y:0")));
}

TEST(FunctionCallsTest, CallsWithoutEndFail) {
  const auto session =
      Open(CallsTwice(0) + SumOfRange() + FloatPlaceholder("x") +
           NodeText("y", "sum", {"x"}) + NodeText("endless", "twice", {"x"}));
  ASSERT_NE(session, nullptr);
  const absl::Status status = session
                                  ->Run({.feeds = {{"x", Tensor::Scalar(1.0f)}},
                                         .fetches = {"endless"}})
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              AnyOf(HasSubstr("nest deeper than 1000"),
                    HasSubstr("100000 calls of functions are under way")));
  EXPECT_EQ(*RunY(*session, 3), 6);
}

TEST(FunctionCallsTest, CallsTakeMemoryOfTheDevice) {
  auto session = NewTestSession(
      ImportText(CallsTwice(500) + FloatPlaceholder("x") +
                     NodeText("y", "twice", {"x"}),
                 BuiltinOps()),
      {.devices = {
           .num_cpus = 1, .num_threads = 2, .cpu_memory_bytes = 8 << 20}});
  ASSERT_TRUE(session.ok()) << session.status();
  const absl::Status status = RunY(**session, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("bytes of a call of function 'twice'"));
}

TEST(FunctionCallsTest, ErrorsNameTheNodesOfFunctions) {
  const std::string product =
      FunctionText("product", 1, "DT_FLOAT",
                   InnerNode("square", "MatMul", {"a0", "a0"}, Float()) +
                       Return("square:product:0"));
  const auto session =
      Open(product + FloatPlaceholder("x") + CallNode("y", "product"));
  ASSERT_NE(session, nullptr);
  const absl::Status status = RunY(*session, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("[[{{node product/square}}]]"),
                    HasSubstr("[[{{node y}}]]")));
}

TEST(FunctionCallsTest, FunctionsMustHaveTheTypesOfTheCaller) {
  const std::string function = FunctionText(
      "positive", 1, "DT_BOOL",
      InnerFloat("zero", 0) +
          InnerNode("greater", "Greater", {"a0", "zero:output:0"}, Float()) +
          Return("greater:z:0"));
  const auto session =
      Open(function + FloatPlaceholder("x") + CallNode("y", "positive"));
  ASSERT_NE(session, nullptr);
  const absl::Status status = RunY(*session, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("result 0 of function 'positive/inlined' is of type "
                        "bool, but this node needs float"));
}

// The first caller has the types of the function, so the function is compiled.
TEST(FunctionCallsTest, EachCallerMustHaveTheTypesOfTheFunction) {
  const std::string negate = FunctionText(
      "negate", 1, "DT_FLOAT",
      InnerNode("neg", "Neg", {"a0"}, Float()) + Return("neg:y:0"));
  const auto session =
      Open(negate + FloatPlaceholder("x") + CallNode("y", "negate") +
           NodeText("two", "StatefulPartitionedCall", {"x", "^y"},
                    Floats("Tin", 1) + Floats("Tout", 2) + Func("f", "negate") +
                        Attr("_call_at_run_time", "b: true")));
  ASSERT_NE(session, nullptr);
  const absl::Status status =
      session
          ->Run({.feeds = {{"x", Tensor::Scalar(1.0f)}}, .fetches = {"two:1"}})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("has 1 results, but this node needs 2"));
}

TEST(FunctionCallsTest, ResultsMustHaveValues) {
  const std::string chosen = FunctionText(
      "chosen", 1, "DT_FLOAT",
      InnerFloat("zero", 0) +
          InnerNode("positive", "Greater", {"a0", "zero:output:0"}, Float()) +
          InnerNode("switch", "Switch", {"a0", "positive:z:0"}, Float()) +
          Return("switch:output_true:0"));
  const auto session =
      Open(chosen + FloatPlaceholder("x") + CallNode("y", "chosen"));
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(*RunY(*session, 4), 4);
  const absl::Status status = RunY(*session, -4).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("result 0 of function 'chosen' has no value: it is on a "
                "branch that was not taken"));
}

// A random op in a function goes on from call to call, as it does in a graph.
TEST(FunctionCallsTest, StatefulKernelsLastFromCallToCall) {
  const std::string random = FunctionText(
      "random", 1, "DT_FLOAT",
      InnerNode("shape", "Shape", {"a0"},
                Float() + Attr("out_type", "type: DT_INT32")) +
          InnerNode("uniform", "RandomUniform", {"shape:output:0"},
                    Attr("T", "type: DT_INT32") +
                        Attr("dtype", "type: DT_FLOAT") + Attr("seed", "i: 3") +
                        Attr("seed2", "i: 4")) +
          Return("uniform:output:0"));
  const auto session =
      Open(random + FloatPlaceholder("x") + CallNode("y", "random"));
  ASSERT_NE(session, nullptr);
  const auto first = RunY(*session, 0), second = RunY(*session, 0);
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  EXPECT_NE(*first, *second);
}

// Returns a graph that waits in a function until its queue has an element.
std::string TakesFromQueue() {
  const std::string types = Attr("component_types", "list { type: DT_FLOAT }");
  const std::string queue = Attr("shared_name", "s: \"queue\"");
  return FunctionText("take", 1, "DT_FLOAT",
                      InnerNode("queue", "FIFOQueueV2", {}, types + queue) +
                          InnerNode("taken", "QueueDequeueV2",
                                    {"queue:handle:0"}, types) +
                          Return("taken:components:0")) +
         NodeText("queue", "FIFOQueueV2", {}, types + queue) +
         FloatPlaceholder("x") +
         NodeText("put", "QueueEnqueueV2", {"queue", "x"},
                  Attr("Tcomponents", "list { type: DT_FLOAT }")) +
         CallNode("y", "take");
}

TEST(FunctionCallsTest, CallsWaitForOtherSteps) {
  const auto session = Open(TakesFromQueue());
  ASSERT_NE(session, nullptr);
  std::vector<absl::StatusOr<float>> taken(5);
  std::vector<std::unique_ptr<Thread>> threads;
  for (absl::StatusOr<float>& each : taken) {
    threads.push_back(
        std::make_unique<Thread>("step", [&] { each = RunY(*session, 0); }));
  }
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(
        session
            ->Run({.feeds = {{"x", Tensor::Scalar(7.0f)}}, .targets = {"put"}})
            .ok());
  }
  for (const auto& thread : threads) thread->Join();
  for (const absl::StatusOr<float>& each : taken) {
    ASSERT_TRUE(each.ok()) << each.status();
    EXPECT_EQ(*each, 7);
  }
}

TEST(FunctionCallsTest, ACallEndsWithItsStep) {
  const auto clock = SimulateTime();
  const auto session = Open(TakesFromQueue());
  ASSERT_NE(session, nullptr);
  const absl::Status status =
      RunY(*session, 0, {.timeout = std::chrono::milliseconds(100)}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  // The call has left the queue, so the next step gets the element.
  ASSERT_TRUE(
      session->Run({.feeds = {{"x", Tensor::Scalar(7.0f)}}, .targets = {"put"}})
          .ok());
  EXPECT_EQ(*RunY(*session, 0), 7);
}

TEST(FunctionCallsTest, TracesShowTheNodesOfFunctions) {
  const auto session =
      Open(SumOfRange() + FloatPlaceholder("x") + NodeText("y", "sum", {"x"}));
  ASSERT_NE(session, nullptr);
  pb::RunMetadata metadata;
  ASSERT_TRUE(session
                  ->Run({.feeds = {{"x", Tensor::Scalar(2.0f)}},
                         .fetches = {"y"},
                         .options = {.trace_level = TraceLevel::kFull}},
                        &metadata)
                  .ok());
  int num_ends = 0;
  for (const pb::DeviceStepStats& device : metadata.step_stats().dev_stats()) {
    for (const pb::NodeExecStats& node : device.node_stats()) {
      num_ends += node.node_name() == "sum/ends" ? 1 : 0;
    }
  }
  EXPECT_EQ(num_ends, 3);
}

// ---- For and RemoteCall ----

std::string IntPlaceholder(const std::string& name) {
  return NodeText(name, "Placeholder", {}, Attr("dtype", "type: DT_INT32"));
}

std::string ForLoop(const std::string& body) {
  std::string function = FunctionText("body", 1, "DT_FLOAT", body);
  function.insert(function.find("input_arg"),
                  "input_arg { name: \"i\" type: DT_INT32 } ");
  return function + IntPlaceholder("start") + IntPlaceholder("limit") +
         IntPlaceholder("delta") + FloatPlaceholder("x") +
         NodeText("y", "For", {"start", "limit", "delta", "x"},
                  Floats("T", 1) + Func("body", "body"));
}

absl::StatusOr<float> RunFor(Session& session, Tensor start, int32_t limit,
                             int32_t delta) {
  auto out = session.Run({.feeds = {{"start", std::move(start)},
                                    {"limit", Tensor::Scalar(limit)},
                                    {"delta", Tensor::Scalar(delta)},
                                    {"x", Tensor::Scalar(0.0f)}},
                          .fetches = {"y"}});
  if (!out.ok()) return out.status();
  return (*out)[0].scalar<float>();
}

std::string AddsOne() {
  return InnerFloat("one", 1) +
         InnerNode("more", "Add", {"a0", "one:output:0"}, Float()) +
         Return("more:z:0");
}

TEST(FunctionCallsTest, LongLoopsNeedNoStack) {
  const auto session = Open(ForLoop(AddsOne()));
  ASSERT_NE(session, nullptr);
  const int32_t n = NumTries(100'000);
  const auto sum = RunFor(*session, Tensor::Scalar<int32_t>(0), n, 1);
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(*sum, static_cast<float>(n));
  // The sum 2147483640 + 5 + 5 does not fit into an int32.
  EXPECT_EQ(
      *RunFor(*session, Tensor::Scalar<int32_t>(2147483640), 2147483647, 5), 2);
}

TEST(FunctionCallsTest, LoopsRefuseRangesThatDoNotEnd) {
  const auto session = Open(ForLoop(AddsOne()));
  ASSERT_NE(session, nullptr);
  const Tensor zero = Tensor::Scalar<int32_t>(0);
  for (const auto& [limit, delta] : {std::pair{5, 0}, {5, -1}, {-5, 1}}) {
    const absl::Status status = RunFor(*session, zero, limit, delta).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("Invalid start/limit/delta: 0 ", limit,
                                       " ", delta)));
  }
  EXPECT_THAT(std::string(RunFor(*session, Tensor::Vector<int32_t>({0}), 5, 1)
                              .status()
                              .message()),
              HasSubstr("start must be a scalar, but [1]"));
}

TEST(FunctionCallsTest, ALoopEndsWithTheErrorOfItsBody) {
  const auto session =
      Open(ForLoop(InnerNode("square", "MatMul", {"a0", "a0"}, Float()) +
                   Return("square:product:0")));
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(std::string(RunFor(*session, Tensor::Scalar<int32_t>(0), 5, 1)
                              .status()
                              .message()),
              HasSubstr("[[{{node body/square}}]]"));
}

// Lowering makes the gradient while it plans the body of the loop. The gradient
// of a function that calls itself calls itself, too.
TEST(FunctionCallsTest, AFunctionMayCallAGradientThatItsPlanHasMade) {
  const std::string again = FunctionText(
      "again", 1, "DT_FLOAT",
      InnerNode("neg", "Neg", {"a0"}, Float()) +
          InnerNode("call", "again", {"neg:y:0"}) + Return("call:r:0"));
  const auto session =
      Open(again + ForLoop(InnerNode("dx", "SymbolicGradient", {"a0", "a0"},
                                     Floats("Tin", 2) + Floats("Tout", 1) +
                                         Func("f", "again")) +
                           Return("dx:output:0")));
  ASSERT_NE(session, nullptr);
  const absl::Status status =
      RunFor(*session, Tensor::Scalar<int32_t>(0), 1, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("nest deeper than"));
}

TEST(FunctionCallsTest, ARemoteCallNeedsADeviceOfTheTask) {
  const auto session = Open(
      FunctionText(
          "negate", 1, "DT_FLOAT",
          InnerNode("neg", "Neg", {"a0"}, Float()) + Return("neg:y:0")) +
      NodeText("target", "Placeholder", {}, Attr("dtype", "type: DT_STRING")) +
      FloatPlaceholder("x") +
      NodeText("y", "RemoteCall", {"target", "x"},
               Floats("Tin", 1) + Floats("Tout", 1) + Func("f", "negate")));
  ASSERT_NE(session, nullptr);
  const auto run = [&](const std::string& target) {
    return session
        ->Run({.feeds = {{"target", Tensor::Scalar<std::string>(target)},
                         {"x", Tensor::Scalar(3.0f)}},
               .fetches = {"y"}})
        .status();
  };
  EXPECT_EQ(run("/cpu:0"), absl::OkStatus());
  const absl::Status missing = run("/cpu:7");
  EXPECT_EQ(missing.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(
      std::string(missing.message()),
      HasSubstr("Currently don't support instantiating functions on "
                "device: /job:localhost/replica:0/task:0/device:CPU:7"));
  EXPECT_THAT(std::string(run("hello").message()),
              HasSubstr("Could not parse hello into a device specification."));
}

}  // namespace
}  // namespace leat::function_calls_test
