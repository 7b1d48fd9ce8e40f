// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KeyIndex numbers the keys of a table from 0 on, in the order in which they
// were added. The value of the key with number n is row n of the table's
// ValueRows.
#ifndef LEAT_KERNELS_LOOKUP_KEY_INDEX_H_
#define LEAT_KERNELS_LOOKUP_KEY_INDEX_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/buffer.h"
#include "leat/core/dtype_list.h"
#include "leat/core/tensor.h"

namespace leat::kernels {

// Lists the types that the keys of a table may have.
inline constexpr DTypeList<int32_t, int64_t, std::string> kTableKeys;

// Is thread-compatible. The lock of the table that owns the index guards it.
class KeyIndex {
 public:
  // Is the number of a key that is not in the index.
  static constexpr int64_t kNone = -1;

  virtual ~KeyIndex() = default;

  // Returns the number of keys.
  virtual int64_t size() const = 0;
  // Sets numbers[i] to the number of keys[i], for all i in [begin, end).
  virtual void Find(const Tensor& keys, int64_t begin, int64_t end,
                    int64_t* numbers) const = 0;
  // Makes room for `count` more keys, whose strings hold `held_bytes` bytes
  // outside of their objects. Returns RESOURCE_EXHAUSTED if there is no memory.
  virtual absl::Status Reserve(int64_t count, int64_t held_bytes,
                               Allocator& allocator) = 0;
  // Returns the number of keys[i]. Adds the key if it is not in the index.
  // REQUIRES: Reserve has made room.
  virtual int64_t Add(const Tensor& keys, int64_t i) = 0;
  // Removes keys[i] and returns the number that it had, or kNone if it was not
  // in the index. The last key gets this number.
  virtual int64_t Remove(const Tensor& keys, int64_t i) = 0;
  // Returns a vector of all keys, in the order of their numbers.
  virtual absl::StatusOr<Tensor> Keys(Allocator& allocator) const = 0;
};

// Makes an empty index. REQUIRES: kTableKeys contains `dtype`, and the tensors
// that the index gets have this dtype.
std::unique_ptr<KeyIndex> NewKeyIndex(DType dtype);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_KEY_INDEX_H_
