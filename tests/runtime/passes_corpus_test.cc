// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that passes change no result. The test runs every graph of
// tests/graphs, and some graphs that are built here. A graph must give the same
// values and the same dead tensors with and without each pass, and with the
// passes of each phase in reversed order. Each step fetches one output, so each
// output is the end of an optimized graph in one of the steps.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"

namespace leat::passes_corpus_test {
namespace {

using testing::SimulatedClock;

// Describes a selection of passes.
struct Variant {
  std::string name;
  PassRegistry passes;
};

std::vector<Variant> Variants() {
  std::vector<Pass> all(BuiltinPasses().passes().begin(),
                        BuiltinPasses().passes().end());
  std::vector<Variant> variants(2);
  variants[0].name = "all passes";
  for (const Pass& pass : all) variants[0].passes.Add(pass);
  for (const Pass& pass : all) {
    Variant only{absl::StrCat("only ", pass.name), {}};
    Variant without{absl::StrCat("all but ", pass.name), {}};
    for (const Pass& other : all) {
      (other.name == pass.name ? only : without).passes.Add(other);
    }
    variants.push_back(std::move(only));
    variants.push_back(std::move(without));
  }
  std::reverse(all.begin(), all.end());
  variants[1].name = "reversed order";
  for (const Pass& pass : all) variants[1].passes.Add(pass);
  return variants;
}

bool Fuses(const Variant& variant) {
  for (const Pass& pass : variant.passes.passes()) {
    if (pass.phase == Phase::kFuse) return true;
  }
  return false;
}

// Returns whether the tensors are equal: bit by bit if `exactly` is true, and
// otherwise within 1e-6 of the largest value.
bool AreSame(const Tensor& a, const Tensor& b, bool exactly) {
  if (exactly || a.dtype() != DType::kFloat || b.dtype() != DType::kFloat) {
    return Identical(a, b);
  }
  if (a.shape() != b.shape()) return false;
  const auto x = a.data<float>(), y = b.data<float>();
  float largest = 0;
  for (const float value : x) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    if (!(std::fabs(x[i] - y[i]) <= 1e-6f * largest)) return false;
  }
  return true;
}

std::shared_ptr<Session> Open(const Graph& graph, const Variant* variant,
                              int num_cpus, Clock& clock) {
  LocalSessionOptions options;
  options.clock = &clock;
  options.devices = {.num_cpus = num_cpus, .num_threads = 2};
  options.optimizer.level =
      variant == nullptr ? OptimizeLevel::kOff : OptimizeLevel::kOn;
  if (variant != nullptr) options.passes = &variant->passes;
  auto session = NewLocalSession(graph, options);
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *session : nullptr;
}

// Compares the results of a step. Returns a description of the difference, or
// "" if there is none.
std::string Difference(const absl::StatusOr<std::vector<Tensor>>& expected,
                       const absl::StatusOr<std::vector<Tensor>>& actual,
                       bool exactly) {
  if (expected.status().code() != actual.status().code()) {
    return absl::StrCat(expected.status().ToString(), "\nbecame\n",
                        actual.status().ToString());
  }
  if (!expected.ok()) return "";
  for (size_t i = 0; i < expected->size(); ++i) {
    if (AreSame((*expected)[i], (*actual)[i], exactly)) continue;
    return absl::StrCat("fetch ", i, ": ", (*expected)[i].DebugString(),
                        " became ", (*actual)[i].DebugString());
  }
  return "";
}

Tensor FeedValue(DType type, const PartialShape& shape, int seed) {
  Dims dims;
  for (const int64_t extent : shape.dims())
    dims.push_back(std::max<int64_t>(extent, 0));
  for (int i = 0; i < shape.rank(); ++i) {
    if (!shape.dim_known(i)) dims[i] = 2;
  }
  const Shape known = Shape::Create(dims).value();
  const auto fill = [&](auto from) {
    using T = decltype(from(0));
    Tensor tensor = Tensor::Filled<T>(known, T{});
    auto data = tensor.mutable_data<T>();
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = from(static_cast<int>(i));
    return tensor;
  };
  switch (type) {
    case DType::kFloat:
      return fill([&](int i) {
        return seed == 0 ? 3.0f + static_cast<float>(i % 5)
                         : static_cast<float>((i * 7) % 11) / 2 - 0.7f;
      });
    case DType::kInt32:
      return fill([&](int i) { return int32_t{(i + seed) % 3}; });
    case DType::kInt64:
      return fill([&](int i) { return int64_t{(i + seed) % 3}; });
    case DType::kBool:
      return fill([&](int) { return seed % 2 == 0; });
    default:
      return Tensor();
  }
}

// Is the timeout of steps, in simulated time. A step that waits for something
// that never comes reaches its timeout at once. No other step reaches its
// timeout.
constexpr std::chrono::seconds kTimeout(2);

// Describes the steps that several sessions of a graph run in the same way.
struct Steps {
  std::vector<std::string> init;
  std::vector<RunArgs> runs;
};

// Returns steps that each fetch one output.
Steps FetchEverything(const Graph& graph) {
  Steps steps;
  std::vector<Feed> feeds[2];
  std::vector<std::string> fetches;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (node.op() == "Placeholder") {
      const auto shape = node.attrs().GetOr<PartialShape>("shape", {});
      for (int seed = 0; seed < 2; ++seed) {
        Tensor value = FeedValue(node.output_type(0),
                                 shape.value_or(PartialShape()), seed);
        if (value.IsValid()) feeds[seed].push_back({node.name(), value});
      }
      continue;
    }
    const bool is_assign =
        node.op() == "Assign" || node.op() == "AssignVariableOp";
    if (is_assign && absl::EndsWith(node.name(), "Assign")) {
      steps.init.push_back(node.name());
    }
    if (node.name() == "init") steps.init.push_back("init");
    for (int i = 0; i < node.num_outputs(); ++i) {
      const DType type = node.output_type(i);
      if (IsRef(type) || type == DType::kResource || type == DType::kVariant) {
        continue;
      }
      fetches.push_back(absl::StrCat(node.name(), ":", i));
    }
  }
  // If there are many outputs, fetches some of them, evenly spread.
  constexpr size_t kMaxFetches = 40;
  const size_t stride = (fetches.size() + kMaxFetches - 1) / kMaxFetches;
  for (const std::vector<Feed>& fed : feeds) {
    for (size_t i = 0; i < fetches.size(); i += stride) {
      RunArgs run{.feeds = fed, .fetches = {fetches[i]}};
      run.options.timeout = kTimeout;
      steps.runs.push_back(std::move(run));
    }
  }
  return steps;
}

