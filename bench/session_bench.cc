// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What a step costs besides its kernels: the graphs of TensorFlow's C API peer
// (null step; feed, add, fetch; 1,000 scalar Adds as a chain, a star and a
// layered random DAG), and how long planning takes.
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "leat/core/check.h"
#include "leat/graph/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"

namespace leat {
namespace {

constexpr int kAdds = 1000;
constexpr int kLayers = 11;
constexpr int kWidth = 100;

// A session whose one step is run over and over. Feeds x if it is not empty.
class Steps {
 public:
  Steps(GraphBuilder& b, CallableArgs args) {
    Graph graph = b.Build().value();
    session_ = NewLocalSession(graph).value();
    if (!graph.init_op().empty()) {
      LEAT_CHECK(session_->Run({.targets = {graph.init_op()}}).ok());
    }
    callable_ = session_->MakeCallable(args).value();
  }

  void Run(absl::Span<const Tensor> feeds) {
    auto out = callable_(feeds);
    LEAT_CHECK(out.ok());
    benchmark::DoNotOptimize(out);
  }

 private:
  std::shared_ptr<Session> session_;
  Callable callable_;
};

void PerNode(benchmark::State& state, int64_t nodes) {
  state.counters["nodes"] = static_cast<double>(nodes);
  state.counters["per_node"] =
      benchmark::Counter(static_cast<double>(nodes),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

void NullStep(benchmark::State& state) {
  GraphBuilder b;
  Steps steps(b, {.targets = {b.Group({})}});
  for (auto _ : state) steps.Run({});
}
BENCHMARK(NullStep);

void FeedAddFetch(benchmark::State& state) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  Steps steps(b, {.feeds = {x}, .fetches = {x + 1.0f}});
  const Tensor feed = Tensor::Scalar(1.0f);
  for (auto _ : state) steps.Run({feed});
}
BENCHMARK(FeedAddFetch);

// `build` gives the operations to wait for, made from x and a constant.
template <class Build>
void RunAdds(benchmark::State& state, int64_t num_adds, Build build) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  const Output one = b.Const(1.0f);
  const std::vector<Operation> ends = build(x, one);
  Steps steps(b, {.feeds = {x}, .targets = {b.Group(ends)}});
  const Tensor feed = Tensor::Scalar(1.0f);
  for (auto _ : state) steps.Run({feed});
  PerNode(state, num_adds);
}

void AddChain(benchmark::State& state) {
  RunAdds(state, kAdds, [](Output x, Output one) {
    for (int i = 0; i < kAdds; ++i) x = op::AddV2(x, one);
    return std::vector<Operation>{x.operation()};
  });
}
BENCHMARK(AddChain);

void AddStar(benchmark::State& state) {
  RunAdds(state, kAdds, [](Output x, Output one) {
    std::vector<Operation> ends;
    for (int i = 0; i < kAdds; ++i) {
      ends.push_back(op::AddV2(x, one).operation());
    }
    return ends;
  });
}
BENCHMARK(AddStar);

void AddDag(benchmark::State& state) {
  RunAdds(state, kLayers * kWidth, [](Output x, Output one) {
    std::vector<Output> layer(kWidth, x);
    for (int i = 0; i < kWidth; ++i) layer[i] = op::AddV2(x, one);
    for (int l = 1; l < kLayers; ++l) {
      std::vector<Output> next;
      for (int i = 0; i < kWidth; ++i) {
        next.push_back(op::AddV2(layer[i], layer[(i * 7 + 1) % kWidth]));
      }
      layer = next;
    }
    std::vector<Operation> ends;
    for (const Output& output : layer) ends.push_back(output.operation());
    return ends;
  });
}
BENCHMARK(AddDag);

// Import is measured elsewhere: this is prepare, plan and compile.
void PlanChain(benchmark::State& state) {
  const int64_t num_nodes = state.range(0);
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  const Output one = b.Const(1.0f);
  for (int64_t i = 0; i < num_nodes; ++i) x = op::AddV2(x, one);
  const Graph graph = b.Build().value();
  for (auto _ : state) {
    auto session = NewLocalSession(graph).value();
    auto callable = session->MakeCallable({.targets = {x.operation()}});
    LEAT_CHECK(callable.ok());
  }
  PerNode(state, num_nodes);
}
BENCHMARK(PlanChain)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace leat

BENCHMARK_MAIN();
