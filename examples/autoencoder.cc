// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains an autoencoder on the images of Fashion-MNIST. The network encodes
// each image as 16 numbers and restores the image from these numbers. Then the
// program prints some test images beside the restored ones.
//
//   autoencoder [STEPS]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/leat.h"

namespace leat::examples {
namespace {

constexpr int kRows = 28;
constexpr int kColumns = 28;

struct Autoencoder {
  Output images = {};    // the input of a step: uint8 [n, 28, 28, 1]
  Output restored = {};  // float [n, 28 * 28], each in [0, 1]
  Output loss = {};
  Operation train = {};
};

Autoencoder Build(GraphBuilder& b) {
  b.SetSeed(1);
  Autoencoder model;
  model.images = b.Placeholder<uint8_t>("images", {-1, kRows, kColumns, 1});
  const Output pixels =
      op::Cast(nn::Flatten(model.images), DType::kFloat) / 255;
  Output h = nn::Dense(pixels, {.units = 128, .activation = nn::relu});
  const Output code = nn::Dense(h, {.units = 16, .name = "code"});
  h = nn::Dense(code, {.units = 128, .activation = nn::relu});
  model.restored =
      nn::Dense(h, {.units = kRows * kColumns, .activation = nn::sigmoid});
  model.loss = nn::MeanSquaredError(pixels, model.restored);
  model.train = nn::Adam({.learning_rate = 2e-3}).Minimize(model.loss);
  return model;
}

// Returns one row of an image as text. A character is about twice as high as it
// is wide, so Print shows only every second row.
std::string Line(const float* pixels) {
  constexpr char kShades[] = " .:-=+*#%@";
  std::string line;
  for (int column = 0; column < kColumns; ++column) {
    line += kShades[static_cast<int>(pixels[column] * 9.99f)];
  }
  return line;
}

void Print(const Tensor& image, const Tensor& restored) {
  std::vector<float> pixels;
  for (const uint8_t pixel : image.data<uint8_t>()) {
    pixels.push_back(static_cast<float>(pixel) / 255);
  }
  for (int row = 0; row < kRows; row += 2) {
    const int place = row * kColumns;
    std::printf("%s  |  %s\n", Line(&pixels[place]).c_str(),
                Line(&restored.data<float>()[place]).c_str());
  }
}

absl::Status Run(int steps) {
  LEAT_ASSIGN_OR_RETURN(const FashionMnist data,
                        LoadFashionMnist(kFashionMnistFolder));
  LEAT_ASSIGN_OR_RETURN(
      Batches batches,
      Batches::Create(data.train, {.size = 128, .shuffle_seed = 1}));
  GraphBuilder b;
  const Autoencoder model = Build(b);
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(const auto session, NewSession(graph));
  LEAT_RETURN_IF_ERROR(session->Run({.targets = {graph.init_op()}}));
  LEAT_ASSIGN_OR_RETURN(const Callable train,
                        session->MakeCallable({.feeds = {model.images},
                                               .fetches = {model.loss},
                                               .targets = {model.train}}));
  for (int step = 0; step < steps;) {
    batches.StartEpoch();
    while (auto batch = batches.Next()) {
      if (step++ == steps) break;
      LEAT_ASSIGN_OR_RETURN(const auto out, train({batch->images}));
      if (step == 1 || step == steps || step % 100 == 0) {
        std::printf("step %d: loss %.4f\n", step, out[0].scalar<float>());
      }
    }
  }
  for (const int i : {0, 1, 2}) {
    const Tensor image = data.test.images.Slice(i, i + 1);
    LEAT_ASSIGN_OR_RETURN(const auto out,
                          session->Run({.feeds = {{model.images, image}},
                                        .fetches = {model.restored}}));
    Print(image, out[0]);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace leat::examples

int main(int argc, char** argv) {
  const absl::Status status =
      leat::examples::Run(argc > 1 ? std::atoi(argv[1]) : 1000);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
