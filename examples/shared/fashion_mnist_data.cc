// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/examples/shared/fashion_mnist_data.h"

#include <utility>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "leat/core/status_macros.h"
#include "leat/examples/shared/program.h"

namespace leat::examples {
namespace {

constexpr int64_t kMaxBatch = 60000;
constexpr int64_t kTestBatch = 500;

absl::StatusOr<Batches> MakeBatches(const DataFlags& flags,
                                    absl::string_view split,
                                    const LabeledImages& images,
                                    const BatchOptions& options) {
  absl::StatusOr<Batches> batches = Batches::Create(images, options);
  if (batches.ok()) return batches;
  return absl::Status(batches.status().code(),
                      absl::StrCat("split '", split, "' of '", flags.data,
                                   "': ", batches.status().message()));
}

}  // namespace

void AddDataFlags(CLI::App& app, DataFlags& flags) {
  app.add_option("--data", flags.data,
                 "Folder with the four IDX files of Fashion-MNIST")
      ->capture_default_str();
  app.add_option("--batch", flags.batch, "Images in each step")
      ->check(Integer(1, kMaxBatch))
      ->capture_default_str();
  app.add_flag("--no-shuffle", flags.no_shuffle,
               "Take the training images in the order of the file");
}

absl::StatusOr<Batches> TrainingBatches(const DataFlags& flags,
                                        const FashionMnist& data, int64_t size,
                                        int64_t seed) {
  BatchOptions options{.size = size, .drop_remainder = true};
  if (!flags.no_shuffle) options.shuffle_seed = static_cast<uint64_t>(seed);
  return MakeBatches(flags, "train", data.train, options);
}

absl::StatusOr<Batches> TestBatches(const DataFlags& flags,
                                    const FashionMnist& data) {
  return MakeBatches(flags, "t10k", data.test, {.size = kTestBatch});
}

absl::StatusOr<Shard> Shard::Create(const DataFlags& flags,
                                    const FashionMnist& data, int replicas,
                                    int number, int64_t seed) {
  LEAT_ASSIGN_OR_RETURN(
      Batches batches,
      TrainingBatches(flags, data, flags.batch * replicas, seed));
  return Shard(std::move(batches), flags.batch, number);
}

const LabeledImages& Shard::At(int64_t position) {
  if (position < next_ - 1) {
    batches_ = start_;
    next_ = 0;
  }
  for (; next_ <= position; ++next_) {
    if (next_ % num_batches() == 0) batches_.StartEpoch();
    const LabeledImages all = *batches_.Next();
    const int64_t first = number_ * size_;
    batch_ = {.images = all.images.Slice(first, first + size_),
              .labels = all.labels.Slice(first, first + size_)};
  }
  return batch_;
}

absl::StatusOr<double> Evaluate(const Callable& accuracy, Batches& batches) {
  double right = 0;
  int64_t images = 0;
  batches.StartEpoch();
  while (auto batch = batches.Next()) {
    LEAT_ASSIGN_OR_RETURN(const auto out,
                          accuracy({batch->images, batch->labels}));
    const int64_t count = batch->labels.num_elements();
    right += out[0].scalar<float>() * count;
    images += count;
  }
  return right / images;
}

absl::Status Losses::Open() {
  if (path_.empty()) return absl::OkStatus();
  file_.open(path_);
  return Check();
}

absl::Status Losses::Add(float loss) {
  if (path_.empty()) return absl::OkStatus();
  file_ << absl::StrFormat("%.9g\n", loss) << std::flush;
  return Check();
}

absl::Status Losses::Close() {
  if (path_.empty()) return absl::OkStatus();
  file_.close();
  return Check();
}

absl::Status Losses::Check() const {
  if (file_.good()) return absl::OkStatus();
  return CannotWriteError(
      absl::StrCat("the file '", path_, "' of --losses cannot be written"));
}

}  // namespace leat::examples
