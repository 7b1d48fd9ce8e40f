// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures steps on a GPU: a chain of 1,000 additions, feeds and fetches, and
// products of matrices. For comparison, measures the launches of the chain and
// the copies of the feeds and fetches without Leat.
// bench/peers/torch_products.py measures the products with PyTorch. Does
// nothing on a machine without a GPU.
#include <cmath>
#include <cstdint>
#include <cstdio>
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

// Returns the CUDA API of this machine. If there is none, skips the benchmark
// with a message and returns null.
std::shared_ptr<CudaApi> Cuda(benchmark::State& state) {
  auto api = NewCudaApi();
  if (api.ok()) return *std::move(api);
  state.SkipWithError(std::string(api.status().message()).c_str());
  return nullptr;
}

// Returns a session on the GPU. After an error, skips the benchmark and returns
// null.
std::shared_ptr<Session> OnGpu(benchmark::State& state, GraphBuilder& b,
                               bool allow_tf32 = false) {
  LocalSessionOptions options;
  options.devices.num_gpus = 1;
  options.devices.gpu_allow_growth = true;
  options.devices.gpu_allow_tf32 = allow_tf32;
  options.devices.log = [](absl::string_view message) {
    std::fprintf(stderr, "%s\n", std::string(message).c_str());
  };
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

constexpr int kProducts = 8;

// Measures kProducts products in a row: y = x * w, y * w, and so on. The
// matrices have state.range(0) rows and columns. If `is_fused`, a bias and a
// Relu follow each product.
void Products(benchmark::State& state, DType type, bool allow_tf32,
              bool is_fused) {
  if (Cuda(state) == nullptr) return;
  const auto n = static_cast<int>(state.range(0));
  GraphBuilder b;
  std::vector<TensorName> last;
  {
    auto gpu = b.OnDevice("/device:GPU:0");
    const auto random = [&](float deviation) {
      return op::Cast(
          op::RandomStandardNormal(b.Const({n, n}), DType::kFloat) * deviation,
          type);
    };
    Output x = b.Variable("x", random(1)).value();
    Output w =
        b.Variable("w", random(1 / std::sqrt(static_cast<float>(n)))).value();
    Output bias =
        b.Variable("bias", op::Cast(op::Fill(b.Const({n}), 0.01f), type))
            .value();
    Output y = x;
    for (int i = 0; i < kProducts; ++i) {
      y = op::MatMul(y, w);
      if (is_fused) y = op::Relu(op::BiasAdd(y, bias));
    }
    last.emplace_back(op::Slice(y, b.Const({0, 0}), b.Const({1, 1})));
  }
  const auto session = OnGpu(state, b, allow_tf32);
  if (session == nullptr) return;
  const auto init = session->Run({.targets = {b.Build()->init_op()}});
  if (!init.ok()) {
    return state.SkipWithError(init.status().ToString().c_str());
  }
  Callable run = MakeCallable(state, *session, {.fetches = last});
  for (auto _ : state) {
    const auto fetched = run({});
    if (!fetched.ok()) {
      return state.SkipWithError(fetched.status().ToString().c_str());
    }
  }
  state.counters["flop/s"] =
      benchmark::Counter(kProducts * 2.0 * n * n * n,
                         benchmark::Counter::kIsIterationInvariantRate);
}
void Sizes(benchmark::internal::Benchmark* products) {
  products->RangeMultiplier(2)
      ->Range(1024, 16384)
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(Products, bfloat16, DType::kBfloat16, false, false)
    ->Apply(&Sizes);
BENCHMARK_CAPTURE(Products, bfloat16_bias_relu, DType::kBfloat16, false, true)
    ->Apply(&Sizes);
BENCHMARK_CAPTURE(Products, tf32, DType::kFloat, true, false)->Apply(&Sizes);
BENCHMARK_CAPTURE(Products, tf32_bias_relu, DType::kFloat, true, true)
    ->Apply(&Sizes);
BENCHMARK_CAPTURE(Products, float, DType::kFloat, false, false)->Apply(&Sizes);

}  // namespace
}  // namespace leat::bench

BENCHMARK_MAIN();
