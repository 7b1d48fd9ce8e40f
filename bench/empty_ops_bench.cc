// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures the cost of a node that does nothing. peers/tbb_bench.cc measures
// the same with oneTBB. If all nodes of a device do nothing, the executor runs
// them in a fixed order. In the cases ".../concurrent", the root is on another
// device than all other nodes. Then the executor has to count for each node how
// many of its inputs have arrived, and to keep lists of the nodes that are
// ready.
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "leat/bench/cases.h"
#include "leat/bench/steps.h"

namespace leat::bench {
namespace {

struct Named {
  const char* name;
  EmptyGraph shape;
};
constexpr Named kShapes[] = {{"chain", EmptyGraph::kChain},
                             {"star", EmptyGraph::kStar},
                             {"dag", EmptyGraph::kDag}};

void Add(const Named& named, int64_t nodes, bool concurrent, LastSteps& last) {
  const std::string name =
      absl::StrCat(named.name, "/", nodes, concurrent ? "/concurrent" : "");
  const EmptyGraph shape = named.shape;
  benchmark::RegisterBenchmark(
      name.c_str(),
      [name, shape, nodes, concurrent, &last](benchmark::State& state) {
        const auto make = [=] {
          return MakeEmpty(shape, nodes, concurrent ? "/cpu:1" : "",
                           concurrent ? "/cpu:0" : "");
        };
        RunSteps(state, last.Get(name, make, concurrent ? 2 : 1));
      })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace
}  // namespace leat::bench

int main(int argc, char** argv) {
  leat::bench::LastSteps last;
  for (const auto& shape : leat::bench::kShapes) {
    for (const int64_t nodes : {10'000, 100'000, 1'000'000}) {
      leat::bench::Add(shape, nodes, /*concurrent=*/false, last);
      leat::bench::Add(shape, nodes, /*concurrent=*/true, last);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
