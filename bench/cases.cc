// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/bench/cases.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/check.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"

namespace leat::bench {
namespace {

constexpr int kAdds = 1000;
constexpr int kLayers = 11;
constexpr int kWidth = 100;
constexpr int32_t kIterations = 1000;

Case Finish(GraphBuilder& b, Case c) {
  c.graph = b.Build().value();
  return c;
}

Case NewCase(absl::string_view name) {
  return {.name = std::string(name), .graph = Graph(BuiltinOps())};
}

Case NullStep() {
  GraphBuilder b;
  Case c = NewCase("null_step");
  c.targets = {b.Group({})};
  return Finish(b, std::move(c));
}

Case FeedAddFetch() {
  GraphBuilder b;
  Case c = NewCase("feed_add_fetch");
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  c.feeds = {{x, Tensor::Scalar(1.0f)}};
  c.fetches = {op::AddV2(x, b.Const(1.0f))};
  return Finish(b, std::move(c));
}

// Returns a case of Adds. `build` makes the Adds from `x` and the constant 1,
// and returns the operations that the step must run.
template <class Build>
Case Adds(absl::string_view name, int64_t num_adds, Build build) {
  GraphBuilder b;
  Case c = NewCase(name);
  c.per = num_adds;
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  const Output one = b.Const(1.0f);
  c.feeds = {{x, Tensor::Scalar(1.0f)}};
  const std::vector<Operation> ends = build(x, one);
  c.targets = {ends.size() == 1 ? ends[0] : b.Group(ends)};
  return Finish(b, std::move(c));
}

std::vector<Operation> Chain(Output x, Output one) {
  for (int i = 0; i < kAdds; ++i) x = op::AddV2(x, one);
  return {x.operation()};
}

std::vector<Operation> Star(Output x, Output one) {
  std::vector<Operation> ends;
  for (int i = 0; i < kAdds; ++i) {
    ends.push_back(op::AddV2(x, one).operation());
  }
  return ends;
}

std::vector<Operation> Dag(Output x, Output one) {
  std::vector<Output> layer(kWidth);
  for (Output& output : layer) output = op::AddV2(x, one);
  for (int l = 1; l < kLayers; ++l) {
    std::vector<Output> next;
    for (int i = 0; i < kWidth; ++i) {
      next.push_back(op::AddV2(layer[i], layer[(i * 7 + 1) % kWidth]));
    }
    layer = std::move(next);
  }
  std::vector<Operation> ends;
  for (const Output& output : layer) ends.push_back(output.operation());
  return ends;
}

// Returns a case that runs the loop `for (i = 0; i < n; ++i)`. The loop is made
// of TensorFlow's primitive ops, such as Enter and Merge. The builder's own
// While is not used, because planning would first have to lower it to these
// ops.
Case Loop() {
  GraphBuilder b;
  Case c = NewCase("loop");
  const Output limit =
      op::Enter(b.Const(kIterations), "loop", {.is_constant = true});
  const Output one =
      op::Enter(b.Const(int32_t{1}), "loop", {.is_constant = true});
  const Output enter = op::Enter(b.Const(int32_t{0}), "loop");
  const auto merge = op::Merge({enter, enter});
  const auto branches =
      op::Switch(merge.output, op::LoopCond(op::Less(merge.output, limit)));
  const Output next = op::NextIteration(op::AddV2(branches.output_true, one));
  c.fetches = {op::Exit(branches.output_false)};
  c = Finish(b, std::move(c));
  // The back edge is set here, because the builder cannot connect a node to a
  // node that is made later.
  c.graph.mutable_node(merge.output.operation().id()).inputs[1] =
      next.endpoint();
  c.per = 0;
  return c;
}

Case Unrolled() {
  GraphBuilder b;
  Case c = NewCase("unrolled");
  const Output limit = op::Identity(b.Const(kIterations));
  const Output one = op::Identity(b.Const(int32_t{1}));
  Output next = op::Identity(b.Const(int32_t{0}));
  std::vector<Operation> ends;
  for (int i = 0; i < kIterations; ++i) {
    const Output merge = op::Identity(next);
    const Output condition = op::Identity(op::Less(merge, limit));
    ends.push_back(condition.operation());
    next = op::Identity(op::AddV2(op::Identity(merge), one));
  }
  c.fetches = {op::Identity(next)};
  c.targets = {b.Group(ends)};
  c.per = 0;
  return Finish(b, std::move(c));
}

Output Mlp(Output images) {
  const Output h =
      nn::Dense(nn::Flatten(images), {.units = 128, .activation = nn::relu});
  return nn::Dense(h, {.units = 10});
}

Output Cnn(Output h) {
  h = nn::Conv2D(h, {.filters = 32, .kernel = 3, .activation = nn::relu});
  h = nn::MaxPool(h, {.size = 2});
  h = nn::Conv2D(h, {.filters = 64, .kernel = 3, .activation = nn::relu});
  h = nn::MaxPool(h, {.size = 2});
  h = nn::Dense(nn::Flatten(h), {.units = 128, .activation = nn::relu});
  return nn::Dense(h, {.units = 10});
}

// Returns a training step. `device` may be null.
Case Train(absl::string_view name, int64_t batch, Output (*model)(Output),
           DeviceFunction device = nullptr) {
  GraphBuilder b;
  b.SetSeed(1);
  std::optional<Scope> scope;
  if (device != nullptr) scope.emplace(b.OnDevice(std::move(device)));
  Case c = NewCase(name);
  c.optimize = true;
  const Output images = b.Placeholder<float>("images", {batch, 28, 28, 1});
  const Output labels = b.Placeholder<int32_t>("labels", {batch});
  const Output loss = nn::SparseSoftmaxCrossEntropy(labels, model(images));
  c.targets = {nn::GradientDescent({.learning_rate = 0.01}).Minimize(loss)};
  c.fetches = {loss};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> pixel;
  Tensor pixels = Tensor::Filled<float>(Shape{batch, 28, 28, 1}, 0);
  for (float& value : pixels.mutable_data<float>()) value = pixel(random);
  Tensor classes = Tensor::Filled<int32_t>(Shape{batch}, 0);
  for (int32_t& value : classes.mutable_data<int32_t>()) {
    value = static_cast<int32_t>(random() % 10);
  }
  c.feeds = {{images, pixels}, {labels, classes}};
  return Finish(b, std::move(c));
}

Case Product(absl::string_view name, int64_t n) {
  GraphBuilder b;
  Case c = NewCase(name);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<Output> factors;
  for (int i = 0; i < 2; ++i) {
    Tensor factor = Tensor::Filled<float>(Shape{n, n}, 0);
    for (float& element : factor.mutable_data<float>()) {
      element = value(random);
    }
    factors.push_back(b.Const(factor));
  }
  c.targets = {op::MatMul(factors[0], factors[1]).operation()};
  return Finish(b, std::move(c));
}

}  // namespace

std::vector<std::string> CaseNames() {
  return {"null_step",  "feed_add_fetch", "add_chain",  "add_star",
          "add_dag",    "loop",           "unrolled",   "mlp_32",
          "cnn_128",    "matmul_256",     "matmul_512", "matmul_1024",
          "matmul_2048"};
}

Case MakeCase(absl::string_view name) {
  if (name == "null_step") return NullStep();
  if (name == "feed_add_fetch") return FeedAddFetch();
  if (name == "add_chain") return Adds(name, kAdds, &Chain);
  if (name == "add_star") return Adds(name, kAdds, &Star);
  if (name == "add_dag") return Adds(name, kLayers * kWidth, &Dag);
  if (name == "loop") return Loop();
  if (name == "unrolled") return Unrolled();
  if (name == "mlp_32") return Train(name, 32, &Mlp);
  if (name == "cnn_128") return Train(name, 128, &Cnn);
  int64_t size = 0;
  absl::string_view number = name;
  LEAT_CHECK(absl::ConsumePrefix(&number, "matmul_") &&
             absl::SimpleAtoi(number, &size));
  return Product(name, size);
}

Case MakeTraining(absl::string_view name, DeviceFunction device) {
  if (name == "mlp_32") return Train(name, 32, &Mlp, std::move(device));
  LEAT_CHECK(name == "cnn_128");
  return Train(name, 128, &Cnn, std::move(device));
}

std::vector<std::pair<int64_t, int64_t>> DagEdges(int64_t num_nodes) {
  std::mt19937_64 random(1);
  std::vector<std::pair<int64_t, int64_t>> edges;
  edges.reserve(num_nodes);
  for (int64_t i = 0; i < num_nodes; ++i) {
    const auto pick = [&] {
      return static_cast<int64_t>(random() % (i + 1)) - 1;
    };
    const int64_t first = pick();
    const int64_t second = pick();
    edges.emplace_back(first, second);
  }
  return edges;
}

Case MakeEmpty(EmptyGraph shape, int64_t num_nodes, absl::string_view device,
               absl::string_view first_device) {
  GraphBuilder b;
  Case c = NewCase("empty");
  c.per = num_nodes;
  std::vector<std::pair<int64_t, int64_t>> edges;
  if (shape == EmptyGraph::kDag) edges = DagEdges(num_nodes);
  std::vector<Operation> nodes;
  std::vector<bool> is_waited_for(num_nodes + 1, false);
  {
    auto scope = b.OnDevice(first_device);
    nodes.push_back(b.Group({}));
  }
  auto scope = b.OnDevice(device);
  for (int64_t i = 0; i < num_nodes; ++i) {
    std::vector<int64_t> after = {shape == EmptyGraph::kChain ? i : 0};
    if (shape == EmptyGraph::kDag) {
      after = {edges[i].first + 1};
      if (edges[i].second != edges[i].first) {
        after.push_back(edges[i].second + 1);
      }
    }
    std::vector<Operation> operations;
    for (int64_t k : after) {
      operations.push_back(nodes[k]);
      is_waited_for[k] = true;
    }
    nodes.push_back(b.Group(operations));
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!is_waited_for[i]) c.targets.emplace_back(nodes[i]);
  }
  return Finish(b, std::move(c));
}

