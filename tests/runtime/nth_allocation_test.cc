// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes a session and runs its steps again and again. Each time, a different
// allocation of tensor memory fails: only this allocation, or this one and all
// later ones. The step must return RESOURCE_EXHAUSTED or the right results, the
// next steps must be right, and nothing may be left when the session is closed.
// The test runs on local sessions and on two tasks, both of which are in this
// process.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/protos/status.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/runtime/functional_graphs.h"
#include "leat/tests/runtime/loop_graphs.h"
#include "leat/tests/testing/failing_allocations.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/leaks.h"
#include "leat/tests/testing/nth_failure.h"
#include "leat/tests/testing/sanitizers.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/task_client.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"

namespace leat::nth_allocation_test {
namespace {

using testing::FailingAllocations;
using testing::kHasSanitizer;
using testing::NthFailure;

// Describes a graph, and steps that give the same results whenever they run in
// this order.
struct Program {
  std::string name;
  Graph graph;
  std::vector<RunArgs> steps;
};

Tensor Ramp(const Shape& shape) {
  Tensor tensor = Tensor::Filled(shape, 0.0f);
  float value = -1;
  for (float& each : tensor.mutable_data<float>()) each = value += 0.125f;
  return tensor;
}

// Runs kernels of many kinds: with scratch memory, with outputs whose sizes
// depend on values, with strings, and with a constant that is folded.
Program Kernels() {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {-1, 6});
  const Output name = b.Placeholder<std::string>("name", Shape{});
  const Output w = b.Const(Ramp({6, 5})) * 2.0f;
  const Output y = op::Relu(op::BiasAdd(op::MatMul(x, w), b.Const(Ramp({5}))));
  const Output flat = op::Reshape(y, Tensor::Vector<int32_t>({-1}));
  const Output rows = op::Cast(flat, DType::kInt32);
  const auto top = op::TopKV2(y, b.Const<int32_t>(2));
  const auto unique = op::Unique(rows);
  const std::vector<TensorName> fetches = {
      op::Softmax(y),
      op::Where(op::Greater(y, 0.5f)),
      op::ConcatV2({y, y}, 1),
      op::Transpose(y, Tensor::Vector<int32_t>({1, 0})),
      op::Sum(y, {0}),
      top.values,
      unique.y,
      op::OneHot(rows, b.Const<int32_t>(4), b.Const(1.0f), b.Const(0.0f)),
      op::StringJoin(b, {name, name}),
      op::DynamicPartition(
          flat, op::Cast(op::Greater(flat, 0.5f), DType::kInt32), 2)[1],
      op::Cumsum(y, b.Const<int32_t>(0))};
  return {.name = "kernels",
          .graph = b.Build().value(),
          .steps = {{.feeds = {{x, Ramp({4, 6})},
                               {name, Tensor::Scalar<std::string>("a name")}},
                     .fetches = fetches}}};
}

// Trains all variables of `b` and fetches the loss and the variables.
Program Training(std::string name, GraphBuilder& b, const Output& loss,
                 const nn::Optimizer& optimizer, std::vector<Feed> feeds) {
  const Operation train = optimizer.Minimize(loss);
  std::vector<TensorName> values;
  for (const Variable& variable : b.variables()) {
    values.push_back(variable.value());
  }
  Graph graph = b.Build().value();
  std::vector<RunArgs> steps;
  steps.push_back({.targets = {graph.init_op()}});
  for (int i = 0; i < 2; ++i) {
    steps.push_back({.feeds = feeds, .fetches = {loss}, .targets = {train}});
  }
  steps.push_back({.fetches = values});
  return {.name = std::move(name),
          .graph = std::move(graph),
          .steps = std::move(steps)};
}

Program Perceptron() {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {-1, 6});
  const Output labels = b.Placeholder<int32_t>("labels", {-1});
  const Variable w = b.Variable("w", b.Const(Ramp({6, 5})));
  const Variable bias = b.Variable("bias", b.Const(Ramp({5})));
  const Variable v = b.Variable("v", b.Const(Ramp({5, 3})));
  const Output hidden =
      op::Relu(op::BiasAdd(op::MatMul(x, w.value()), bias.value()));
  const Output loss =
      nn::SparseSoftmaxCrossEntropy(labels, op::MatMul(hidden, v.value()));
  return Training(
      "perceptron", b, loss, nn::Momentum({.learning_rate = 0.1}),
      {{x, Ramp({4, 6})}, {labels, Tensor::Vector<int32_t>({0, 1, 2, 1})}});
}

