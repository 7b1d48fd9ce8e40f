// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The images that the examples train on and test with.
#ifndef LEAT_EXAMPLES_SHARED_FASHION_MNIST_DATA_H_
#define LEAT_EXAMPLES_SHARED_FASHION_MNIST_DATA_H_

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/runtime/session.h"
#include "leat/train/batches.h"
#include "leat/train/datasets/idx.h"

namespace leat::examples {

struct DataFlags {
  std::string data = kFashionMnistFolder;
  int64_t batch = 128;  // images a step
  bool no_shuffle = false;
};
void AddDataFlags(CLI::App& app, DataFlags& flags);

// Whole batches of `size` training images, shuffled unless the flags say
// otherwise. An error names the split.
absl::StatusOr<Batches> TrainingBatches(const DataFlags& flags,
                                        const FashionMnist& data, int64_t size,
                                        int64_t seed);
absl::StatusOr<Batches> TestBatches(const DataFlags& flags,
                                    const FashionMnist& data);

// One replica's share of the training images: of each `replicas` batches side
// by side that of its number, so that all together go through the images as one
// program with batches so much larger would.
class Shard {
 public:
  // REQUIRES: 0 <= number < replicas.
  static absl::StatusOr<Shard> Create(const DataFlags& flags,
                                      const FashionMnist& data, int replicas,
                                      int number, int64_t seed);

  int64_t num_batches() const { return batches_.num_batches(); }  // of an epoch

  // The batch of that position in the training, counted over all epochs. Quick
  // for the last position and the next, else it goes there from the start.
  const LabeledImages& At(int64_t position);

 private:
  Shard(Batches batches, int64_t size, int number)
      : start_(batches),
        batches_(std::move(batches)),
        size_(size),
        number_(number) {}

  Batches start_;
  Batches batches_;
  int64_t size_ = 0;  // of the replica's batch
  int number_ = 0;
  int64_t next_ = 0;
  LabeledImages batch_ = {};
};

// The share of images that are recognised. `accuracy` takes images and labels
// and gives that of a batch.
absl::StatusOr<double> Evaluate(const Callable& accuracy, Batches& batches);

// The losses of all steps, one a line, if they are wanted. Not thread-safe.
class Losses {
 public:
  // "": nothing is written.
  explicit Losses(std::string path) : path_(std::move(path)) {}

  // Before the training, which would be lost. UNAVAILABLE naming the file.
  absl::Status Open();
  void Add(float loss);
  absl::Status Close();

 private:
  absl::Status Check() const;

  const std::string path_;
  std::ofstream file_ = {};
};

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_FASHION_MNIST_DATA_H_
