// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Unique, which outputs the distinct values in the order
// of their first occurrence.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::unique {
namespace {

// Computes a hash that agrees with ==: 0 and -0 have the same hash. NaN equals
// nothing.
template <class T>
struct HashOf {
  size_t operator()(const T& value) const { return absl::Hash<T>()(value); }
};
template <>
struct HashOf<half> {
  size_t operator()(half value) const {
    return absl::Hash<float>()(static_cast<float>(value));
  }
};
template <>
struct HashOf<bfloat16> {
  size_t operator()(bfloat16 value) const {
    return absl::Hash<float>()(static_cast<float>(value));
  }
};

template <class T>
class Unique final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    if (input.rank() != 1) {
      return absl::InvalidArgumentError("unique expects a 1D vector.");
    }
    if (input.num_elements() > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "unique does not support input tensors larger than 2147483647 "
          "elements, got ",
          input.num_elements()));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * indices,
                          context.AllocateOutput(1, input.shape()));
    const auto values = input.data<T>();
    std::vector<int32_t> first;
    LEAT_RETURN_IF_ERROR(
        indices->dtype() == DType::kInt32
            ? Number(context, values, indices->mutable_data<int32_t>(), first)
            : Number(context, values, indices->mutable_data<int64_t>(), first));
    int64_t held_bytes = 0;
    if constexpr (std::is_same_v<T, std::string>) {
      for (const int32_t i : first) held_bytes += HeldBytes(values[i]);
    }
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.AllocateOutput(0, Shape{static_cast<int64_t>(first.size())},
                               held_bytes));
    auto to = output->mutable_data<T>();
    for (size_t i = 0; i < first.size(); ++i) to[i] = values[first[i]];
    return absl::OkStatus();
  }

 private:
  // Numbers the values, so that equal values have the same number. first[k]
  // becomes the position at which the value with number k occurs first. Returns
  // RESOURCE_EXHAUSTED if there is no memory for the table.
  template <class Index>
  static absl::Status Number(KernelContext& context, absl::Span<const T> values,
                             absl::Span<Index> numbers,
                             std::vector<int32_t>& first) {
    // Strings are not copied into the table.
    using Key = std::conditional_t<std::is_same_v<T, std::string>,
                                   absl::string_view, T>;
    absl::flat_hash_map<Key, Index, HashOf<Key>, std::equal_to<Key>> seen;
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
    for (size_t i = 0; i < values.size(); ++i) {
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
      // NaN counts as a new value each time.
      if (!(values[i] == values[i])) {
        numbers[i] = next;
        first.push_back(static_cast<int32_t>(i));
        continue;
      }
      const auto [entry, added] = seen.emplace(values[i], next);
      if (added) first.push_back(static_cast<int32_t>(i));
      numbers[i] = entry->second;
    }
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
  registry.Add("Unique", kCpu, &MakeUnique);
}

}  // namespace leat::kernels::cpu::unique
