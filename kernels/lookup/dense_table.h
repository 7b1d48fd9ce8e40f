// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DenseTable is TensorFlow's MutableDenseHashTable: a table of open addressing,
// which can have keys and values of several elements. Two keys are never
// inserted: one marks empty buckets, the other one deleted entries.
#ifndef LEAT_KERNELS_LOOKUP_DENSE_TABLE_H_
#define LEAT_KERNELS_LOOKUP_DENSE_TABLE_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/lookup/key_buckets.h"
#include "leat/kernels/lookup/lookup_table.h"
#include "leat/kernels/lookup/value_rows.h"

namespace leat::kernels {

// Is a value type.
struct DenseTableOptions {
  Tensor empty_key = {};
  Tensor deleted_key = {};
  int64_t initial_num_buckets = 0;
  float max_load_factor = 0;
};

class DenseTable final : public LookupTable {
 public:
  // Returns INVALID_ARGUMENT, with TensorFlow's text, if the options contradict
  // one another. Sets the shape of the keys in `table`. Returns
  // RESOURCE_EXHAUSTED if there is no memory for the buckets.
  static absl::StatusOr<std::shared_ptr<DenseTable>> New(
      TableOptions table, const DenseTableOptions& dense, Allocator& allocator);

  int64_t size() const final;
  absl::Status Find(KernelContext& context, const Tensor& keys,
                    const Tensor& default_value) const final;
  absl::Status Insert(KernelContext& context, const Tensor& keys,
                      const Tensor& values) final;
  absl::Status Remove(KernelContext& context, const Tensor& keys) final;
  // Returns all buckets, with the empty ones.
  absl::StatusOr<TableEntries> Export(KernelContext& context) const final;
  // Makes as many buckets as `keys` has rows, or more if they would be too
  // full, and inserts all entries but the empty ones.
  absl::Status Import(KernelContext& context, const Tensor& keys,
                      const Tensor& values) final;

 private:
  // The keys and the values, which have a row for each bucket.
  struct Contents {
    std::unique_ptr<KeyBuckets> keys = {};
    std::unique_ptr<ValueRows> values = {};
  };

  DenseTable(TableOptions table, float max_load_factor, Contents contents)
      : LookupTable(std::move(table)),
        max_load_factor_(max_load_factor),
        contents_(std::move(contents)) {}

  static absl::StatusOr<Contents> Empty(std::unique_ptr<KeyBuckets> keys,
                                        const TableOptions& table,
                                        Allocator& allocator);
  // Checks that `keys` is a batch of keys, and returns how many there are. A
  // scalar is a batch of one.
  absl::StatusOr<int64_t> NumKeys(const Tensor& keys) const;
  // Returns `contents` with twice the buckets, or more, if `count` more keys
  // would fill it too much.
  absl::Status Grow(int64_t count, Allocator& allocator,
                    Contents& contents) const;
  // Charges the memory that the strings and objects of new entries hold.
  static absl::Status Charge(const Tensor& keys, const Tensor& values,
                             Allocator& allocator, Contents& contents);
  // Inserts the rows of `keys` and `values`, except for the rows with the empty
  // or the deleted key. REQUIRES: `contents` has room for them.
  static absl::Status InsertBuckets(const Tensor& keys, const Tensor& values,
                                    Allocator& allocator, Contents& contents);

  const float max_load_factor_;
  mutable SharedMutex mutex_;
  Contents contents_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_DENSE_TABLE_H_
