// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Batches gives out the rows of a labeled data set in batches, shuffled or in
// order.
//
//   LEAT_ASSIGN_OR_RETURN(
//       Batches batches,
//       Batches::Create(data.train, {.size = 64, .shuffle_seed = 1}));
//   for (int epoch = 0; epoch < 5; ++epoch) {
//     batches.StartEpoch();
//     while (std::optional<LabeledImages> batch = batches.Next()) {
//       Train(batch->images, batch->labels);  // feeds them
//     }
//   }
#ifndef LEAT_TRAIN_BATCHES_H_
#define LEAT_TRAIN_BATCHES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/train/datasets/idx.h"

namespace leat {

// Says how rows become batches.
struct BatchOptions {
  int64_t size = 32;  // rows per batch
  // If given, the rows are shuffled anew for each epoch. The same seed gives
  // the same orders. If absent, rows are given out in order.
  std::optional<uint64_t> shuffle_seed = {};
  // If true, the last rows are left out if they do not fill a batch.
  bool drop_remainder = false;
};

// Gives out the batches of one data set, epoch after epoch. Shares the tensors
// of the data set, and copies rows out of them. Is not thread-safe.
class Batches {
 public:
  // Returns INVALID_ARGUMENT in these cases: the batch size is below 1, the
  // labels are not a vector, images and labels do not have the same number of
  // rows, their elements are not plain bytes, or there are too few rows for one
  // batch. The message contains the sizes.
  static absl::StatusOr<Batches> Create(LabeledImages data,
                                        BatchOptions options);

  int64_t num_batches() const;  // per epoch

  // Starts an epoch: Next returns its first batch. Create has already started
  // the first epoch.
  void StartEpoch();
  // Returns the next batch, or nothing at the end of the epoch.
  std::optional<LabeledImages> Next();

 private:
  Batches(LabeledImages data, BatchOptions options);

  LabeledImages data_;
  BatchOptions options_;
  std::vector<int64_t> order_;  // row numbers
  int64_t next_ = 0;            // number of the next batch
  uint64_t epoch_ = 0;          // number of the next epoch
};

}  // namespace leat

#endif  // LEAT_TRAIN_BATCHES_H_
