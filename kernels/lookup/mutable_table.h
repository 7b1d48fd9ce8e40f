// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MutableTable is TensorFlow's MutableHashTable, whose values are scalars, and
// MutableHashTableOfTensors, whose values are vectors.
#ifndef LEAT_KERNELS_LOOKUP_MUTABLE_TABLE_H_
#define LEAT_KERNELS_LOOKUP_MUTABLE_TABLE_H_

#include <utility>

#include "leat/core/threads/mutex.h"
#include "leat/kernels/lookup/hash_rows.h"
#include "leat/kernels/lookup/lookup_table.h"

namespace leat::kernels {

class MutableTable final : public LookupTable {
 public:
  // REQUIRES: keys are scalars.
  explicit MutableTable(TableOptions table)
      : LookupTable(std::move(table)), rows_(options()) {}

  int64_t size() const final;
  absl::Status Find(KernelContext& context, const Tensor& keys,
                    const Tensor& default_value) const final;
  absl::Status Insert(KernelContext& context, const Tensor& keys,
                      const Tensor& values) final;
  absl::Status Remove(KernelContext& context, const Tensor& keys) final;
  absl::StatusOr<TableEntries> Export(KernelContext& context) const final;
  absl::Status Import(KernelContext& context, const Tensor& keys,
                      const Tensor& values) final;

 private:
  mutable SharedMutex mutex_;
  HashRows rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_MUTABLE_TABLE_H_