// Expects that every variant gives the results that the graph gives without
// passes. Returns the number of steps that gave values.
int ExpectSameResults(const std::string& what, const Graph& graph,
                      const Steps& steps, int num_cpus) {
  SimulatedClock clock;
  using Results = std::vector<absl::StatusOr<std::vector<Tensor>>>;
  const auto run = [&](const Variant* variant) {
    Results results;
    const std::shared_ptr<Session> session =
        Open(graph, variant, num_cpus, clock);
    if (session == nullptr) return results;
    for (const std::string& init : steps.init) {
      results.push_back(session->Run({.targets = {init}}));
    }
    for (const RunArgs& args : steps.runs) {
      results.push_back(session->Run(args));
      EXPECT_FALSE(absl::IsDeadlineExceeded(results.back().status()))
          << what << ": " << args.fetches[0].text;
    }
    return results;
  };
  const Results expected = run(nullptr);
  int num_ok = 0;
  for (const auto& result : expected) num_ok += result.ok() ? 1 : 0;
  for (const Variant& variant : Variants()) {
    const Results actual = run(&variant);
    EXPECT_EQ(actual.size(), expected.size());
    if (actual.size() != expected.size()) return 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string step =
          i < steps.init.size()
              ? steps.init[i]
              : steps.runs[i - steps.init.size()].fetches[0].text;
      EXPECT_EQ(Difference(expected[i], actual[i], !Fuses(variant)), "")
          << what << ", " << variant.name << ", step " << i << ": " << step;
    }
  }
  return num_ok;
}

TEST(PassesCorpusTest, ChangeNoResultOfTensorFlowsGraphs) {
  int num_graphs = 0, num_ok = 0;
  const std::string folder = absl::StrCat(LEAT_TESTS_DIR, "/graphs");
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".pbtxt") continue;
    // The nodes of this graph request devices of a cluster.
    if (entry.path().filename() == "attr_kinds.pbtxt") continue;
    auto graph = LoadGraph(entry.path().string(), BuiltinOps());
    ASSERT_TRUE(graph.ok()) << graph.status();
    const int values = ExpectSameResults(entry.path().filename().string(),
                                         *graph, FetchEverything(*graph), 2);
    num_graphs += values > 0 ? 1 : 0;
    num_ok += values;
  }
  EXPECT_GE(num_graphs, 21);
  EXPECT_GE(num_ok, 787);
}

