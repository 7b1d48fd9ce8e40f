// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/dense_table.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"

namespace leat::kernels {
namespace {

constexpr int64_t kLeastBuckets = 4;
constexpr int64_t kMostBuckets = int64_t{1} << 40;

absl::Status CheckOptions(const TableOptions& table,
                          const DenseTableOptions& dense) {
  const Shape& key = dense.empty_key.shape();
  if (key.rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Empty key must be a scalar or a vector, got shape ",
                     key.DebugString()));
  }
  if (dense.deleted_key.shape() != key) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Empty and deleted keys must have same shape, got shapes: ",
        key.DebugString(), " and ", dense.deleted_key.shape().DebugString()));
  }
  if (Identical(dense.empty_key, dense.deleted_key)) {
    return absl::InvalidArgumentError("Empty and deleted keys cannot be equal");
  }
  if (table.value_shape.rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Empty value must be a scalar or a vector, got shape ",
                     table.value_shape.DebugString()));
  }
  if (!(dense.max_load_factor > 0 && dense.max_load_factor < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_load_factor must be between 0 and 1, got: ",
                     dense.max_load_factor));
  }
  const int64_t buckets = dense.initial_num_buckets;
  if (buckets < kLeastBuckets ||
      !std::has_single_bit(static_cast<uint64_t>(buckets))) {
    return absl::InvalidArgumentError(
        absl::StrCat("Number of buckets must be at least ", kLeastBuckets,
                     " and a power of 2, got: ", buckets));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<DenseTable>> DenseTable::New(
    TableOptions table, const DenseTableOptions& dense, Allocator& allocator) {
  LEAT_RETURN_IF_ERROR(CheckOptions(table, dense));
  table.key_shape = dense.empty_key.shape();
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<KeyBuckets> keys,
                        NewKeyBuckets(dense.empty_key, dense.deleted_key,
                                      dense.initial_num_buckets, allocator));
  LEAT_ASSIGN_OR_RETURN(Contents contents,
                        Empty(std::move(keys), table, allocator));
  return std::shared_ptr<DenseTable>(new DenseTable(
      std::move(table), dense.max_load_factor, std::move(contents)));
}

absl::StatusOr<DenseTable::Contents> DenseTable::Empty(
    std::unique_ptr<KeyBuckets> keys, const TableOptions& table,
    Allocator& allocator) {
  auto values =
      std::make_unique<ValueRows>(table.value_dtype, table.value_shape);
  LEAT_RETURN_IF_ERROR(values->Reserve(keys->num_buckets(), /*used=*/0,
                                       /*held_bytes=*/0, allocator));
  values->Clear();
  return Contents{.keys = std::move(keys), .values = std::move(values)};
}

absl::StatusOr<int64_t> DenseTable::NumKeys(const Tensor& keys) const {
  LEAT_RETURN_IF_ERROR(ShapeOfValues(keys.shape()).status());
  const int64_t count = keys.rank() == 0 ? 1 : keys.dim(0);
  const int64_t key_size = options().key_shape.num_elements();
  if (keys.num_elements() == SaturatingMultiply(count, key_size)) return count;
  Dims expected = {count};
  const auto key = options().key_shape.dims();
  expected.insert(expected.end(), key.begin(), key.end());
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(expected));
  return absl::InvalidArgumentError(absl::StrCat("Expected key shape ",
                                                 shape.DebugString(), " got ",
                                                 keys.shape().DebugString()));
}

int64_t DenseTable::size() const {
  ReaderLock lock(mutex_);
  return contents_.keys->num_keys();
}

absl::Status DenseTable::Find(KernelContext& context, const Tensor& keys,
                              const Tensor& default_value) const {
  LEAT_ASSIGN_OR_RETURN(const Shape shape, ShapeOfValues(keys.shape()));
  LEAT_RETURN_IF_ERROR(CheckDefault(default_value, shape));
  LEAT_ASSIGN_OR_RETURN(const int64_t count, NumKeys(keys));
  LEAT_ASSIGN_OR_RETURN(Tensor numbers,
                        context.AllocateTemporary(DType::kInt64, Shape{count}));
  const auto to = numbers.mutable_data<int64_t>();
  ReaderLock lock(mutex_);
  const KeyBuckets& buckets = *contents_.keys;
  for (int64_t i = 0; i < count; ++i) {
    LEAT_RETURN_IF_ERROR(buckets.Check(keys, i));
  }
  constexpr int64_t kFindCost = 20;  // nanoseconds of a lookup
  ParallelFor(context.compute_queue(), count, kFindCost,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  to[static_cast<size_t>(i)] = buckets.Find(keys, i);
                }
              });
  // As in TensorFlow, the first default is that of all keys.
  return contents_.values->Gather(context, to,
                                  {.values = default_value, .step = 0}, shape);
}

