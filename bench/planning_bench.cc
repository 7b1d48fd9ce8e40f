// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures the time from the bytes of a GraphDef to a step that can run, on 8
// CPU devices: parsing, import, preparation (lowering and placement), planning
// (pruning, optimization and partition) and compilation. Also measures how long
// it takes to extend such a graph by ten nodes, and to run them once.
#include <algorithm>
#include <chrono>
#include <string>

#include "benchmark/benchmark.h"
#include "leat/bench/cases.h"
#include "leat/core/check.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"

namespace leat::bench {
namespace {

void PlanLayered(benchmark::State& state, OptimizeLevel level) {
  const int64_t num_nodes = state.range(0);
  std::string bytes;
  CallableArgs args;
  {
    const Case c = MakeLayered(num_nodes);
    LEAT_CHECK(c.graph.num_nodes() == num_nodes);
    pb::GraphDef exported;
    LEAT_CHECK(ExportGraphDef(c.graph, exported).ok());
    LEAT_CHECK(exported.SerializeToString(&bytes));
    args = ArgsOf(c);
  }
  for (auto _ : state) {  // excludes the time to free everything
    const auto start = std::chrono::steady_clock::now();
    pb::GraphDef graph_def;
    LEAT_CHECK(graph_def.ParseFromString(bytes));
    auto graph = ImportGraphDef(graph_def, BuiltinOps());
    LEAT_CHECK(graph.ok());
    LocalSessionOptions options;
    options.devices.num_cpus = kLayeredDevices;
    options.optimizer.level = level;
    auto session = NewLocalSession(*graph, options);
    LEAT_CHECK(session.ok());
    auto callable = (*session)->MakeCallable(args);
    LEAT_CHECK(callable.ok());
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
  }
  state.counters["nodes"] = static_cast<double>(num_nodes);
  state.counters["per_op"] =
      benchmark::Counter(static_cast<double>(num_nodes),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->RangeMultiplier(10)
      ->Range(10'000, 1'000'000)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}
// Extends the graph of one session again and again. The counter "slowest" is
// the time of the slowest extension in seconds. The first extension takes
// longer than the next ones, because it makes room for more nodes.
void Extend(benchmark::State& state, bool with_step) {
  const Case c = MakeLayered(state.range(0));
  LocalSessionOptions options;
  options.devices.num_cpus = kLayeredDevices;
  auto session = NewLocalSession(c.graph, options);
  LEAT_CHECK(session.ok());
  int number = 0;
  double slowest = 0;
  for (auto _ : state) {
    const Case addition = MakeExtension(++number);
    const auto start = std::chrono::steady_clock::now();
    LEAT_CHECK((*session)->Extend(addition.graph).ok());
    if (with_step) {
      LEAT_CHECK(
          (*session)
              ->Run({.feeds = addition.feeds, .fetches = addition.fetches})
              .ok());
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    slowest = std::max(slowest, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["slowest"] = slowest;
}

void Extensions(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(100'000)->UseManualTime()->Iterations(30)->Unit(
      benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(Extend, alone, false)->Name("extend")->Apply(Extensions);
BENCHMARK_CAPTURE(Extend, and_run, true)
    ->Name("extend_and_run")
    ->Apply(Extensions);

BENCHMARK_CAPTURE(PlanLayered, off, OptimizeLevel::kOff)
    ->Name("import")
    ->Apply(Sizes);
BENCHMARK_CAPTURE(PlanLayered, on, OptimizeLevel::kOn)
    ->Name("import_optimized")
    ->Apply(Sizes);

}  // namespace
}  // namespace leat::bench

BENCHMARK_MAIN();
