// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures steps on a GPU against the same work without Leat: a chain of 1,000
// additions against bare launches, and feeds and fetches against bare copies.
// Does nothing on a machine without a GPU.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/kernels/cuda/device/binary.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/local_session.h"

namespace leat::bench {
namespace {

constexpr int kChain = 1000;

// Returns the CUDA of this machine, or null after a message.
std::shared_ptr<CudaApi> Cuda(benchmark::State& state) {
  auto api = NewCudaApi();
  if (api.ok()) return *std::move(api);
  state.SkipWithError(std::string(api.status().message()).c_str());
  return nullptr;
}

// Returns a session on the GPU.
std::shared_ptr<Session> OnGpu(benchmark::State& state, GraphBuilder& b) {
  LocalSessionOptions options;
  options.devices.num_gpus = 1;
  options.devices.gpu_allow_growth = true;
  auto session = NewLocalSession(b.Build().value(), options);
  if (session.ok()) return *std::move(session);
  state.SkipWithError(std::string(session.status().message()).c_str());
  return nullptr;
}

Callable MakeCallable(benchmark::State& state, Session& session,
                      const CallableArgs& args) {
  auto callable = session.MakeCallable(args);
  if (callable.ok()) return *std::move(callable);
  state.SkipWithError(std::string(callable.status().message()).c_str());
  return Callable();
}

// Computes y = (((x + x) + x) + x) ...
void BM_ChainOfAdds(benchmark::State& state) {
  if (Cuda(state) == nullptr) return;
  GraphBuilder b;
  Output x = b.Placeholder<float>("x");
  Output y = x;
  {
    auto gpu = b.OnDevice("/device:GPU:0");
    for (int i = 0; i < kChain; ++i) y = op::Add(y, x);
  }
  const auto session = OnGpu(state, b);
  if (session == nullptr) return;
  Callable run = MakeCallable(state, *session, {.feeds = {x}, .fetches = {y}});
  const std::vector<Tensor> feeds = {Tensor::Filled(Shape{256}, 1.0f)};
  for (auto _ : state) {
    const auto fetched = run(feeds);
    if (!fetched.ok()) {
      return state.SkipWithError(fetched.status().ToString().c_str());
    }
  }
  state.SetItemsProcessed(state.iterations() * kChain);
}
BENCHMARK(BM_ChainOfAdds)->UseRealTime()->Unit(benchmark::kMicrosecond);

// Measures the same launches without tensors, allocation or a graph.
void BM_BareLaunches(benchmark::State& state) {
  const auto api = Cuda(state);
  if (api == nullptr) return;
  const CudaStream stream = api->NewStream().value();
  char* const memory = api->NewMemory(3 * 1024).value();
  for (auto _ : state) {
    for (int i = 0; i < kChain; ++i) {
      cuda::LaunchArithmetic(stream, cuda::Arithmetic::kAdd,
                             cuda::ElementType::kFloat,
                             {.a = memory + i % 2 * 1024,
                              .b = memory + 2048,
                              .output = memory + (i + 1) % 2 * 1024,
                              .n = 256});
    }
    if (!api->Synchronize(stream).ok()) return state.SkipWithError("failed");
  }
  state.SetItemsProcessed(state.iterations() * kChain);
  api->FreeMemory(memory).IgnoreError();
  api->FreeStream(stream).IgnoreError();
}
BENCHMARK(BM_BareLaunches)->UseRealTime()->Unit(benchmark::kMicrosecond);

// Measures a step that does nothing but copy a feed to the GPU and back.
void BM_FeedAndFetch(benchmark::State& state) {
  if (Cuda(state) == nullptr) return;
  GraphBuilder b;
  Output x = b.Placeholder<float>("x");
  Output y;
  {
    auto gpu = b.OnDevice("/device:GPU:0");
    y = op::Neg(x);
  }
  const auto session = OnGpu(state, b);
  if (session == nullptr) return;
  Callable run = MakeCallable(state, *session, {.feeds = {x}, .fetches = {y}});
  const std::vector<Tensor> feeds = {
      Tensor::Filled(Shape{state.range(0) / 4}, 1.0f)};
  for (auto _ : state) {
    const auto fetched = run(feeds);
    if (!fetched.ok()) {
      return state.SkipWithError(fetched.status().ToString().c_str());
    }
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 2);
}
BENCHMARK(BM_FeedAndFetch)
    ->Arg(4)
    ->Arg(64 << 10)
    ->Arg(16 << 20)
    ->Arg(256 << 20)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace leat::bench

BENCHMARK_MAIN();
