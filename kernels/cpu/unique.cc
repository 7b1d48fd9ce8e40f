// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Unique and UniqueV2, which output the distinct values,
// or the distinct slices along an axis, in the order of their first occurrence,
// and of their forms that count how often each occurs.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/value_hash.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::unique {
namespace {

// Describes the input as [outer, n, inner]. Slice i is all elements whose
// second index is i. The slices of a vector are its elements.
struct Slices {
  int64_t outer = 1;
  int64_t n = 0;
  int64_t inner = 1;
  int axis = 0;
};

// Returns the axis that input 1 names. Without such an input, and if it is
// empty, returns 0, and the input must be a vector.
absl::StatusOr<int> GetAxis(const KernelContext& context) {
  const int rank = context.input(0).rank();
  Dims axes;
  if (context.num_inputs() > 1) {
    if (context.input(1).rank() != 1) {
      return absl::InvalidArgumentError("axis expects a 1D vector.");
    }
    LEAT_ASSIGN_OR_RETURN(axes, GetIndices(context.input(1), "axis"));
  }
  if (axes.empty()) {
    if (rank == 1) return 0;
    return absl::InvalidArgumentError("unique expects a 1D vector.");
  }
  if (axes.size() > 1) {
    return absl::InvalidArgumentError(
        "axis does not support input tensors larger than 1 elements");
  }
  if (axes[0] < -rank || axes[0] >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis has to be between [0, ", rank, ")"));
  }
  return static_cast<int>(axes[0] < 0 ? axes[0] + rank : axes[0]);
}

absl::StatusOr<Slices> GetSlices(const KernelContext& context) {
  const Shape& shape = context.input(0).shape();
  Slices slices;
  LEAT_ASSIGN_OR_RETURN(slices.axis, GetAxis(context));
  slices.n = shape.dim(slices.axis);
  if (std::max(shape.num_elements(), slices.n) >
      std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "unique does not support input tensors larger than 2147483647 "
        "elements, got ",
        shape.DebugString()));
  }
  for (int i = 0; i < slices.axis; ++i) slices.outer *= shape.dim(i);
  for (int i = slices.axis + 1; i < shape.rank(); ++i) {
    slices.inner *= shape.dim(i);
  }
  // Slices without elements are all equal. There may be 2^62 empty rows.
  if (shape.num_elements() == 0) slices.outer = 0;
  return slices;
}

// A key of the table of distinct slices.
template <class T>
class SliceKey {
 public:
  SliceKey(const Slices& slices, const T* data, int64_t i)
      : slices_(&slices), data_(data + i * slices.inner) {
    for (int64_t o = 0; o < slices.outer; ++o) {
      for (int64_t k = 0; k < slices.inner; ++k) {
        hash_ = absl::HashOf(hash_, HashValue(Row(o)[k]));
      }
    }
  }
  bool operator==(const SliceKey& other) const {
    if (hash_ != other.hash_) return false;
    for (int64_t o = 0; o < slices_->outer; ++o) {
      if (!std::equal(Row(o), Row(o) + slices_->inner, other.Row(o))) {
        return false;
      }
    }
    return true;
  }
  template <class H>
  friend H AbslHashValue(H h, const SliceKey& key) {
    return H::combine(std::move(h), key.hash_);
  }

 private:
  const T* Row(int64_t o) const {
    return data_ + o * slices_->n * slices_->inner;
  }

  const Slices* slices_;
  const T* data_;
  size_t hash_ = 0;
};

