// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Cast between all plain types. If a value is out of the
// range of the target type, the result is the same as TensorFlow's on x86. The
// attr Truncate makes the conversion round towards zero in the same cases as in
// TensorFlow: to half and to float, and from float to bfloat16.
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/conversion.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::cast {
namespace {

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

template <class To, class From>
To Convert(const From& value) {
  if constexpr (!std::is_same_v<Wide<From>, From>) {
    return Convert<To>(static_cast<float>(value));
  } else if constexpr (kIsComplex<To> && kIsComplex<From>) {
    return To(static_cast<typename To::value_type>(value.real()),
              static_cast<typename To::value_type>(value.imag()));
  } else if constexpr (kIsComplex<From>) {
    return Convert<To>(value.real());
  } else if constexpr (kIsComplex<To>) {
    return To(Convert<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (!std::is_same_v<Wide<To>, To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> &&
                       std::is_integral_v<To>) {
    return functors::FromFloating<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};

// Returns the number of low bits of the significand that a conversion with the
// attr Truncate sets to zero before it rounds the value.
template <class From, class To>
constexpr int DroppedBits() {
  using Source = typename RealPart<From>::type;
  using Target = typename RealPart<To>::type;
  if constexpr (!std::is_floating_point_v<Source>) {
    return 0;
  } else if constexpr (std::is_same_v<Target, half>) {
    return std::numeric_limits<Source>::digits - 11;
  } else if constexpr (std::is_same_v<Target, bfloat16>) {
    return std::is_same_v<From, float> ? 16 : 0;
  } else if constexpr (std::is_same_v<Target, float>) {
    return std::numeric_limits<Source>::digits - 24;
  } else {
    return 0;
  }
}

using functors::ZeroLowBits;
template <int bits, class T>
std::complex<T> ZeroLowBits(const std::complex<T>& value) {
  return {functors::ZeroLowBits<bits>(value.real()),
          functors::ZeroLowBits<bits>(value.imag())};
}

template <class From, class To>
void TruncatedRow(const char* input, char* output, int64_t n) {
  const From* in = reinterpret_cast<const From*>(input);
  To* out = reinterpret_cast<To*>(output);
  LEAT_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) {
    out[i] = Convert<To>(ZeroLowBits<DroppedBits<From, To>()>(in[i]));
  }
}

template <class From, class To>
void Row(const char* input, char* output, int64_t n) {
  const From* in = reinterpret_cast<const From*>(input);
  To* out = reinterpret_cast<To*>(output);
  LEAT_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) out[i] = Convert<To>(in[i]);
}

// Returns the row function that converts From to the dtype `target`.
template <class From>
UnaryRow RowTo(DType target, bool truncate) {
  UnaryRow row = nullptr;
  VisitDType(kPlain, target, [&](auto tag) {
    using To = typename decltype(tag)::type;
    row = &Row<From, To>;
    if constexpr (DroppedBits<From, To>() > 0) {
      if (truncate) row = &TruncatedRow<From, To>;
    }
  });
  return row;
}

absl::Status Forward(KernelContext& context) {
  const Tensor& input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.ForwardOrAllocate({0}, 0, input.shape()));
  if (input.num_elements() > 0 && output->raw_data() != input.raw_data()) {
    std::memcpy(output->mutable_raw_data(), input.raw_data(),
                static_cast<size_t>(input.num_bytes()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeCast(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType source, node.attrs.Get<DType>("SrcT"));
  LEAT_ASSIGN_OR_RETURN(const DType target, node.attrs.Get<DType>("DstT"));
  LEAT_ASSIGN_OR_RETURN(const bool truncate,
                        node.attrs.GetOr<bool>("Truncate", false));
  if (source == target && IsPlainBytes(source)) {
    return MakeFunction<&Forward>(node);
  }
  UnaryRow row = nullptr;
  VisitDType(kPlain, source, [&](auto tag) {
    row = RowTo<typename decltype(tag)::type>(target, truncate);
  });
  if (row == nullptr) return UnsupportedType(node, "DstT", target);
  return std::unique_ptr<Kernel>(std::make_unique<UnaryKernel>(row, 8));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Cast", kCpu, &MakeCast);
}

}  // namespace leat::kernels::cpu::cast
