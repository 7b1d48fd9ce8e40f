// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/key_index.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "leat/core/check.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/lookup/memory_charge.h"

namespace leat::kernels {
namespace {

template <class K>
int64_t HeldBytesOfKey(const K& key) {
  if constexpr (std::is_same_v<K, std::string>) {
    return HeldBytes(key);
  } else {
    return 0;
  }
}

template <class K>
class IndexOf final : public KeyIndex {
 public:
  IndexOf() : numbers_(0, Hash{&keys_}, Equal{&keys_}) {}

  int64_t size() const final { return static_cast<int64_t>(keys_.size()); }

  void Find(const Tensor& keys, int64_t begin, int64_t end,
            int64_t* numbers) const final {
    const auto data = keys.data<K>();
    for (int64_t i = begin; i < end; ++i) {
      const auto found = numbers_.find(data[static_cast<size_t>(i)]);
      numbers[i] = found == numbers_.end() ? kNone : found->value;
    }
  }

  absl::Status Reserve(int64_t count, int64_t held_bytes,
                       Allocator& allocator) final {
    // A vector or a hash set that is half empty takes twice the bytes of its
    // entries. While it grows, the old one needs memory, too.
    constexpr int64_t kBytesPerKey =
        3 * (sizeof(K) + sizeof(int64_t) + sizeof(char));
    const int64_t rows = SaturatingAdd(size(), count);
    return charge_.Cover(SaturatingAdd(SaturatingMultiply(rows, kBytesPerKey),
                                       SaturatingAdd(held_bytes_, held_bytes)),
                         allocator);
  }

  int64_t Add(const Tensor& keys, int64_t i) final {
    const K& key = keys.data<K>()[static_cast<size_t>(i)];
    const auto found = numbers_.find(key);
    if (found != numbers_.end()) return found->value;
    const int64_t number = size();
    held_bytes_ += HeldBytesOfKey(key);
    keys_.push_back(key);
    numbers_.insert(Number{number});
    return number;
  }

  int64_t Remove(const Tensor& keys, int64_t i) final {
    const auto found = numbers_.find(keys.data<K>()[static_cast<size_t>(i)]);
    if (found == numbers_.end()) return kNone;
    const int64_t number = found->value;
    const int64_t last = size() - 1;
    numbers_.erase(found);
    K& freed = keys_[static_cast<size_t>(number)];
    held_bytes_ -= HeldBytesOfKey(freed);
    if (number != last) {
      numbers_.erase(Number{last});
      freed = std::move(keys_.back());
      numbers_.insert(Number{number});
    }
    keys_.pop_back();
    return number;
  }

  absl::StatusOr<Tensor> Keys(Allocator& allocator) const final {
    LEAT_ASSIGN_OR_RETURN(
        Tensor result,
        Tensor::Allocate(allocator, kDTypeOf<K>, Shape{size()}, held_bytes_));
    std::copy(keys_.begin(), keys_.end(), result.mutable_data<K>().begin());
    return result;
  }

 private:
  // Is a type of its own, because keys may be integers, too.
  struct Number {
    int64_t value;
  };
  // Hash and Equal see the key instead of its number.
  struct Hash {
    using is_transparent = void;
    size_t operator()(Number number) const {
      return (*this)((*keys)[static_cast<size_t>(number.value)]);
    }
    size_t operator()(const K& key) const { return absl::Hash<K>()(key); }
    const std::vector<K>* keys;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(Number a, Number b) const { return a.value == b.value; }
    bool operator()(Number number, const K& key) const {
      return (*keys)[static_cast<size_t>(number.value)] == key;
    }
    const std::vector<K>* keys;
  };

  std::vector<K> keys_;  // by number
  absl::flat_hash_set<Number, Hash, Equal> numbers_;
  int64_t held_bytes_ = 0;
  MemoryCharge charge_;
};

}  // namespace

std::unique_ptr<KeyIndex> NewKeyIndex(DType dtype) {
  std::unique_ptr<KeyIndex> index;
  LEAT_CHECK(VisitDType(kTableKeys, dtype, [&](auto tag) {
    index = std::make_unique<IndexOf<typename decltype(tag)::type>>();
  }));
  return index;
}

}  // namespace leat::kernels
