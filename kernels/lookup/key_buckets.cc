// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/key_buckets.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "leat/core/check.h"
#include "leat/core/hash64.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/lookup/memory_charge.h"

namespace leat::kernels {
namespace {

// Returns the hash that TensorFlow's dense tables have for an element of a key.
template <class K>
uint64_t HashOf(const K& element) {
  if constexpr (std::is_same_v<K, std::string>) {
    return Hash64(element);
  } else {
    return static_cast<uint64_t>(element);
  }
}

template <class K>
class BucketsOf final : public KeyBuckets {
 public:
  // `keys` are the buckets, whose elements the constructor sets.
  BucketsOf(Tensor empty_key, Tensor deleted_key, Tensor keys)
      : empty_key_(std::move(empty_key)),
        deleted_key_(std::move(deleted_key)),
        key_size_(empty_key_.num_elements()),
        keys_(std::move(keys)),
        mask_(static_cast<uint64_t>(keys_.dim(0)) - 1) {
    const K* const empty = RowOf(empty_key_, 0);
    for (int64_t i = 0; i < keys_.dim(0); ++i) {
      std::copy(empty, empty + key_size_, Bucket(i));
    }
  }

  int64_t num_keys() const final { return num_keys_; }
  int64_t num_buckets() const final { return keys_.dim(0); }
  const Tensor& buckets() const final { return keys_; }

  absl::Status Check(const Tensor& keys, int64_t i) const final {
    const K* const key = RowOf(keys, i);
    if (IsEmptyKey(key)) {
      return absl::InvalidArgumentError(
          "Using the empty_key as a table key is not allowed");
    }
    if (IsDeletedKey(key)) {
      return absl::InvalidArgumentError(
          "Using the deleted_key as a table key is not allowed");
    }
    return absl::OkStatus();
  }

  bool IsReserved(const Tensor& keys, int64_t i) const final {
    const K* const key = RowOf(keys, i);
    return IsEmptyKey(key) || IsDeletedKey(key);
  }

  int64_t Find(const Tensor& keys, int64_t i) const final {
    return Probe(RowOf(keys, i)).found;
  }

  int64_t Add(const Tensor& keys, int64_t i) final {
    const K* const key = RowOf(keys, i);
    const Probed probed = Probe(key);
    if (probed.found != kNone) return probed.found;
    Assign(key, probed.free);
    ++num_keys_;
    return probed.free;
  }

  int64_t Remove(const Tensor& keys, int64_t i) final {
    const int64_t bucket = Find(keys, i);
    if (bucket == kNone) return kNone;
    Assign(RowOf(deleted_key_, 0), bucket);
    --num_keys_;
    return bucket;
  }

  absl::Status Charge(int64_t held_bytes, Allocator& allocator) final {
    return charge_.Cover(SaturatingAdd(held_bytes_, held_bytes), allocator);
  }

  absl::Status ChargeDeletions(int64_t count, Allocator& allocator) final {
    return Charge(SaturatingMultiply(std::min(count, num_keys_),
                                     deleted_key_.held_bytes()),
                  allocator);
  }

  absl::StatusOr<std::unique_ptr<KeyBuckets>> NewBuckets(
      int64_t count, Allocator& allocator) const final {
    return NewKeyBuckets(empty_key_, deleted_key_, count, allocator);
  }

 private:
  struct Probed {
    int64_t found = kNone;  // the bucket of the key
    int64_t free = kNone;   // the bucket where the key would be added
  };

  const K* RowOf(const Tensor& tensor, int64_t i) const {
    return tensor.data<K>().data() + i * key_size_;
  }
  K* Bucket(int64_t i) {
    return keys_.mutable_data<K>().data() + i * key_size_;
  }
  bool IsEmptyKey(const K* key) const {
    return std::equal(key, key + key_size_, RowOf(empty_key_, 0));
  }
  bool IsDeletedKey(const K* key) const {
    return std::equal(key, key + key_size_, RowOf(deleted_key_, 0));
  }

  uint64_t Hash(const K* key) const {
    if (key_size_ == 1) return HashOf(*key);
    uint64_t hash = 0;
    for (int64_t i = 0; i < key_size_; ++i) {
      hash = Hash64Combine(hash, HashOf(key[i]));
    }
    return hash;
  }

  // Looks at the buckets in which `key` may lie, in turn. The distances between
  // them grow by one each time.
  Probed Probe(const K* key) const {
    Probed result;
    uint64_t bucket = Hash(key) & mask_;
    for (uint64_t distance = 1;; ++distance) {
      const int64_t i = static_cast<int64_t>(bucket);
      const K* const there = RowOf(keys_, i);
      if (std::equal(key, key + key_size_, there)) {
        result.found = i;
        return result;
      }
      const bool is_empty = IsEmptyKey(there);
      if (result.free == kNone && (is_empty || IsDeletedKey(there))) {
        result.free = i;
      }
      // A table without an empty bucket has been probed all over.
      if (is_empty || distance > mask_) return result;
      bucket = (bucket + distance) & mask_;
    }
  }

  void Assign(const K* key, int64_t bucket) {
    K* const to = Bucket(bucket);
    if constexpr (std::is_same_v<K, std::string>) {
      for (int64_t i = 0; i < key_size_; ++i) {
        held_bytes_ += HeldBytes(key[i]) - HeldBytes(to[i]);
      }
    }
    std::copy(key, key + key_size_, to);
  }

  const Tensor empty_key_;
  const Tensor deleted_key_;
  const int64_t key_size_;
  Tensor keys_;
  const uint64_t mask_;
  int64_t num_keys_ = 0;
  int64_t held_bytes_ = 0;
  MemoryCharge charge_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<KeyBuckets>> NewKeyBuckets(
    const Tensor& empty_key, const Tensor& deleted_key, int64_t count,
    Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Create({count, empty_key.num_elements()}));
  LEAT_ASSIGN_OR_RETURN(
      Tensor keys,
      Tensor::Allocate(allocator, empty_key.dtype(), shape,
                       SaturatingMultiply(count, empty_key.held_bytes())));
  std::unique_ptr<KeyBuckets> buckets;
  LEAT_CHECK(VisitDType(kTableKeys, empty_key.dtype(), [&](auto tag) {
    buckets = std::make_unique<BucketsOf<typename decltype(tag)::type>>(
        empty_key, deleted_key, std::move(keys));
  }));
  return buckets;
}

}  // namespace leat::kernels