Program Convolution() {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {-1, 8, 8, 1});
  const Output labels = b.Placeholder<int32_t>("labels", {-1});
  const Variable filter = b.Variable("filter", b.Const(Ramp({3, 3, 1, 2})));
  const Variable v = b.Variable("v", b.Const(Ramp({32, 3})));
  Output h = op::Conv2D(x, filter.value(), {1, 1, 1, 1}, "SAME");
  h = op::MaxPool(op::Relu(h), {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
  h = op::Reshape(h, Tensor::Vector<int32_t>({-1, 32}));
  const Output loss =
      nn::SparseSoftmaxCrossEntropy(labels, op::MatMul(h, v.value()) / 50.0f);
  return Training(
      "convolution", b, loss, nn::Adam({.learning_rate = 0.01}),
      {{x, Ramp({2, 8, 8, 1})}, {labels, Tensor::Vector<int32_t>({0, 2})}});
}

Program Embedding() {
  GraphBuilder b;
  const Output ids = b.Placeholder<int32_t>("ids", {-1});
  const Variable table = b.Variable("table", b.Const(Ramp({7, 3})));
  const Output rows = nn::EmbeddingLookup({{table}}, ids);
  const Output loss = op::Sum(rows * rows, Tensor::Vector<int32_t>({0, 1}));
  return Training("embedding", b, loss, nn::Adagrad({.learning_rate = 0.1}),
                  {{ids, Tensor::Vector<int32_t>({3, 1, 3})}});
}

// A step that fails may leave an element in the queue or a gradient in the
// accumulator. The last step takes all elements and all gradients. All elements
// are equal, and all gradients are equal, so the results of the last step stay
// the same.
Program Queue() {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {3});
  const Output queue =
      op::FIFOQueueV2(b, {DType::kFloat}, {.shapes = {PartialShape{3}}});
  const Output all =
      op::QueueDequeueManyV2(queue, op::QueueSizeV2(queue), {DType::kFloat})[0];
  const Output accumulator =
      op::ConditionalAccumulator(b, DType::kFloat, PartialShape{3});
  const Operation apply =
      op::AccumulatorApplyGradient(accumulator, b.Const(int64_t{1} << 40), x);
  const Output mean =
      op::AccumulatorTakeGradient(accumulator, 1, DType::kFloat);
  const std::vector<Feed> feeds = {{x, Ramp({3})}};
  const Operation put = op::QueueEnqueueV2(queue, {x});
  const Output taken = op::Max(all, {0});
  return {.name = "queue",
          .graph = b.Build().value(),
          .steps = {{.feeds = feeds, .targets = {put, apply}},
                    {.fetches = {taken, mean}}}};
}

// Returns a program for each of TensorFlow's graphs with functional control
// flow.
std::vector<Program> Functional() {
  std::vector<Program> programs;
  for (const auto& [name, steps] : FunctionalSteps()) {
    auto graph = LoadGraph(FunctionalGraphPath(name), BuiltinOps());
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) continue;
    Program& program = programs.emplace_back(
        Program{.name = name, .graph = *std::move(graph), .steps = {}});
    constexpr size_t kMaxSteps = 3;
    for (const FunctionalStep& step : steps) {
      if (program.steps.size() == kMaxSteps) break;
      program.steps.push_back(step.Args());
    }
  }
  return programs;
}

// Returns programs that together exercise most features of a step.
std::vector<Program> SomePrograms() {
  std::vector<Program> programs;
  programs.push_back(Kernels());
  programs.push_back(Embedding());
  programs.push_back(Queue());
  return programs;
}