// Numbers the keys key_at(0) to key_at(n - 1), so that equal keys have the same
// number. first[k] becomes the position at which the key with number k occurs
// first. Returns RESOURCE_EXHAUSTED if there is no memory for the table.
template <class Key, class Index, class KeyAt>
absl::Status Number(KernelContext& context, KeyAt key_at,
                    absl::Span<Index> numbers, std::vector<int32_t>& first) {
  absl::flat_hash_map<Key, Index, ValueHash<Key>, std::equal_to<Key>> seen;
  // Is the number of bytes that `seen` and `first` need per distinct value.
  // They are reserved, because they can be more than the bytes of the value
  // itself. The factor 3 has two reasons. A hash table that is half empty
  // takes twice the bytes of its entries. While the table grows, the old
  // table needs memory, too.
  constexpr int64_t kEntryBytes =
      3 * (sizeof(std::pair<Key, Index>) + 1) + 2 * sizeof(int32_t);
  Allocator& allocator = context.step().device->allocator();
  BufferRef reserved;
  size_t room = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (first.size() == room) {
      room = std::max<size_t>(256, 2 * room);
      reserved = allocator.Reserve(static_cast<int64_t>(room) * kEntryBytes);
      if (reserved == nullptr) {
        return absl::ResourceExhaustedError(
            absl::StrCat("There is not enough memory for a table of ", room,
                         " distinct values"));
      }
    }
    const Index next = static_cast<Index>(first.size());
    const Key key = key_at(static_cast<int64_t>(i));
    // A slice with a NaN equals no slice, so it is always new.
    if (!(key == key)) {
      numbers[i] = next;
      first.push_back(static_cast<int32_t>(i));
      continue;
    }
    const auto [entry, added] = seen.emplace(key, next);
    if (added) first.push_back(static_cast<int32_t>(i));
    numbers[i] = entry->second;
  }
  return absl::OkStatus();
}

template <class T>
class Unique final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Slices slices, GetSlices(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * indices,
                          context.AllocateOutput(1, Shape{slices.n}));
    return indices->dtype() == DType::kInt32
               ? NumberAndCopy<int32_t>(context, slices, *indices)
               : NumberAndCopy<int64_t>(context, slices, *indices);
  }

 private:
  template <class Index>
  static absl::Status NumberAndCopy(KernelContext& context,
                                    const Slices& slices, Tensor& indices) {
    const T* const from = context.input(0).data<T>().data();
    const auto numbers = indices.mutable_data<Index>();
    std::vector<int32_t> first;
    if (slices.outer == 1 && slices.inner == 1) {
      LEAT_RETURN_IF_ERROR((Number<KeyOf<T>>(
          context, [&](int64_t i) -> KeyOf<T> { return from[i]; }, numbers,
          first)));
    } else {
      LEAT_RETURN_IF_ERROR((Number<SliceKey<T>>(
          context, [&](int64_t i) { return SliceKey<T>(slices, from, i); },
          numbers, first)));
    }
    LEAT_RETURN_IF_ERROR(CopySlices(context, slices, first));
    if (context.num_outputs() < 3) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(
        Tensor * counts,
        context.AllocateOutput(2, Shape{static_cast<int64_t>(first.size())}));
    const auto count = counts->mutable_data<Index>();
    std::fill(count.begin(), count.end(), Index{0});
    for (const Index number : numbers) ++count[static_cast<size_t>(number)];
    return absl::OkStatus();
  }

  // Sets output 0 to the slices with the numbers in `chosen`.
  static absl::Status CopySlices(KernelContext& context, const Slices& slices,
                                 const std::vector<int32_t>& chosen) {
    const Tensor& input = context.input(0);
    const T* const from = input.data<T>().data();
    // Calls `visit(row)` for the rows of the output, in order.
    const auto for_each_row = [&](auto visit) {
      for (int64_t o = 0; o < slices.outer; ++o) {
        for (const int32_t i : chosen) {
          visit(from + (o * slices.n + i) * slices.inner);
        }
      }
    };
    int64_t held_bytes = 0;
    if constexpr (std::is_same_v<T, std::string>) {
      for_each_row([&](const std::string* row) {
        for (int64_t k = 0; k < slices.inner; ++k) {
          held_bytes += HeldBytes(row[k]);
        }
      });
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          WithDim(input.shape(), slices.axis,
                                  static_cast<int64_t>(chosen.size())));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, shape, held_bytes));
    if (shape.num_elements() == 0) return absl::OkStatus();
    T* to = output->mutable_data<T>().data();
    for_each_row([&](const T* row) {
      CopyElements(row, slices.inner, to);
      to += slices.inner;
    });
    return absl::OkStatus();
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeUnique(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers + kBoolOnly + kStringOnly,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<Unique<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  for (const char* op :
       {"Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"}) {
    registry.Add(op, kCpu, &MakeUnique);
  }
}

}  // namespace leat::kernels::cpu::unique
