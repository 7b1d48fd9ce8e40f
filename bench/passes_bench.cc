// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures the time that the passes of the optimizer take per node of a step.
// One graph, a chain of different Adds, gives the passes nothing to do. Three
// graphs give the passes a lot to do: one has equal nodes, one has constants to
// fold, and one is a chain of identities. In the graph "reshaped", a pass needs
// the shapes of all nodes. The program also measures how much faster the passes
// make a training step. It runs such steps with passes ("on") and without
// ("off"). To compare these steps, run the program with
// --benchmark_enable_random_interleaving --benchmark_repetitions=20.
#include <chrono>
#include <string>

#include "benchmark/benchmark.h"
#include "leat/bench/cases.h"
#include "leat/bench/steps.h"
#include "leat/core/check.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/runtime/constant_evaluator.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/local_session.h"

namespace leat {
namespace {

Output Chain(GraphBuilder& b, Output x, int64_t nodes) {
  const Output one = b.Const(1.0f);
  for (int64_t i = 0; i < nodes; ++i) x = op::AddV2(x, one);
  return x;
}

Output EqualAdds(GraphBuilder& b, Output x, int64_t nodes) {
  Output sum = x;
  const Output one = b.Const(1.0f);
  for (int64_t i = 0; i < nodes / 2; ++i) {
    sum = op::AddV2(sum, op::AddV2(x, one));
  }
  return sum;
}

Output Constants(GraphBuilder& b, Output x, int64_t nodes) {
  Output sum = b.Const(0.0f);
  const Output one = b.Const(1.0f);
  for (int64_t i = 0; i < nodes; ++i) sum = op::AddV2(sum, one);
  return x + sum;
}

Output Identities(GraphBuilder&, Output x, int64_t nodes) {
  for (int64_t i = 0; i < nodes; ++i) x = op::Identity(x);
  return x;
}

// Returns a Reshape of a chain. A pass needs the shapes of all nodes of the
// chain to see what the Reshape does.
Output Reshaped(GraphBuilder& b, Output x, int64_t nodes) {
  return op::Reshape(Chain(b, x, nodes), b.Const(Tensor::Vector<int32_t>({1})));
}

using Make = Output (*)(GraphBuilder&, Output, int64_t);

void Passes(benchmark::State& state, Make make) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  const Output y = make(b, x, state.range(0));
  auto graph = b.Build();
  auto devices = DeviceSet::Create({.num_threads = 1});
  LEAT_CHECK(graph.ok() && devices.ok());
  const std::vector<DeviceInfo> infos = (*devices)->Infos();
  PrepareOptions prepare;
  prepare.policies = &BuiltinPolicies();
  auto prepared = PrepareGraph(*graph, infos, prepare);
  LEAT_CHECK(prepared.ok());
  const auto evaluator =
      NewConstantEvaluator(BuiltinKernels(), (*devices)->compute_queue());
  const PlanOptions options{.passes = &BuiltinPasses(),
                            .evaluator = evaluator.get()};
  int64_t left = 0;
  for (auto _ : state) {
    auto step =
        PruneToStep(*prepared, {.feeds = {x.name()}, .fetches = {y.name()}});
    LEAT_CHECK(step.ok());
    const auto start = std::chrono::steady_clock::now();
    LEAT_CHECK(OptimizeStep(infos, options, *step).ok());
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
    left = step->graph.num_nodes();
  }
  state.counters["left"] = static_cast<double>(left);
  state.counters["per_node"] =
      benchmark::Counter(static_cast<double>(state.range(0)),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

void Step(benchmark::State& state, const std::string& name, bool optimize) {
  bench::Case c = bench::MakeCase(name);
  c.optimize = optimize;
  bench::Steps steps(c);
  bench::RunSteps(state, steps);
}

void RegisterStep(const std::string& name, bool optimize) {
  benchmark::RegisterBenchmark(
      (name + (optimize ? "/on" : "/off")).c_str(),
      [=](benchmark::State& state) { Step(state, name, optimize); })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

void Register(const std::string& name, Make make) {
  benchmark::RegisterBenchmark(
      name.c_str(), [make](benchmark::State& state) { Passes(state, make); })
      ->Arg(10'000)
      ->Arg(100'000)
      ->Arg(1'000'000)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace leat

int main(int argc, char** argv) {
  leat::Register("chain", &leat::Chain);
  leat::Register("equal", &leat::EqualAdds);
  leat::Register("constants", &leat::Constants);
  leat::Register("identities", &leat::Identities);
  leat::Register("reshaped", &leat::Reshaped);
  for (const char* name : {"mlp_32", "cnn_128"}) {
    for (const bool optimize : {false, true})
      leat::RegisterStep(name, optimize);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
