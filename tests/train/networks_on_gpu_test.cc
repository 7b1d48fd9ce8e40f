// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains convolutional networks on FakeCuda, with and without a convolution
// library, and compares the losses with the losses on a CPU.
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/fake_cuda.h"
#include "leat/tests/testing/gpu/fake_dnn.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"

namespace leat::networks_on_gpu_test {
namespace {

using testing::FakeCuda;

constexpr int64_t kBatch = 4;
constexpr int64_t kClasses = 5;

// Holds a network with its inputs and its training step.
struct Network {
  GraphBuilder b;
  Output images;
  Output labels;
  Output loss;
  Operation step;

  void Train(const Shape& image, Output (*layers)(Output)) {
    b.SetSeed(7);
    images = b.Placeholder<float>("images", image);
    labels = b.Placeholder<int32_t>("labels", {kBatch});
    const Output h = layers(images);
    loss = nn::SparseSoftmaxCrossEntropy(
        labels, nn::Dense(nn::Flatten(h), {.units = kClasses}));
    step = nn::Momentum({.learning_rate = 0.05}).Minimize(loss);
  }
};

// Adds the layers of the example fashion_mnist, with fewer filters.
Output Cnn(Output h) {
  h = nn::Conv2D(h, {.filters = 4, .kernel = 3, .activation = nn::relu});
  h = nn::MaxPool(h, {.size = 2});
  h = nn::Conv2D(h, {.filters = 6, .kernel = 3, .activation = nn::relu});
  return nn::MaxPool(h, {.size = 2});
}

Output Normalized(Output x, int64_t filters, int64_t kernel, int64_t stride) {
  return nn::BatchNormalization(nn::Conv2D(x, {.filters = filters,
                                               .kernel = kernel,
                                               .strides = stride,
                                               .padding = "SAME",
                                               .use_bias = false}));
}

// Adds the first layers of ResNet-50 and one of its blocks, with fewer filters.
Output ResNet(Output h) {
  h = nn::relu(Normalized(h, 4, 7, 2));
  h = nn::MaxPool(h, {.size = 3, .strides = 2, .padding = "SAME"});
  const Output shortcut = Normalized(h, 8, 1, 2);
  h = nn::relu(Normalized(h, 4, 1, 1));
  h = nn::relu(Normalized(h, 4, 3, 2));
  h = nn::relu(Normalized(h, 8, 1, 1) + shortcut);
  return nn::AvgPool(h, {.size = 2});
}

// Splits a tensor and convolves each part. Most parts begin at addresses that
// are not aligned as a library requires.
Output Parts(Output h) {
  std::vector<Output> results;
  for (const Output& part : op::Split(0, h, kBatch)) {
    results.push_back(nn::Conv2D(part, {.filters = 2, .kernel = 3}));
  }
  return op::ConcatV2(results, 0);
}

// Returns numbers in [-1, 1).
Tensor RandomImages(const Shape& shape, uint32_t seed) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  }
  return Tensor::FromSpan<float>(shape, values);
}

// Trains for six steps and returns the losses. If `copies` is not null, sets it
// to the number of copies between host and GPU in the last step.
std::vector<float> Losses(const Shape& image, Output (*layers)(Output),
                          const std::shared_ptr<FakeCuda>& cuda,
                          int64_t* copies = nullptr) {
  Network network;
  network.Train(image, layers);
  LocalSessionOptions options;
  if (cuda != nullptr) {
    options.devices.num_gpus = 1;
    options.devices.cuda = cuda;
  }
  const auto graph = network.b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  const auto session = NewLocalSession(*graph, options);
  EXPECT_TRUE(session.ok()) << session.status();
  const auto init = (*session)->Run({.targets = {graph->init_op()}});
  EXPECT_TRUE(init.ok()) << init.status();
  std::vector<float> losses;
  for (uint32_t i = 0; i < 6; ++i) {
    const int64_t before =
        cuda == nullptr ? 0 : cuda->count(FakeCuda::Call::kCopy);
    const auto fetched = (*session)->Run(
        {.feeds = {{network.images, RandomImages(image, i % 2)},
                   {network.labels, Tensor::Vector<int32_t>({3, 1, 4, 1})}},
         .fetches = {network.loss},
         .targets = {network.step}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    if (!fetched.ok()) return losses;
    losses.push_back((*fetched)[0].data<float>()[0]);
    if (copies != nullptr) {
      *copies = cuda->count(FakeCuda::Call::kCopy) - before;
    }
  }
  return losses;
}

void ExpectNear(const std::vector<float>& actual,
                const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-3f) << "step " << i;
  }
}

class NetworksOnGpuTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  }
  // Trains the network on a GPU and on a CPU, and compares the losses. The
  // test's parameter says whether the GPU has a convolution library.
  void Check(const Shape& image, Output (*layers)(Output)) {
    const std::vector<float> expected = Losses(image, layers, nullptr);
    EXPECT_LT(expected.back(), expected.front());
    testing::FakeCudaOptions options{.seed = 5};
    if (GetParam()) options.new_dnn = &testing::NewFakeDnn;
    const auto fake = std::make_shared<FakeCuda>(options);
    int64_t copies = 0;
    ExpectNear(Losses(image, layers, fake, &copies), expected);
    // The step copies only the images and the labels to the GPU, and the loss
    // to the host.
    EXPECT_EQ(copies, 3);
    EXPECT_TRUE(fake->TakeComplaints().empty());
  }
};

TEST_P(NetworksOnGpuTest, ACnnTrainsAsOnACpu) {
  Check(Shape{kBatch, 14, 14, 1}, &Cnn);
}

TEST_P(NetworksOnGpuTest, AResNetTrainsAsOnACpu) {
  Check(Shape{kBatch, 16, 16, 3}, &ResNet);
}

TEST_P(NetworksOnGpuTest, PartsOfTensorsAreConvolved) {
  Check(Shape{kBatch, 5, 5, 1}, &Parts);
}

INSTANTIATE_TEST_SUITE_P(Libraries, NetworksOnGpuTest, ::testing::Bool());

}  // namespace
}  // namespace leat::networks_on_gpu_test
