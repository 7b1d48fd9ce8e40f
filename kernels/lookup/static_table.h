// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StaticTable is TensorFlow's HashTable: a table that gets all of its entries
// at once, and is only read from then on.
#ifndef LEAT_KERNELS_LOOKUP_STATIC_TABLE_H_
#define LEAT_KERNELS_LOOKUP_STATIC_TABLE_H_

#include <utility>

#include "leat/core/threads/mutex.h"
#include "leat/kernels/lookup/hash_rows.h"
#include "leat/kernels/lookup/lookup_table.h"

namespace leat::kernels {

class StaticTable final : public LookupTable {
 public:
  // REQUIRES: keys and values are scalars.
  explicit StaticTable(TableOptions table)
      : LookupTable(std::move(table)), rows_(options()) {}

  int64_t size() const final;
  absl::Status Find(KernelContext& context, const Tensor& keys,
                    const Tensor& default_value) const final;
  // As in TensorFlow, a second call must have as many keys as the table.
  absl::Status Initialize(KernelContext& context, const Tensor& keys,
                          const Tensor& values) final;
  bool IsInitialized() const final;
  absl::Status Insert(KernelContext& context, const Tensor& keys,
                      const Tensor& values) final;
  absl::Status Remove(KernelContext& context, const Tensor& keys) final;
  absl::StatusOr<TableEntries> Export(KernelContext& context) const final;
  absl::Status Import(KernelContext& context, const Tensor& keys,
                      const Tensor& values) final;

 private:
  mutable SharedMutex mutex_;
  bool is_initialized_ ABSL_GUARDED_BY(mutex_) = false;
  HashRows rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_STATIC_TABLE_H_