// Computes x > 1 ? 5 : f(x). The constants of each branch wait for an Identity
// of the predicate. Both branches contain arithmetic that passes simplify.
TEST(PassesCorpusTest, ChangeNoResultOfBranches) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  const Output pred = op::Greater(x, 1.0f);
  const auto data = op::Switch(x, pred);
  const auto gate = op::Switch(pred, pred);
  Output no, yes;
  {
    const Output pivot = op::Identity(gate.output_false);
    auto scope = b.ControlDependencies({pivot.operation()});
    const Output one = b.Const(1.0f);
    no = op::Mul(op::Mul(data.output_false, one), op::AddV2(one, one));
    no = op::Identity(op::Neg(op::Neg(no)));
  }
  {
    const Output pivot = op::Identity(gate.output_true);
    auto scope = b.ControlDependencies({pivot.operation()});
    yes = op::AddV2(b.Const(2.0f), b.Const(3.0f));
  }
  const auto merged = op::Merge({no, yes});
  const Output y = op::Identity(op::Mul(merged.output, 1.0f));
  op::Square(y);
  op::Cast(op::Identity(merged.value_index), DType::kFloat);
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_GE(ExpectSameResults("branches", *graph, FetchEverything(*graph), 1),
            20);
}

Output Mlp(Output images) {
  return nn::Dense(
      nn::Dense(nn::Flatten(images), {.units = 16, .activation = nn::relu}),
      {.units = 10});
}

Output Cnn(Output images) {
  Output h =
      nn::Conv2D(images, {.filters = 4, .kernel = 3, .activation = nn::relu});
  h = nn::MaxPool(h, {.size = 2});
  h = nn::Conv2D(h, {.filters = 6, .kernel = 3, .activation = nn::relu});
  return nn::Dense(nn::Flatten(h), {.units = 10});
}

void ExpectSameTraining(const std::string& what, Output (*network)(Output),
                        const nn::Optimizer& optimizer, int num_cpus) {
  GraphBuilder b;
  b.SetSeed(7);
  const Output images = b.Placeholder<float>("images", {-1, 12, 12, 1});
  const Output labels = b.Placeholder<int32_t>("labels", {-1});
  Output logits;
  {
    auto scope = b.OnDevice(num_cpus > 1 ? "/cpu:1" : "/cpu:0");
    logits = network(images / 10.0f);
  }
  const Output loss = nn::SparseSoftmaxCrossEntropy(labels, logits);
  const Operation step = optimizer.Minimize(loss);
  Steps steps;
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  steps.init = {graph->init_op()};
  const std::vector<Feed> feeds = {
      {images, FeedValue(DType::kFloat, {8, 12, 12, 1}, 1)},
      {labels, FeedValue(DType::kInt32, {8}, 1)}};
  for (int i = 0; i < 5; ++i) {
    steps.runs.push_back(
        {.feeds = feeds, .fetches = {loss, logits}, .targets = {step}});
  }
  for (const Variable& variable : b.variables()) {
    steps.runs.push_back({.fetches = {variable.value()}});
  }
  EXPECT_EQ(ExpectSameResults(what, *graph, steps, num_cpus),
            static_cast<int>(1 + steps.runs.size()));
}

TEST(PassesCorpusTest, ChangeNoTrainingStep) {
  ExpectSameTraining("MLP", &Mlp, nn::GradientDescent({.learning_rate = 0.1}),
                     1);
  ExpectSameTraining("MLP, two devices", &Mlp,
                     nn::Adam({.learning_rate = 1e-3}), 2);
  ExpectSameTraining("CNN", &Cnn, nn::Momentum({.learning_rate = 0.02}), 1);
}

// Checks relu, relu6, elu, tanh and sigmoid in the fused kernels that passes
// make.
TEST(PassesCorpusTest, FusedKernelsGiveWhatSingleOnesGive) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {3, 70});
  const Output w = b.Placeholder<float>("w", {70, 33});
  const Output bias = b.Placeholder<float>("bias", {33});
  const Output image = b.Placeholder<float>("image", {5, 9, 7, 3});
  const Output planes = b.Placeholder<float>("planes", {5, 3, 9, 7});
  const Output filter = b.Placeholder<float>("filter", {3, 3, 3, 6});
  const Output channels = b.Placeholder<float>("channels", {6});
  using Activation = Output (*)(Output);
  const Activation activations[] = {[](Output y) { return y; },
                                    [](Output y) { return op::Relu(y); },
                                    [](Output y) { return op::Relu6(y); },
                                    [](Output y) { return op::Elu(y); },
                                    [](Output y) { return op::Tanh(y); },
                                    [](Output y) { return op::Sigmoid(y); }};
  std::vector<TensorName> fetches;
  for (const Activation activation : activations) {
    fetches.push_back(activation(op::BiasAdd(op::MatMul(x, w) / 50.0f, bias)));
    fetches.push_back(activation(op::BiasAdd(op::MatMul(x, w), bias)));
    fetches.push_back(activation(op::BiasAdd(
        op::Conv2D(image, filter, {1, 2, 1, 1}, "SAME"), channels)));
    fetches.push_back(
        activation(op::BiasAdd(op::Conv2D(planes, filter, {1, 1, 1, 1}, "VALID",
                                          {.data_format = "NCHW"}),
                               channels, {.data_format = "NCHW"})));
  }
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  Steps steps;
  std::vector<Feed> feeds;
  for (const Output& feed : {x, w, bias, image, planes, filter, channels}) {
    const PartialShape shape = graph->node(feed.operation().id())
                                   .attrs()
                                   .Get<PartialShape>("shape")
                                   .value();
    Tensor value = FeedValue(DType::kFloat, shape, 1);
    for (float& element : value.mutable_data<float>()) element /= 20;
    if (feed.name() == bias.name()) {
      value.mutable_data<float>()[4] = std::nanf("");
      value.mutable_data<float>()[5] = -INFINITY;
    }
    feeds.push_back({feed, value});
  }
  steps.runs.push_back({.feeds = feeds, .fetches = fetches});
  EXPECT_EQ(ExpectSameResults("fused", *graph, steps, 1), 1);
}

