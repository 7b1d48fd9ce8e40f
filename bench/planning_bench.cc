// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures the time from the bytes of a GraphDef to a step that can run, on 8
// CPU devices: parsing, import, preparation (lowering and placement), planning
// (pruning, optimization and partition) and compilation.
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
BENCHMARK_CAPTURE(PlanLayered, off, OptimizeLevel::kOff)
    ->Name("import")
    ->Apply(Sizes);
BENCHMARK_CAPTURE(PlanLayered, on, OptimizeLevel::kOn)
    ->Name("import_optimized")
    ->Apply(Sizes);

}  // namespace
}  // namespace leat::bench

BENCHMARK_MAIN();
