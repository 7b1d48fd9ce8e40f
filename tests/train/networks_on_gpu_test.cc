// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains networks on FakeCuda, with and without libraries for convolutions and
// matrix products, and compares the losses with the losses on a CPU.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/fake_cuda.h"
#include "leat/tests/testing/gpu/fake_blas.h"
#include "leat/tests/testing/gpu/fake_dnn.h"
#include "leat/train/batches.h"
#include "leat/train/datasets/idx.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"

namespace leat::networks_on_gpu_test {
namespace {

using testing::FakeCuda;

constexpr int64_t kBatch = 4;
constexpr int64_t kClasses = 5;

// Holds a network with its inputs, its training step and what to train it with.
struct Network {
  GraphBuilder b;
  Output images;
  Output labels;
  Output loss;
  Operation step;
  std::vector<LabeledImages> batches;

  void Train(const Output& logits, const nn::Optimizer& optimizer) {
    labels = b.Placeholder<int32_t>("labels", {-1});
    loss = nn::SparseSoftmaxCrossEntropy(labels, logits);
    step = optimizer.Minimize(loss);
  }
};

// Adds the convolutional layers of the example fashion_mnist, with `first` and
// `second` filters.
Output Cnn(Output h, int64_t first, int64_t second) {
  h = nn::Conv2D(h, {.filters = first, .kernel = 3, .activation = nn::relu});
  h = nn::MaxPool(h, {.size = 2});
  h = nn::Conv2D(h, {.filters = second, .kernel = 3, .activation = nn::relu});
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

// Makes a network that is trained for six steps with random images.
void MakeRandom(Network& network, const Shape& image,
                Output (*layers)(Output)) {
  network.b.SetSeed(7);
  network.images = network.b.Placeholder<float>("images", image);
  network.Train(
      nn::Dense(nn::Flatten(layers(network.images)), {.units = kClasses}),
      nn::Momentum({.learning_rate = 0.05}));
  for (uint32_t i = 0; i < 6; ++i) {
    network.batches.push_back(
        {.images = RandomImages(image, i % 2),
         .labels = Tensor::Vector<int32_t>({3, 1, 4, 1})});
  }
}

// Says with which images of Fashion-MNIST a network is trained.
struct Training {
  int64_t batch_size = 1;
  size_t num_batches = 1;  // the first of the data set, used again and again
  size_t num_steps = 1;
};

// Makes the network of the example fashion_mnist.
void MakeFashionMnist(Network& network, Output (*layers)(Output),
                      const Training& training) {
  network.b.SetSeed(7);
  network.images = network.b.Placeholder<uint8_t>("images", {-1, 28, 28, 1});
  const Output pixels = op::Cast(network.images, DType::kFloat) / 255.0f;
  const Output h = nn::Dense(nn::Flatten(layers(pixels)),
                             {.units = 128, .activation = nn::relu});
  network.Train(nn::Dense(h, {.units = 10}),
                nn::Adam({.learning_rate = 0.001}));
  const auto data = LoadFashionMnist(kFashionMnistFolder);
  ASSERT_TRUE(data.ok()) << data.status();
  auto batches = Batches::Create(data->train, {.size = training.batch_size});
  ASSERT_TRUE(batches.ok()) << batches.status();
  for (size_t i = 0; i < training.num_steps; ++i) {
    if (i % training.num_batches == 0) batches->StartEpoch();
    network.batches.push_back(batches->Next().value());
  }
}

// Trains the network with all of its batches and returns the losses. If
// `copies` is not null, sets it to the number of copies between host and GPU in
// the last step.
std::vector<float> Losses(const Network& network, const Graph& graph,
                          const std::shared_ptr<FakeCuda>& cuda,
                          int64_t* copies = nullptr) {
  LocalSessionOptions options;
  if (cuda != nullptr) {
    options.devices.num_gpus = 1;
    options.devices.cuda = cuda;
  }
  const auto session = NewLocalSession(graph, options);
  EXPECT_TRUE(session.ok()) << session.status();
  const auto init = (*session)->Run({.targets = {graph.init_op()}});
  EXPECT_TRUE(init.ok()) << init.status();
  std::vector<float> losses;
  for (const LabeledImages& batch : network.batches) {
    const int64_t before =
        cuda == nullptr ? 0 : cuda->count(FakeCuda::Call::kCopy);
    const auto fetched =
        (*session)->Run({.feeds = {{network.images, batch.images},
                                   {network.labels, batch.labels}},
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
  // Trains the network on a GPU and on a CPU, and compares the losses and the
  // number of copies in a step. The test's parameter says whether the GPU has
  // libraries.
  void Check(Network& network, int64_t num_copies) {
    const auto graph = network.b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const std::vector<float> expected = Losses(network, *graph, nullptr);
    EXPECT_LT(expected.back(), expected.front());
    testing::FakeCudaOptions options{.seed = 5};
    if (GetParam()) {
      options.new_blas = &testing::NewFakeBlas;
      options.new_dnn = &testing::NewFakeDnn;
    }
    const auto fake = std::make_shared<FakeCuda>(options);
    int64_t copies = 0;
    ExpectNear(Losses(network, *graph, fake, &copies), expected);
    EXPECT_EQ(copies, num_copies);
    EXPECT_TRUE(fake->TakeComplaints().empty());
  }
  void CheckRandom(const Shape& image, Output (*layers)(Output)) {
    Network network;
    MakeRandom(network, image, layers);
    // A step copies only the images and the labels to the GPU, and the loss to
    // the host.
    Check(network, 3);
  }
  void CheckFashionMnist(Output (*layers)(Output), const Training& training) {
    ASSERT_TRUE(std::filesystem::exists(kFashionMnistFolder))
        << "tools/install_packages installs dataset-fashion-mnist";
    Network network;
    MakeFashionMnist(network, layers, training);
    if (HasFatalFailure()) return;
    // The number of images is known only when a step runs. So a step copies it
    // to the GPU as well, for the gradient of the mean loss.
    Check(network, 4);
  }
};

TEST_P(NetworksOnGpuTest, ACnnTrainsAsOnACpu) {
  CheckRandom(Shape{kBatch, 14, 14, 1}, [](Output h) { return Cnn(h, 4, 6); });
}

TEST_P(NetworksOnGpuTest, AResNetTrainsAsOnACpu) {
  CheckRandom(Shape{kBatch, 16, 16, 3}, &ResNet);
}

TEST_P(NetworksOnGpuTest, PartsOfTensorsAreConvolved) {
  CheckRandom(Shape{kBatch, 5, 5, 1}, &Parts);
}

TEST_P(NetworksOnGpuTest, AnMlpLearnsFashionMnistAsOnACpu) {
  CheckFashionMnist([](Output h) { return h; },
                    {.batch_size = 32, .num_batches = 40, .num_steps = 40});
}

// The loops of FakeDnn are slow, so they get fewer filters than the example
// has.
TEST_P(NetworksOnGpuTest, ACnnLearnsFashionMnistAsOnACpu) {
  CheckFashionMnist(GetParam() ? [](Output h) { return Cnn(h, 8, 16); }
                               : [](Output h) { return Cnn(h, 32, 64); },
                    {.batch_size = 4, .num_batches = 1, .num_steps = 5});
}

INSTANTIATE_TEST_SUITE_P(Libraries, NetworksOnGpuTest, ::testing::Bool());

}  // namespace
}  // namespace leat::networks_on_gpu_test
