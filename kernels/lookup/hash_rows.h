// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HashRows holds the entries of a static table or of a mutable hash table.
#ifndef LEAT_KERNELS_LOOKUP_HASH_ROWS_H_
#define LEAT_KERNELS_LOOKUP_HASH_ROWS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/lookup/key_index.h"
#include "leat/kernels/lookup/lookup_table.h"
#include "leat/kernels/lookup/value_rows.h"

namespace leat::kernels {

// Is movable and thread-compatible. The lock of the table guards it. REQUIRES:
// the table has checked the dtypes and shapes of all tensors.
class HashRows {
 public:
  // Makes no entries. Keys are scalars.
  explicit HashRows(const TableOptions& options)
      : index_(NewKeyIndex(options.key_dtype)),
        rows_(std::make_unique<ValueRows>(options.value_dtype,
                                          options.value_shape)) {}

  int64_t size() const { return index_->size(); }

  // Sets output 0, whose shape is `shape`, to the values of `keys`.
  absl::Status Find(KernelContext& context, const Tensor& keys,
                    const Tensor& default_value, const Shape& shape) const;
  // Adds entries. A key that is there gets the new value. Returns
  // RESOURCE_EXHAUSTED, and adds nothing, if there is no memory.
  absl::Status Insert(KernelContext& context, const Tensor& keys,
                      const Tensor& values);
  // Adds entries. Returns FAILED_PRECONDITION if a key is there with another
  // value. REQUIRES: the values are scalars.
  absl::Status InsertNew(KernelContext& context, const Tensor& keys,
                         const Tensor& values);
  void Remove(const Tensor& keys);
  absl::StatusOr<TableEntries> Export(KernelContext& context) const;

 private:
  absl::Status Reserve(KernelContext& context, const Tensor& keys,
                       const Tensor& values);

  std::unique_ptr<KeyIndex> index_;
  std::unique_ptr<ValueRows> rows_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_HASH_ROWS_H_
