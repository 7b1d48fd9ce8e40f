// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Batches: rows of a labeled data set, a batch at a time, shuffled or in order.
#ifndef LEAT_TRAIN_BATCHES_H_
#define LEAT_TRAIN_BATCHES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/train/datasets/idx.h"

namespace leat {

struct BatchOptions {
  int64_t size = 32;
  // A new order every epoch, the same for the same seed; absent: in order.
  std::optional<uint64_t> shuffle_seed = {};
  bool drop_remainder = false;  // leave out a last batch that is smaller
};

// Not thread-safe. Copies rows out; `data` is shared.
class Batches {
 public:
  // INVALID_ARGUMENT for a batch size below 1, rows that do not match, and
  // rows that make no batch, with the numbers.
  static absl::StatusOr<Batches> Create(LabeledImages data,
                                        BatchOptions options);

  int64_t num_batches() const;  // of an epoch

  // Starts an epoch: the next batch is its first.
  void StartEpoch();
  // Nothing at the end of the epoch.
  std::optional<LabeledImages> Next();

 private:
  Batches(LabeledImages data, BatchOptions options);

  LabeledImages data_;
  BatchOptions options_;
  std::vector<int64_t> order_;  // of rows
  int64_t next_ = 0;
  uint64_t epoch_ = 0;
};

}  // namespace leat

#endif  // LEAT_TRAIN_BATCHES_H_
