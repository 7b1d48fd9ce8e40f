// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures steps of the cases of cases.h, which show dispatch, loops, training
// and matrix products. TensorFlow runs the same graphs
// (peers/tensorflow_c_api.cc).
#include <string>

#include "benchmark/benchmark.h"
#include "leat/bench/cases.h"
#include "leat/bench/steps.h"

namespace leat::bench {
namespace {

void Add(const std::string& name, LastSteps& last) {
  benchmark::RegisterBenchmark(name.c_str(), [name,
                                              &last](benchmark::State& state) {
    const auto make = [&name] { return MakeCase(name); };
    RunSteps(state, last.Get(name, make));
  })->UseRealTime();
}

}  // namespace
}  // namespace leat::bench

int main(int argc, char** argv) {
  leat::bench::LastSteps last;
  for (const std::string& name : leat::bench::CaseNames()) {
    leat::bench::Add(name, last);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
