// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/mutable_table.h"

#include "leat/core/status_macros.h"

namespace leat::kernels {

int64_t MutableTable::size() const {
  ReaderLock lock(mutex_);
  return rows_.size();
}

absl::Status MutableTable::Find(KernelContext& context, const Tensor& keys,
                                const Tensor& default_value) const {
  LEAT_ASSIGN_OR_RETURN(const Shape shape, ShapeOfValues(keys.shape()));
  LEAT_RETURN_IF_ERROR(CheckDefault(default_value, shape));
  ReaderLock lock(mutex_);
  return rows_.Find(context, keys, default_value, shape);
}

absl::Status MutableTable::Insert(KernelContext& context, const Tensor& keys,
                                  const Tensor& values) {
  LEAT_RETURN_IF_ERROR(CheckEntries(keys, values));
  WriterLock lock(mutex_);
  return rows_.Insert(context, keys, values);
}

absl::Status MutableTable::Remove(KernelContext&, const Tensor& keys) {
  WriterLock lock(mutex_);
  rows_.Remove(keys);
  return absl::OkStatus();
}

absl::StatusOr<TableEntries> MutableTable::Export(
    KernelContext& context) const {
  ReaderLock lock(mutex_);
  return rows_.Export(context);
}

absl::Status MutableTable::Import(KernelContext& context, const Tensor& keys,
                                  const Tensor& values) {
  LEAT_RETURN_IF_ERROR(CheckEntries(keys, values));
  HashRows filled(options());
  LEAT_RETURN_IF_ERROR(filled.Insert(context, keys, values));
  WriterLock lock(mutex_);
  std::swap(rows_, filled);
  return absl::OkStatus();
}

}  // namespace leat::kernels
