// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Range, which outputs start, start + delta and so on,
// up to but not including limit, and of LinSpace, which outputs numbers at
// equal distances from start to stop.
#include <cmath>
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::range {
namespace {

template <class T>
class Range final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const T start,
                          GetScalar<T>(context.input(0), "start"));
    LEAT_ASSIGN_OR_RETURN(const T limit,
                          GetScalar<T>(context.input(1), "limit"));
    LEAT_ASSIGN_OR_RETURN(const T delta,
                          GetScalar<T>(context.input(2), "delta"));
    LEAT_ASSIGN_OR_RETURN(const int64_t size, Size(start, limit, delta));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, Shape{size}));
    T* to = output->mutable_data<T>().data();
    for (int64_t i = 0; i < size; ++i) {
      if constexpr (std::is_integral_v<T>) {
        using U = Wrapping<T>;
        to[i] = static_cast<T>(static_cast<U>(start) +
                               static_cast<U>(i) * static_cast<U>(delta));
      } else {
        // Rounds as TensorFlow does: first the product, then the sum.
        const W product = static_cast<W>(
            static_cast<T>(static_cast<W>(static_cast<T>(static_cast<W>(i))) *
                           static_cast<W>(delta)));
        to[i] = static_cast<T>(static_cast<W>(start) + product);
      }
    }
    return absl::OkStatus();
  }

 private:
  using W = Wide<T>;

  static absl::StatusOr<int64_t> Size(W start, W limit, W delta) {
    if (delta == 0) {
      return absl::InvalidArgumentError("Requires delta != 0: 0");
    }
    if (delta > 0 ? start > limit : start < limit) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Requires start ", delta > 0 ? "<=" : ">=", " limit when delta ",
          delta > 0 ? ">" : "<", " 0: ", start, "/", limit));
    }
    if constexpr (std::is_integral_v<T>) {
      using U = uint64_t;
      const U span = delta > 0 ? static_cast<U>(limit) - static_cast<U>(start)
                               : static_cast<U>(start) - static_cast<U>(limit);
      const U step =
          delta > 0 ? static_cast<U>(delta) : U{0} - static_cast<U>(delta);
      const U size = span / step + (span % step != 0 ? 1 : 0);
      if (size > static_cast<U>(INT64_MAX)) return TooLarge();
      return static_cast<int64_t>(size);
    } else {
      const W size = std::ceil(std::fabs((limit - start) / delta));
      // The comparison is also false for NaN.
      if (!(size < static_cast<W>(0x1p63))) return TooLarge();
      return static_cast<int64_t>(size);
    }
  }

  static absl::Status TooLarge() {
    return absl::InvalidArgumentError(
        "Requires ((limit - start) / delta) <= 9223372036854775807");
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeRange(const NodeDef& node) {
  return MakeForType(node, "Tidx", kNumbers,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<Range<T>>();
                     });
}

template <class T>
class LinSpace final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(0), "start"));
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(1), "stop"));
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(2), "num"));
    LEAT_ASSIGN_OR_RETURN(const Dims nums, GetIndices(context.input(2), "num"));
    const T start = context.input(0).scalar<T>();
    const T stop = context.input(1).scalar<T>();
    const int64_t num = nums[0];
    if (num <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Requires num > 0: ", num));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, Shape{num}));
    T* to = output->mutable_data<T>().data();
    to[0] = start;
    const T step = (stop - start) / static_cast<T>(num - 1);
    for (int64_t i = 1; i < num - 1; ++i) {
      to[i] = start + step * static_cast<T>(i);
    }
    if (num > 1) to[num - 1] = stop;
    return absl::OkStatus();
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeLinSpace(const NodeDef& node) {
  return MakeForType(node, "T", kFloat32And64,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<LinSpace<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Range", kCpu, &MakeRange);
  registry.Add("LinSpace", kCpu, &MakeLinSpace);
}

}  // namespace leat::kernels::cpu::range