std::vector<Program> AllPrograms() {
  std::vector<Program> programs = SomePrograms();
  programs.push_back(Perceptron());
  programs.push_back(Convolution());
  for (Program& program : Functional()) programs.push_back(std::move(program));
  return programs;
}

// Makes sessions of one kind, and reports what closed sessions have left
// behind.
class Sessions {
 public:
  virtual ~Sessions() = default;
  // Returns a copy of the graph whose nodes request devices of these sessions.
  virtual Graph Placed(const Graph& graph) const = 0;
  virtual absl::StatusOr<std::shared_ptr<Session>> Open(const Graph& graph) = 0;
  // Returns the number of bytes of tensor memory in use.
  virtual int64_t LiveBytes() = 0;
  // Describes what closed sessions have left behind. Returns "" if nothing is
  // left.
  virtual std::string Leaks() { return ""; }
};

// Makes sessions on two devices of this process.
class LocalSessions final : public Sessions {
 public:
  Graph Placed(const Graph& graph) const override {
    return Dealt(graph, {"/cpu:0", "/cpu:1"}, /*seed=*/1);
  }
  absl::StatusOr<std::shared_ptr<Session>> Open(const Graph& graph) override {
    return NewLocalSession(graph, {.device_set = devices_, .clock = &clock_});
  }
  int64_t LiveBytes() override {
    int64_t bytes = 0;
    for (const auto& device : devices_->devices()) {
      bytes += device->allocator().stats().live_bytes;
    }
    return bytes;
  }

 private:
  testing::SimulatedClock clock_;
  const std::shared_ptr<DeviceSet> devices_ =
      DeviceSet::Create({.num_cpus = 2, .num_threads = 2}).value();
};

// Makes sessions on two tasks of one device each.
class ClusterSessions final : public Sessions {
 public:
  Graph Placed(const Graph& graph) const override {
    return Dealt(graph, {"/job:a/task:0", "/job:b/task:0"}, /*seed=*/1);
  }
  absl::StatusOr<std::shared_ptr<Session>> Open(const Graph& graph) override {
    return cluster_.NewSession(graph, tasks_[0]);
  }
  int64_t LiveBytes() override {
    int64_t bytes = 0;
    for (const TaskId& task : tasks_) {
      testing::TaskClient client(*transport_, cluster_.Address(task));
      pb::TaskStatusResponse status;
      const absl::Status called =
          client.Call(methods::kTaskStatus, pb::TaskStatusRequest(), status);
      EXPECT_TRUE(called.ok()) << called;
      bytes += status.memory().live_bytes();
    }
    return bytes;
  }
  std::string Leaks() override { return cluster_.Leaks(); }

 private:
  const std::vector<TaskId> tasks_ = {{"a", 0}, {"b", 0}};
  testing::SimulatedClock clock_;
  testing::InProcessCluster cluster_{{{"a", 1}, {"b", 1}}};
  const std::unique_ptr<Transport> transport_ =
      cluster_.transports().Create("in-process", {}).value();
};

using Results = std::vector<Tensor>;

// Runs the steps. Returns the fetched values of all steps, or the first error.
absl::StatusOr<Results> RunSteps(Session& session,
                                 const std::vector<RunArgs>& steps) {
  Results results;
  for (const RunArgs& step : steps) {
    LEAT_ASSIGN_OR_RETURN(const Results fetched, session.Run(step));
    results.insert(results.end(), fetched.begin(), fetched.end());
  }
  return results;
}

bool AreSame(const Results& a, const Results& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Identical(a[i], b[i])) return false;
  }
  return true;
}

class FailedAllocations {
 public:
  FailedAllocations(Sessions& sessions, const Program& program)
      : sessions_(sessions),
        program_(program),
        graph_(sessions.Placed(program.graph)) {
    ExpectRightSteps(nullptr);
    // The steps run a second time before the memory is measured, because the
    // second assignment of a variable may give it a different buffer.
    ExpectRightSteps(nullptr);
    live_bytes_ = sessions_.LiveBytes();
  }

