// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Unique: the distinct values in the order of their first occurrence.
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/parallel_for.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::unique {
namespace {

// Hashes that agree with ==: 0 equals -0, NaN equals nothing.
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
    const std::vector<int32_t> first =
        indices->dtype() == DType::kInt32
            ? Number(values, indices->mutable_data<int32_t>())
            : Number(values, indices->mutable_data<int64_t>());
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.AllocateOutput(0, Shape{static_cast<int64_t>(first.size())}));
    auto to = output->mutable_data<T>();
    for (size_t i = 0; i < first.size(); ++i) to[i] = values[first[i]];
    return absl::OkStatus();
  }

 private:
  // Numbers equal values alike; returns where each number occurs first.
  template <class Index>
  static std::vector<int32_t> Number(absl::Span<const T> values,
                                     absl::Span<Index> numbers) {
    absl::flat_hash_map<T, Index, HashOf<T>, std::equal_to<T>> seen;
    std::vector<int32_t> first;
    for (size_t i = 0; i < values.size(); ++i) {
      const Index next = static_cast<Index>(first.size());
      // NaN is new every time.
      if (!(values[i] == values[i])) {
        numbers[i] = next;
        first.push_back(static_cast<int32_t>(i));
        continue;
      }
      const auto [entry, added] = seen.emplace(values[i], next);
      if (added) first.push_back(static_cast<int32_t>(i));
      numbers[i] = entry->second;
    }
    return first;
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
