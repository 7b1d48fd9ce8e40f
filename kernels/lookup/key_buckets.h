// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KeyBuckets holds the keys of a dense hash table in buckets: each key lies in
// the first free bucket of its probe sequence. The value of the key in bucket n
// is row n of the table's ValueRows. The keys lie in the same buckets as in
// TensorFlow's MutableDenseHashTable, because checkpoints contain the buckets.
#ifndef LEAT_KERNELS_LOOKUP_KEY_BUCKETS_H_
#define LEAT_KERNELS_LOOKUP_KEY_BUCKETS_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"
#include "leat/kernels/lookup/key_index.h"

namespace leat::kernels {

// Is thread-compatible. The lock of the table that owns the buckets guards
// them. At least one bucket is always empty, so that every probing ends. A key
// may consist of several elements, a row of the tensor `keys`.
class KeyBuckets {
 public:
  // Is the bucket of a key that is not in the table.
  static constexpr int64_t kNone = -1;

  virtual ~KeyBuckets() = default;

  virtual int64_t num_keys() const = 0;
  virtual int64_t num_buckets() const = 0;
  // Returns the keys of all buckets: a matrix with a row for each bucket. Empty
  // buckets have the empty key.
  virtual const Tensor& buckets() const = 0;

  // Returns INVALID_ARGUMENT if keys[i] is the empty or the deleted key.
  virtual absl::Status Check(const Tensor& keys, int64_t i) const = 0;
  // Returns true if keys[i] is the empty or the deleted key.
  virtual bool IsReserved(const Tensor& keys, int64_t i) const = 0;
  // Returns the bucket of keys[i], or kNone.
  virtual int64_t Find(const Tensor& keys, int64_t i) const = 0;
  // Returns the bucket of keys[i]. Adds the key if it is not in the table.
  // REQUIRES: two buckets are empty, and Charge has been called.
  virtual int64_t Add(const Tensor& keys, int64_t i) = 0;
  // Marks the bucket of keys[i] as deleted and returns it, or returns kNone.
  virtual int64_t Remove(const Tensor& keys, int64_t i) = 0;
  // Charges `held_bytes` bytes, which the strings of new keys will hold.
  virtual absl::Status Charge(int64_t held_bytes, Allocator& allocator) = 0;
  // Must be called before `count` keys are removed. Charges what the strings of
  // their buckets will hold.
  virtual absl::Status ChargeDeletions(int64_t count, Allocator& allocator) = 0;
  // Returns as many empty buckets for the same kind of keys, or
  // RESOURCE_EXHAUSTED if there is no memory. REQUIRES: `count` is a power of
  // two.
  virtual absl::StatusOr<std::unique_ptr<KeyBuckets>> NewBuckets(
      int64_t count, Allocator& allocator) const = 0;
};

// Makes `count` empty buckets. REQUIRES: both keys have the same shape and
// dtype, which kTableKeys contains, and `count` is a power of two.
absl::StatusOr<std::unique_ptr<KeyBuckets>> NewKeyBuckets(
    const Tensor& empty_key, const Tensor& deleted_key, int64_t count,
    Allocator& allocator);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_KEY_BUCKETS_H_
