// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/hash_rows.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"

namespace leat::kernels {
namespace {

// Lists the types of the values of static tables.
constexpr auto kStaticValues =
    kIndices + kFloat32And64 + kStringOnly + kBoolOnly;

template <class List>
std::string TextOf(List list, const Tensor& tensor, int64_t i) {
  std::string text;
  VisitDType(list, tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    text = absl::StrCat(tensor.data<T>()[static_cast<size_t>(i)]);
  });
  return text;
}

bool AreEqual(const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  bool equal = false;
  VisitDType(kStaticValues, a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    equal = a.data<T>()[static_cast<size_t>(i)] ==
            b.data<T>()[static_cast<size_t>(j)];
  });
  return equal;
}

}  // namespace

absl::Status HashRows::Find(KernelContext& context, const Tensor& keys,
                            const Tensor& default_value,
                            const Shape& shape) const {
  constexpr int64_t kFindCost = 30;  // nanoseconds of a lookup
  const int64_t count = keys.num_elements();
  LEAT_ASSIGN_OR_RETURN(Tensor numbers,
                        context.AllocateTemporary(DType::kInt64, Shape{count}));
  int64_t* const to = numbers.mutable_data<int64_t>().data();
  ParallelFor(
      context.compute_queue(), count, kFindCost,
      [&](int64_t begin, int64_t end) { index_->Find(keys, begin, end, to); });
  const bool one_for_each = default_value.shape() == shape;
  return rows_->Gather(context, numbers.data<int64_t>(),
                       {.values = default_value, .step = one_for_each ? 1 : 0},
                       shape);
}

absl::Status HashRows::Reserve(KernelContext& context, const Tensor& keys,
                               const Tensor& values) {
  Allocator& allocator = context.step().device->host_allocator();
  LEAT_RETURN_IF_ERROR(
      index_->Reserve(keys.num_elements(), keys.held_bytes(), allocator));
  return rows_->Reserve(SaturatingAdd(size(), keys.num_elements()), size(),
                        values.held_bytes(), allocator);
}

absl::Status HashRows::Insert(KernelContext& context, const Tensor& keys,
                              const Tensor& values) {
  LEAT_RETURN_IF_ERROR(Reserve(context, keys, values));
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    rows_->Set(index_->Add(keys, i), values, i);
  }
  return absl::OkStatus();
}

absl::Status HashRows::InsertNew(KernelContext& context, const Tensor& keys,
                                 const Tensor& values) {
  LEAT_RETURN_IF_ERROR(Reserve(context, keys, values));
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    const int64_t before = size();
    const int64_t number = index_->Add(keys, i);
    if (number == before) {
      rows_->Set(number, values, i);
    } else if (!AreEqual(rows_->tensor(), number, values, i)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "HashTable has different value for same key. Key ",
          TextOf(kTableKeys, keys, i), " has ",
          TextOf(kStaticValues, rows_->tensor(), number),
          " and trying to add value ", TextOf(kStaticValues, values, i)));
    }
  }
  return absl::OkStatus();
}

void HashRows::Remove(const Tensor& keys) {
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    const int64_t freed = index_->Remove(keys, i);
    if (freed == KeyIndex::kNone) continue;
    // The index has given the number of the removed key to the last key.
    const int64_t last = size();
    if (freed == last) {
      rows_->Drop(last);
    } else {
      rows_->Move(last, freed);
    }
  }
}

absl::StatusOr<TableEntries> HashRows::Export(KernelContext& context) const {
  Allocator& allocator = context.step().device->host_allocator();
  TableEntries entries;
  LEAT_ASSIGN_OR_RETURN(entries.keys, index_->Keys(allocator));
  LEAT_ASSIGN_OR_RETURN(entries.values, rows_->Copy(size(), allocator));
  return entries;
}

}  // namespace leat::kernels
