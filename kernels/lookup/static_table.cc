// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/static_table.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

absl::Status NotSupported(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat(
      what, " not supported by InitializableLookupTable implementations"));
}

absl::Status CheckVectors(const Shape& keys, const Shape& values) {
  if (!keys.IsVector()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Keys must be a vector, but received shape", keys.DebugString()));
  }
  if (!values.IsVector()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Values must be a vector, but received shape", values.DebugString()));
  }
  if (keys != values) {
    return absl::InvalidArgumentError(
        absl::StrCat("Keys and values must have the same size ", keys.dim(0),
                     " vs ", values.dim(0)));
  }
  if (keys.dim(0) == 0) {
    return absl::InvalidArgumentError(
        "keys and values cannot be empty tensors.");
  }
  return absl::OkStatus();
}

}  // namespace

int64_t StaticTable::size() const {
  ReaderLock lock(mutex_);
  return rows_.size();
}

bool StaticTable::IsInitialized() const {
  ReaderLock lock(mutex_);
  return is_initialized_;
}

absl::Status StaticTable::Find(KernelContext& context, const Tensor& keys,
                               const Tensor& default_value) const {
  LEAT_RETURN_IF_ERROR(CheckDefault(default_value, keys.shape()));
  ReaderLock lock(mutex_);
  if (!is_initialized_) {
    return absl::FailedPreconditionError("Table not initialized.");
  }
  return rows_.Find(context, keys, default_value, keys.shape());
}

absl::Status StaticTable::Initialize(KernelContext& context, const Tensor& keys,
                                     const Tensor& values) {
  LEAT_RETURN_IF_ERROR(CheckVectors(keys.shape(), values.shape()));
  WriterLock lock(mutex_);
  if (is_initialized_) {
    if (keys.num_elements() == rows_.size()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        "Table was already initialized with different data.");
  }
  HashRows filled(options());
  LEAT_RETURN_IF_ERROR(filled.InsertNew(context, keys, values));
  rows_ = std::move(filled);
  is_initialized_ = true;
  return absl::OkStatus();
}

absl::Status StaticTable::Insert(KernelContext&, const Tensor&, const Tensor&) {
  return NotSupported("Insert");
}

absl::Status StaticTable::Remove(KernelContext&, const Tensor&) {
  return NotSupported("Remove");
}

absl::StatusOr<TableEntries> StaticTable::Export(KernelContext& context) const {
  ReaderLock lock(mutex_);
  if (!is_initialized_) {
    return absl::AbortedError("HashTable is not initialized.");
  }
  return rows_.Export(context);
}

absl::Status StaticTable::Import(KernelContext& context, const Tensor& keys,
                                 const Tensor& values) {
  return Initialize(context, keys, values);
}

}  // namespace leat::kernels