Case MakeLayered(int64_t num_nodes) {
  std::vector<std::string> devices;
  for (int i = 0; i < kLayeredDevices; ++i) {
    devices.push_back(absl::StrCat("/cpu:", i));
  }
  return MakeLayered(num_nodes, devices);
}

Case MakeLayeredOnTasks(int64_t num_nodes) {
  std::vector<std::string> devices;
  for (int i = 0; i < kLayeredTasks; ++i) {
    devices.push_back(absl::StrCat("/job:worker/task:", i));
  }
  Case c = MakeLayered(num_nodes, devices);
  c.name = absl::StrCat("layered_tasks_", num_nodes);
  return c;
}

Case MakeLayered(int64_t num_nodes, const std::vector<std::string>& devices) {
  const auto num_devices = static_cast<int64_t>(devices.size());
  constexpr int64_t kChains = 10;
  constexpr int64_t kWindow = 100;
  GraphBuilder b;
  Case c = NewCase(absl::StrCat("layered_", num_nodes));
  c.per = num_nodes;
  std::mt19937_64 random(1);
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  c.feeds = {{x, Tensor::Scalar(1.0f)}};
  std::vector<Output> nodes = {x};
  // Build() adds one more node, the initializer, which does nothing here.
  while (static_cast<int64_t>(nodes.size()) + 1 < num_nodes) {
    const auto done = static_cast<int64_t>(nodes.size());
    auto device = b.OnDevice(
        devices[static_cast<size_t>(done * num_devices / num_nodes)]);
    const auto back =
        static_cast<int64_t>(random() % std::min(done, kWindow)) + 1;
    nodes.push_back(op::AddV2(nodes[std::max<int64_t>(done - kChains, 0)],
                              nodes[done - back]));
  }
  for (size_t i = nodes.size() - kChains; i < nodes.size(); ++i) {
    c.targets.emplace_back(nodes[i].operation());
  }
  return Finish(b, std::move(c));
}

Case MakeExtension(int number) {
  GraphBuilder b;
  Case c = NewCase("extension");
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  c.feeds = {{x, Tensor::Scalar(1.0f)}};
  const auto scope = b.NameScope(absl::StrCat("extension", number));
  Output last = x;
  for (int i = 0; i < 10; ++i) last = op::AddV2(last, last);
  c.fetches = {last};
  return Finish(b, std::move(c));
}

std::vector<Tensor> FeedValues(const Case& c) {
  std::vector<Tensor> values;
  for (const Feed& feed : c.feeds) values.push_back(feed.value);
  return values;
}

CallableArgs ArgsOf(const Case& c) {
  CallableArgs args;
  for (const Feed& feed : c.feeds) args.feeds.push_back(feed.name);
  args.fetches = c.fetches;
  args.targets = c.targets;
  return args;
}

}  // namespace leat::bench
