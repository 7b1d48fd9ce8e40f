// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures what a step in a steady state takes from the system. The counter
// "mallocs" is the number of calls of malloc, calloc and similar functions per
// step. The counter "system_buffers" is the number of blocks per step that the
// devices' allocators take from the system. The program replaces malloc by a
// version that counts the calls. Therefore the program is linked without
// tcmalloc, and its times mean nothing.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

#include "benchmark/benchmark.h"
#include "leat/bench/cases.h"
#include "leat/bench/steps.h"

namespace {

std::atomic<int64_t> num_mallocs{0};

void Count() { num_mallocs.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

// Declares the C library's own allocator, under the names that a replacement of
// malloc may call.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  Count();
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  Count();
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  Count();
  return __libc_realloc(memory, size);
}
void* memalign(size_t alignment, size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  Count();
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}  // extern "C"

namespace leat::bench {
namespace {

void Allocations(benchmark::State& state, const std::string& name) {
  Steps steps(MakeCase(name));
  for (int i = 0; i < 20; ++i) steps.Run();  // fills pools and caches
  const int64_t mallocs = num_mallocs.load();
  const int64_t requests = steps.SystemRequests();
  int64_t runs = 0;
  for (auto _ : state) {
    steps.Run();
    ++runs;
  }
  const auto per_run = [runs](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(runs);
  };
  state.counters["mallocs"] = per_run(num_mallocs.load() - mallocs);
  state.counters["system_buffers"] = per_run(steps.SystemRequests() - requests);
  state.counters["nodes"] = static_cast<double>(steps.CountNodes());
}

}  // namespace
}  // namespace leat::bench

int main(int argc, char** argv) {
  for (const std::string& name : leat::bench::CaseNames()) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [name](benchmark::State& state) {
                                   leat::bench::Allocations(state, name);
                                 })
        ->Iterations(50)
        ->UseRealTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
