// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Add, AddV2, Sub, Mul, SquaredDifference, Maximum, Minimum.
#include <memory>
#include <string>
#include <type_traits>

#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/string_bytes.h"

namespace leat::kernels::cpu::binary_math {
namespace {

// Integers wrap around.
template <class W>
using Ring =
    typename std::conditional_t<std::is_integral_v<W>, TypeTag<Wrapping<W>>,
                                TypeTag<W>>::type;

struct Add {
  template <class W>
  static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) + static_cast<Ring<W>>(b));
  }
};

struct Join {
  static std::string Do(const std::string& a, const std::string& b) {
    return a + b;
  }
};

struct Sub {
  template <class W>
  static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) - static_cast<Ring<W>>(b));
  }
};

struct Mul {
  template <class W>
  static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) * static_cast<Ring<W>>(b));
  }
};

struct SquaredDifference {
  template <class W>
  static W Do(W a, W b) {
    const W difference = Sub::Do(a, b);
    return Mul::Do(difference, difference);
  }
};

// NaN wins.
struct Maximum {
  template <class W>
  static W Do(W a, W b) {
    return a > b || a != a ? a : b;
  }
};

struct Minimum {
  template <class W>
  static W Do(W a, W b) {
    return a < b || a != a ? a : b;
  }
};

// Strings are joined.
class AddStrings final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          BroadcastShapes(a.shape(), b.shape()));
    if (const int64_t n = shape.num_elements(); n > 0) {
      StringBytes bytes;
      bytes.Add(a, n / a.num_elements());
      bytes.Add(b, n / b.num_elements());
      LEAT_RETURN_IF_ERROR(
          bytes.Check(StringBytesLimit(*context.step().device)));
    }
    return join_.Compute(context);
  }

 private:
  const BinaryKernel join_{&BinaryRowOf<Join, std::string, std::string>,
                           /*cost=*/400};
};

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBinary(const NodeDef& node) {
  return MakeForType(
      node, "T", kNumbers, [](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        return std::make_unique<BinaryKernel>(&BinaryRowOf<Op, T, T>,
                                              /*cost=*/4);
      });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeAdd(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (dtype != DType::kString) return MakeBinary<Add>(node);
  return std::unique_ptr<Kernel>(std::make_unique<AddStrings>());
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Add", kCpu, &MakeAdd);
  registry.Add("AddV2", kCpu, &MakeBinary<Add>);
  registry.Add("Sub", kCpu, &MakeBinary<Sub>);
  registry.Add("Mul", kCpu, &MakeBinary<Mul>);
  registry.Add("SquaredDifference", kCpu, &MakeBinary<SquaredDifference>);
  registry.Add("Maximum", kCpu, &MakeBinary<Maximum>);
  registry.Add("Minimum", kCpu, &MakeBinary<Minimum>);
}

}  // namespace leat::kernels::cpu::binary_math
