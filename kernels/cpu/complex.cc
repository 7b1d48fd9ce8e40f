// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Complex, Real, Imag, ComplexAbs, Angle and Conj. The
// real parts of complex64 are float, and those of complex128 are double.
#include <complex>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::complex {
namespace {

struct Compose {
  template <class R>
  static std::complex<R> Do(R real, R imaginary) {
    return {real, imaginary};
  }
};
struct Real {
  template <class R>
  static R Do(std::complex<R> x) {
    return x.real();
  }
};
struct Imag {
  template <class R>
  static R Do(std::complex<R> x) {
    return x.imag();
  }
};
struct Absolute {
  template <class R>
  static R Do(std::complex<R> x) {
    return std::abs(x);
  }
};
struct Angle {
  template <class R>
  static R Do(std::complex<R> x) {
    return std::arg(x);
  }
};
struct Conjugation {
  template <class C>
  static C Do(C x) {
    return Conjugate(x);
  }
};

// Returns INVALID_ARGUMENT if the complex type of the node does not consist of
// its real type.
absl::Status CheckTypes(DType real, DType complex) {
  if ((real == DType::kDouble) == (complex == DType::kComplex128)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the parts of ", Name(complex), " are not ", Name(real)));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeComplex(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType real, node.attrs.Get<DType>("T"));
  LEAT_ASSIGN_OR_RETURN(const DType complex, node.attrs.Get<DType>("Tout"));
  LEAT_RETURN_IF_ERROR(CheckTypes(real, complex));
  return MakeForType(
      node, "T", kFloat32And64, [](auto tag) -> std::unique_ptr<Kernel> {
        using R = typename decltype(tag)::type;
        return std::make_unique<BinaryKernel>(
            &BinaryRowOf<Compose, R, std::complex<R>>, /*cost=*/8);
      });
}

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  return MakeForType(
      node, "T", kComplexes, [](auto tag) -> std::unique_ptr<Kernel> {
        using C = typename decltype(tag)::type;
        using Result = decltype(Op::Do(C()));
        return std::make_unique<UnaryKernel>(&UnaryRowOf<Op, C, Result>,
                                             /*cost=*/16);
      });
}

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeReal(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType complex, node.attrs.Get<DType>("T"));
  LEAT_ASSIGN_OR_RETURN(const DType real, node.attrs.Get<DType>("Tout"));
  LEAT_RETURN_IF_ERROR(CheckTypes(real, complex));
  return MakeUnary<Op>(node);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Complex", kCpu, &MakeComplex);
  registry.Add("Real", kCpu, &MakeReal<Real>);
  registry.Add("Imag", kCpu, &MakeReal<Imag>);
  registry.Add("ComplexAbs", kCpu, &MakeReal<Absolute>);
  registry.Add("Angle", kCpu, &MakeReal<Angle>);
  registry.Add("Conj", kCpu, &MakeUnary<Conjugation>);
}

}  // namespace leat::kernels::cpu::complex
