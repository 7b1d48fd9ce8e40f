// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ListDiff, which outputs the values of one vector that
// do not occur in another one.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/value_hash.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::list_diff {
namespace {

absl::Status CheckVector(const Tensor& tensor, absl::string_view name) {
  if (tensor.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " should be a 1D vector."));
  }
  if (tensor.num_elements() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", tensor.num_elements(),
                     " elements, but at most 2147483647 are supported."));
  }
  return absl::OkStatus();
}

template <class T>
class ListDiff final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_RETURN_IF_ERROR(CheckVector(context.input(0), "x"));
    LEAT_RETURN_IF_ERROR(CheckVector(context.input(1), "y"));
    const auto x = context.input(0).data<T>();
    const auto y = context.input(1).data<T>();
    // The number of entries of the hash table is a power of two, and at most
    // 7/8 of them are used. So the table takes up to 16/7 times the bytes of
    // its values. Four more bytes are for the position of an element of x.
    const int64_t bytes =
        3 * (sizeof(KeyOf<T>) + 1) * y.size() + sizeof(int32_t) * x.size();
    const BufferRef reserved =
        context.step().device->allocator().Reserve(bytes);
    if (reserved == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "There is not enough memory for a table of ", y.size(), " values"));
    }
    absl::flat_hash_set<KeyOf<T>, ValueHash<KeyOf<T>>, std::equal_to<KeyOf<T>>>
        excluded;
    excluded.reserve(y.size());
    for (const T& value : y) {
      // NaN equals nothing, so it excludes nothing. In the table, each NaN
      // would lie behind all earlier ones.
      if (value == value) excluded.insert(value);
    }
    std::vector<int32_t> kept;
    kept.reserve(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      if (!excluded.contains(x[i])) kept.push_back(static_cast<int32_t>(i));
    }
    return Output(context, x, kept);
  }

 private:
  // Outputs the values of `x` at the positions in `kept`, and the positions.
  static absl::Status Output(KernelContext& context, absl::Span<const T> x,
                             const std::vector<int32_t>& kept) {
    int64_t held_bytes = 0;
    if constexpr (std::is_same_v<T, std::string>) {
      for (const int32_t i : kept) held_bytes += HeldBytes(x[i]);
    }
    const Shape shape{static_cast<int64_t>(kept.size())};
    LEAT_ASSIGN_OR_RETURN(Tensor * values,
                          context.AllocateOutput(0, shape, held_bytes));
    LEAT_ASSIGN_OR_RETURN(Tensor * positions, context.AllocateOutput(1, shape));
    const auto to = values->mutable_data<T>();
    for (size_t k = 0; k < kept.size(); ++k) to[k] = x[kept[k]];
    VisitDType(kIndices, positions->dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      std::copy(kept.begin(), kept.end(),
                positions->mutable_data<Index>().begin());
    });
    return absl::OkStatus();
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeListDiff(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers + kStringOnly,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<ListDiff<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ListDiff", kCpu, &MakeListDiff);
}

}  // namespace leat::kernels::cpu::list_diff