  // Makes allocation `n` fail and checks the results. Returns false if the
  // steps make fewer than `n` allocations, or if the test has failed.
  bool Try(int64_t n, NthFailure::Which which) {
    SCOPED_TRACE(absl::StrCat(program_.name, ", allocation ", n));
    std::shared_ptr<Session> session;
    FailingAllocations failing(n, which);
    absl::StatusOr<Results> results = OpenAndRun(session);
    const int64_t num_failed = failing.Stop();
    CheckResults(std::move(results), num_failed);
    ExpectRightSteps(std::move(session));
    EXPECT_TRUE(testing::BecomesEmpty([&] {
      return sessions_.LiveBytes() == live_bytes_;
    })) << sessions_.LiveBytes()
        << " bytes are in use, not " << live_bytes_;
    return num_failed > 0 && !::testing::Test::HasFailure();
  }
  // Returns how often the steps returned RESOURCE_EXHAUSTED.
  int64_t num_refused() const { return num_refused_; }

 private:
  absl::StatusOr<Results> OpenAndRun(std::shared_ptr<Session>& session) {
    LEAT_ASSIGN_OR_RETURN(session, sessions_.Open(graph_));
    return RunSteps(*session, program_.steps);
  }

  // Expects the right results, or RESOURCE_EXHAUSTED if allocations failed.
  void CheckResults(absl::StatusOr<Results> results, int64_t num_failed) {
    if (results.ok()) {
      EXPECT_TRUE(AreSame(*results, expected_));
      return;
    }
    EXPECT_GT(num_failed, 0) << results.status();
    EXPECT_TRUE(absl::IsResourceExhausted(results.status()))
        << results.status();
    ++num_refused_;
  }

  // Runs the steps on `session`, or on a new session if `session` is null.
  // Expects the same results as in the first run. Closes the session.
  void ExpectRightSteps(std::shared_ptr<Session> session) {
    if (session == nullptr) {
      auto opened = sessions_.Open(graph_);
      ASSERT_TRUE(opened.ok()) << opened.status();
      session = *std::move(opened);
    }
    auto results = RunSteps(*session, program_.steps);
    ASSERT_TRUE(results.ok()) << program_.name << ": " << results.status();
    if (expected_.empty()) expected_ = *results;
    EXPECT_TRUE(AreSame(*results, expected_));
    EXPECT_TRUE(session->Close().ok());
    session.reset();
    EXPECT_EQ(sessions_.Leaks(), "");
  }

  Sessions& sessions_;
  const Program& program_;
  const Graph graph_;
  Results expected_;
  int64_t live_bytes_ = 0;
  int64_t num_refused_ = 0;
};

void FailEachAllocation(Sessions& sessions,
                        const std::vector<Program>& programs) {
  for (const auto which : {NthFailure::kOnlyOne, NthFailure::kAllFromThere}) {
    for (const Program& program : programs) {
      FailedAllocations failed(sessions, program);
      int64_t n = 1;
      while (failed.Try(n, which)) ++n;
      if (::testing::Test::HasFailure()) return;
      EXPECT_GT(failed.num_refused(), 0) << program.name;
    }
  }
}

// With a sanitizer, all programs would take a minute, so only some programs are
// tried.
TEST(NthAllocationTest, FailsInALocalSession) {
  LocalSessions sessions;
  FailEachAllocation(sessions, kHasSanitizer ? SomePrograms() : AllPrograms());
}

// All programs would take a minute on two tasks. Only `tools/test --full` tries
// all of them.
TEST(NthAllocationTest, FailsOnTwoTasks) {
  ClusterSessions sessions;
  const bool is_full = std::getenv("LEAT_TEST_FULL") != nullptr;
  FailEachAllocation(sessions, is_full ? AllPrograms() : SomePrograms());
}

}  // namespace
}  // namespace leat::nth_allocation_test
