// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures the matrix product of oneDNN itself, on an OpenMP team of all cores,
// for comparison with Leat's MatMul op.
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"

namespace {

void Sgemm(benchmark::State& state) {
  const int64_t n = state.range(0);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (float& element : a) element = value(random);
  for (float& element : b) element = value(random);
  for (auto _ : state) {
    const auto status = dnnl_sgemm('N', 'N', n, n, n, 1, a.data(), n, b.data(),
                                   n, 0, c.data(), n);
    if (status != dnnl_success) state.SkipWithError("dnnl_sgemm failed");
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(Sgemm)
    ->Name("matmul")
    ->Arg(256)
    ->Arg(512)
    ->Arg(1024)
    ->Arg(2048)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
