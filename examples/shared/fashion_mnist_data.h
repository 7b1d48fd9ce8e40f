// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Declares functions and classes that the Fashion-MNIST examples share. They
// make batches of the images, take one replica's share of a batch, evaluate a
// model, and write losses to a file.
#ifndef LEAT_EXAMPLES_SHARED_FASHION_MNIST_DATA_H_
#define LEAT_EXAMPLES_SHARED_FASHION_MNIST_DATA_H_

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/runtime/session.h"
#include "leat/train/batches.h"
#include "leat/train/datasets/idx.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat::examples {

// Holds the values of the flags about images.
struct DataFlags {
  // Is a folder with the four IDX files.
  std::string data = kFashionMnistFolder;
  // Is the number of images in a step of one replica.
  int64_t batch = 128;
  // If true, the training images are taken in the order of the file.
  bool no_shuffle = false;
};
// Adds the flags to `app`. `flags` must outlive the parsing of the command
// line.
void AddDataFlags(CLI::App& app, DataFlags& flags);

// Returns full batches of `size` training images. Shuffles the images with
// `seed`, unless flags.no_shuffle is true. Errors contain the name of the
// split.
absl::StatusOr<Batches> TrainingBatches(const DataFlags& flags,
                                        const FashionMnist& data, int64_t size,
                                        int64_t seed);
// Returns the test images in order, in batches for Evaluate. Errors contain the
// name of the split.
absl::StatusOr<Batches> TestBatches(const DataFlags& flags,
                                    const FashionMnist& data);

// A Shard is one replica's share of the training images. The images come in
// large batches, `replicas` times as large as the batch of a replica. Replica
// number i takes part i of each large batch. All replicas together thus go
// through the images as one program with large batches would. A Shard is not
// thread-safe.
class Shard {
 public:
  // Returns the errors of TrainingBatches. REQUIRES: 0 <= `number` <
  // `replicas`.
  static absl::StatusOr<Shard> Create(const DataFlags& flags,
                                      const FashionMnist& data, int replicas,
                                      int number, int64_t seed);

  int64_t num_batches() const { return batches_.num_batches(); }  // per epoch

  // Returns the batch at a position in the training, counted over all epochs. A
  // call is quick if `position` is the same as in the last call or greater by
  // 1. For an earlier position, the call goes through the batches again from
  // the start of the training. The result is valid until the next call.
  const LabeledImages& At(int64_t position);

 private:
  Shard(Batches batches, int64_t size, int number)
      : start_(batches),
        batches_(std::move(batches)),
        size_(size),
        number_(number) {}

  // Holds the batches in their initial state. The method At copies them to go
  // back to an earlier position.
  Batches start_;
  Batches batches_;
  int64_t size_ = 0;  // of the replica's batch
  int number_ = 0;
  // Is the position that follows the position of `batch_`.
  int64_t next_ = 0;
  LabeledImages batch_ = {};
};

// Returns the share of images that are classified correctly, in [0, 1].
// `accuracy` takes the images and labels of one batch, and returns that share
// for the batch.
absl::StatusOr<double> Evaluate(const Callable& accuracy, Batches& batches);

// Writes the losses of all steps to a file, one per line. Is not thread-safe.
class Losses {
 public:
  // If `path` is "", there is no file, and the methods do nothing. All errors
  // name the file. If the disk is full, the error is RESOURCE_EXHAUSTED.
  explicit Losses(std::string path) : path_(std::move(path)) {}

  // Opens the file. Call Open before the training, so that a file that cannot
  // be written does not waste the training.
  absl::Status Open();
  // Writes the loss of one step to the file at once. If the disk is full, the
  // training therefore fails at this step, and not at its end.
  absl::Status Add(float loss);
  // Closes the file.
  absl::Status Close();

 private:
  absl::Status Check() const;

  const std::string path_;
  std::ofstream file_ = {};
};

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_FASHION_MNIST_DATA_H_
