// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of LogicalAnd, LogicalOr and LogicalNot.
#include <memory>

#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::logical {
namespace {

// `&` and `|` evaluate both operands, so that the loops vectorise.
struct And {
  static bool Do(bool a, bool b) { return (a & b) != 0; }
};
struct Or {
  static bool Do(bool a, bool b) { return (a | b) != 0; }
};
struct Not {
  static bool Do(bool a) { return !a; }
};

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBinary(const NodeDef&) {
  return std::unique_ptr<Kernel>(
      std::make_unique<BinaryKernel>(&BinaryRowOf<Op, bool, bool>, 1));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeNot(const NodeDef&) {
  return std::unique_ptr<Kernel>(
      std::make_unique<UnaryKernel>(&UnaryRowOf<Not, bool, bool>, 1));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("LogicalAnd", kCpu, &MakeBinary<And>);
  registry.Add("LogicalOr", kCpu, &MakeBinary<Or>);
  registry.Add("LogicalNot", kCpu, &MakeNot);
}

}  // namespace leat::kernels::cpu::logical