absl::Status DenseTable::Grow(int64_t count, Allocator& allocator,
                              Contents& contents) const {
  const int64_t keys = SaturatingAdd(contents.keys->num_keys(), count);
  int64_t buckets = contents.keys->num_buckets();
  const auto is_too_full = [&] {
    return static_cast<double>(keys) >
           static_cast<double>(buckets) * static_cast<double>(max_load_factor_);
  };
  if (!is_too_full()) return absl::OkStatus();
  while (is_too_full()) {
    if (buckets >= kMostBuckets) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "A table of ", keys, " keys with max_load_factor ", max_load_factor_,
          " would need more than ", kMostBuckets, " buckets"));
    }
    buckets *= 2;
  }
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<KeyBuckets> empty,
                        contents.keys->NewBuckets(buckets, allocator));
  LEAT_ASSIGN_OR_RETURN(Contents grown,
                        Empty(std::move(empty), options(), allocator));
  LEAT_RETURN_IF_ERROR(InsertBuckets(
      contents.keys->buckets(), contents.values->tensor(), allocator, grown));
  contents = std::move(grown);
  return absl::OkStatus();
}

absl::Status DenseTable::Charge(const Tensor& keys, const Tensor& values,
                                Allocator& allocator, Contents& contents) {
  LEAT_RETURN_IF_ERROR(contents.keys->Charge(keys.held_bytes(), allocator));
  return contents.values->Reserve(/*count=*/0, /*used=*/0, values.held_bytes(),
                                  allocator);
}

absl::Status DenseTable::InsertBuckets(const Tensor& keys, const Tensor& values,
                                       Allocator& allocator,
                                       Contents& contents) {
  LEAT_RETURN_IF_ERROR(Charge(keys, values, allocator, contents));
  for (int64_t i = 0; i < keys.dim(0); ++i) {
    if (contents.keys->IsReserved(keys, i)) continue;
    contents.values->Set(contents.keys->Add(keys, i), values, i);
  }
  return absl::OkStatus();
}

absl::Status DenseTable::Insert(KernelContext& context, const Tensor& keys,
                                const Tensor& values) {
  LEAT_RETURN_IF_ERROR(CheckEntries(keys, values));
  LEAT_ASSIGN_OR_RETURN(const int64_t count, NumKeys(keys));
  Allocator& allocator = context.step().device->host_allocator();
  WriterLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(Grow(count, allocator, contents_));
  LEAT_RETURN_IF_ERROR(Charge(keys, values, allocator, contents_));
  for (int64_t i = 0; i < count; ++i) {
    LEAT_RETURN_IF_ERROR(contents_.keys->Check(keys, i));
    contents_.values->Set(contents_.keys->Add(keys, i), values, i);
  }
  return absl::OkStatus();
}

absl::Status DenseTable::Remove(KernelContext& context, const Tensor& keys) {
  LEAT_ASSIGN_OR_RETURN(const int64_t count, NumKeys(keys));
  WriterLock lock(mutex_);
  // The bucket of a removed key holds a copy of the deleted key.
  LEAT_RETURN_IF_ERROR(contents_.keys->ChargeDeletions(
      count, context.step().device->host_allocator()));
  for (int64_t i = 0; i < count; ++i) {
    LEAT_RETURN_IF_ERROR(contents_.keys->Check(keys, i));
    contents_.keys->Remove(keys, i);
  }
  return absl::OkStatus();
}

absl::StatusOr<TableEntries> DenseTable::Export(KernelContext& context) const {
  Allocator& allocator = context.step().device->host_allocator();
  ReaderLock lock(mutex_);
  const int64_t buckets = contents_.keys->num_buckets();
  TableEntries entries;
  LEAT_ASSIGN_OR_RETURN(entries.keys,
                        contents_.keys->buckets().Copy(allocator));
  LEAT_ASSIGN_OR_RETURN(const Tensor rows,
                        contents_.values->Copy(buckets, allocator));
  LEAT_ASSIGN_OR_RETURN(
      entries.values,
      rows.Reshaped(Shape{buckets, options().value_shape.num_elements()}));
  return entries;
}

absl::Status DenseTable::Import(KernelContext& context, const Tensor& keys,
                                const Tensor& values) {
  LEAT_RETURN_IF_ERROR(ShapeOfValues(keys.shape()).status());
  const int64_t rows = keys.rank() == 0 ? 1 : keys.dim(0);
  const Shape keys_shape{rows, options().key_shape.num_elements()};
  if (keys.shape() != keys_shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected key shape ", keys_shape.DebugString(), " got ",
                     keys.shape().DebugString()));
  }
  const Shape values_shape{rows, options().value_shape.num_elements()};
  if (values.shape() != values_shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected shape ", values_shape.DebugString(),
                     " for value, got ", values.shape().DebugString()));
  }
  Allocator& allocator = context.step().device->host_allocator();
  const int64_t buckets = static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(std::max(rows, kLeastBuckets))));
  WriterLock lock(mutex_);
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<KeyBuckets> empty,
                        contents_.keys->NewBuckets(buckets, allocator));
  int64_t entries = 0;
  for (int64_t i = 0; i < rows; ++i) entries += !empty->IsReserved(keys, i);
  LEAT_ASSIGN_OR_RETURN(Contents filled,
                        Empty(std::move(empty), options(), allocator));
  LEAT_RETURN_IF_ERROR(Grow(entries, allocator, filled));
  LEAT_RETURN_IF_ERROR(InsertBuckets(keys, values, allocator, filled));
  std::swap(contents_, filled);
  return absl::OkStatus();
}

}  // namespace leat::kernels