TEST(PassesCorpusTest, FusedKernelsRefuseWhatSingleOnesRefuse) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  const Output w = b.Placeholder<float>("w");
  const Output bias = b.Placeholder<float>("bias");
  const Output image = b.Placeholder<float>("image");
  const Output filter = b.Placeholder<float>("filter");
  const Output y = op::Relu(op::BiasAdd(op::MatMul(x, w), bias));
  const Output z = op::Relu(
      op::BiasAdd(op::Conv2D(image, filter, {1, 1, 1, 1}, "SAME"), bias));
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto value = [](const Shape& shape) {
    return Tensor::Filled<float>(shape, 0.5f);
  };
  Steps steps;
  const auto add = [&](const Shape& left, const Shape& right,
                       const Shape& biases) {
    const bool is_matmul = right.rank() == 2;
    steps.runs.push_back({.feeds = {{is_matmul ? x : image, value(left)},
                                    {is_matmul ? w : filter, value(right)},
                                    {bias, value(biases)}},
                          .fetches = {is_matmul ? y : z}});
  };
  add({2, 3}, {3, 4}, {4});
  add({0, 3}, {3, 4}, {4});
  add({2, 0}, {0, 4}, {4});
  add({0, 5, 5, 2}, {3, 3, 2, 4}, {4});
  add({1, 5, 5, 2}, {3, 3, 2, 4}, {4});
  constexpr int kGood = 5;
  add({2, 3}, {3, 4}, {3});
  add({2, 3}, {3, 4}, {1, 4});
  add({2, 3}, {3, 4}, {});
  add({2, 3}, {4, 4}, {4});
  add({2}, {4, 4}, {4});
  add({1, 5, 5, 2}, {3, 3, 2, 4}, {2});
  add({1, 5, 5, 3}, {3, 3, 2, 4}, {4});
  add({5, 5, 2}, {3, 3, 2, 4}, {4});
  EXPECT_EQ(ExpectSameResults("fused", *graph, steps, 1), kGood);
}

class NodeNames final : public StepObserver {
 public:
  void OnNodeRun(const NodeRun& run) override {
    MutexLock lock(mutex_);
    names_.emplace_back(run.node);
  }
  std::vector<std::string> Take() {
    MutexLock lock(mutex_);
    return std::move(names_);
  }

 private:
  Mutex mutex_;
  std::vector<std::string> names_ ABSL_GUARDED_BY(mutex_);
};

TEST(PassesCorpusTest, ATargetRunsThoughNobodyNeedsIt) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  const Operation group = b.Group({op::Neg(x).operation()}, "all");
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewLocalSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  NodeNames names;
  RunArgs args{.feeds = {{x, Tensor::Scalar(4.0f)}}, .targets = {group}};
  args.options.observer = &names;
  ASSERT_TRUE((*session)->Run(args).ok());
  EXPECT_THAT(names.Take(),
              ::testing::UnorderedElementsAre("_arg_x_0", "Neg", "all"));
}

TEST(PassesCorpusTest, ASessionOptimizesUnlessToldNotTo) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  const Output y =
      op::Identity(op::Mul(x, 1.0f)) + op::AddV2(b.Const(1.0f), 2.0f);
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  size_t counts[2];
  for (const OptimizeLevel level : {OptimizeLevel::kOff, OptimizeLevel::kOn}) {
    auto session = NewLocalSession(*graph, {.optimizer = {.level = level}});
    ASSERT_TRUE(session.ok()) << session.status();
    NodeNames names;
    RunArgs args{.feeds = {{x, Tensor::Scalar(4.0f)}}, .fetches = {y}};
    args.options.observer = &names;
    auto out = (*session)->Run(args);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), 7);
    counts[level == OptimizeLevel::kOn ? 1 : 0] = names.Take().size();
  }
  EXPECT_EQ(counts[1], 4);  // _Arg, Const, AddV2, _Retval
  EXPECT_EQ(counts[0], 9);
}

}  // namespace
}  // namespace leat::passes_corpus_test
