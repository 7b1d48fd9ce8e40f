// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures training steps of networks of convolutions on a GPU: ResNet-50, and
// the CNN of examples/fashion_mnist. bench/peers/torch_networks.py does the
// same with PyTorch. Images and labels lie in the memory of the GPU. Does
// nothing on a machine without a GPU.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/local_session.h"
#include "leat/train/nn/initializers.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"

namespace leat::bench {
namespace {

// Convolution and Normalized add a layer to the network. The variables of the
// layer are float. The layer computes in the type of `x`.
Output Convolution(Output x, int64_t filters, int64_t kernel, int64_t stride) {
  GraphBuilder& b = *x.builder();
  const Shape shape{kernel, kernel, x.shape().dim(3), filters};
  const Output filter =
      b.GetVariable(b.LayerName("kernel"), DType::kFloat, shape, [&] {
         return nn::HeNormal()(b, shape, DType::kFloat, shape);
       }).value();
  return op::Conv2D(x, op::Cast(filter, x.dtype()), {1, stride, stride, 1},
                    "SAME");
}

Output Normalized(Output x) {
  GraphBuilder& b = *x.builder();
  const Shape channels{x.shape().dim(3)};
  const auto variable = [&](const char* name, float value) {
    return b
        .GetVariable(b.LayerName(name), DType::kFloat, channels,
                     [&] { return b.Const(Tensor::Filled(channels, value)); })
        .value();
  };
  const Output none = b.Const(Tensor::Filled<float>(Shape{0}, 0.0f));
  return op::FusedBatchNormV3(x, variable("gamma", 1), variable("beta", 0),
                              none, none, {.epsilon = 1e-5f})
      .y;
}

Output Block(Output x, int64_t width, int64_t stride, bool is_first) {
  Output shortcut = x;
  if (is_first) shortcut = Normalized(Convolution(x, 4 * width, 1, stride));
  Output h = op::Relu(Normalized(Convolution(x, width, 1, 1)));
  h = op::Relu(Normalized(Convolution(h, width, 3, stride)));
  h = Normalized(Convolution(h, 4 * width, 1, 1));
  return op::Relu(h + shortcut);
}

// Returns the logits of ResNet-50 (He et al., 2015), version 1.5.
Output ResNet50(Output h) {
  h = op::Relu(Normalized(Convolution(h, 64, 7, 2)));
  h = op::MaxPool(h, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME");
  int64_t width = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int i = 0; i < blocks; ++i) {
      h = Block(h, width, i == 0 && width > 64 ? 2 : 1, i == 0);
    }
    width *= 2;
  }
  h = op::AvgPool(h, {1, 7, 7, 1}, {1, 1, 1, 1}, "VALID");
  return nn::Dense(op::Cast(nn::Flatten(h), DType::kFloat), {.units = 1000});
}

Output FashionMnistCnn(Output h) {
  h = nn::Conv2D(h, {.filters = 32, .kernel = 3, .activation = nn::relu});
  h = nn::MaxPool(h, {.size = 2});
  h = nn::Conv2D(h, {.filters = 64, .kernel = 3, .activation = nn::relu});
  h = nn::MaxPool(h, {.size = 2});
  h = nn::Dense(nn::Flatten(h), {.units = 128, .activation = nn::relu});
  return nn::Dense(h, {.units = 10});
}

// Runs training steps. `image` is the shape of a batch of images. The network
// computes in the type `type`.
void Train(benchmark::State& state, const Shape& image, DType type,
           Output (*network)(Output)) {
  const auto api = NewCudaApi();
  if (!api.ok()) {
    return state.SkipWithError(std::string(api.status().message()).c_str());
  }
  GraphBuilder b;
  const auto constant = [&](const char* name, const Tensor& value) {
    return b
        .GetVariable(name, value.dtype(), value.shape(),
                     [&] { return b.Const(value); }, {.trainable = false})
        .value();
  };
  const Output images = constant("images", Tensor::Filled(image, 0.5f));
  const Output labels =
      constant("labels", Tensor::Filled<int64_t>(Shape{image.dim(0)}, 3));
  const Output loss =
      nn::SparseSoftmaxCrossEntropy(labels, network(op::Cast(images, type)));
  const Operation step = nn::Momentum({.learning_rate = 0.01}).Minimize(loss);
  LocalSessionOptions options;
  options.devices.num_gpus = 1;
  options.devices.gpu_allow_growth = true;
  const auto graph = b.Build();
  if (!graph.ok()) {
    return state.SkipWithError(graph.status().ToString().c_str());
  }
  const auto session = NewLocalSession(*graph, options);
  if (!session.ok()) {
    return state.SkipWithError(session.status().ToString().c_str());
  }
  auto done = (*session)->Run({.targets = {graph->init_op()}});
  const auto run_step = [&] {
    if (!done.ok()) return;
    done = (*session)->Run({.fetches = {loss}, .targets = {step}});
  };
  run_step();  // makes the plans of all convolutions
  for (auto _ : state) run_step();
  if (!done.ok()) {
    return state.SkipWithError(done.status().ToString().c_str());
  }
  state.SetItemsProcessed(state.iterations() * image.dim(0));
}

void BM_ResNet50(benchmark::State& state, DType type) {
  Train(state, Shape{state.range(0), 224, 224, 3}, type, &ResNet50);
}
BENCHMARK_CAPTURE(BM_ResNet50, bfloat16, DType::kBfloat16)
    ->Arg(128)
    ->Arg(256)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_ResNet50, float, DType::kFloat)
    ->Arg(128)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_FashionMnistCnn(benchmark::State& state) {
  Train(state, Shape{state.range(0), 28, 28, 1}, DType::kFloat,
        &FashionMnistCnn);
}
BENCHMARK(BM_FashionMnistCnn)
    ->Arg(128)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace leat::bench

BENCHMARK_MAIN();
