// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelSignature: that an op has a kernel for a device type, and what planning
// must know of it. Data beside the op definition, always compiled, so that a
// master without CUDA can plan for a GPU task.
#ifndef LEAT_GRAPH_KERNEL_SIGNATURE_H_
#define LEAT_GRAPH_KERNEL_SIGNATURE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "leat/graph/attr.h"

namespace leat {

// The attr (or every type of the list attr) must be one of these types.
struct TypeConstraint {
  std::string attr = {};
  std::vector<DType> types = {};
};

// Whether running a kernel is worth another thread.
enum class CostClass : uint8_t {
  kQuick,      // as kCheap, and in no time (to begin it, if it is
               // asynchronous), whatever the sizes of tensors
  kCheap,      // inline on the thread that made it ready
  kExpensive,  // to the pool when there is anything else to do
};

struct KernelSignature {
  std::string device_type = "CPU";
  std::vector<TypeConstraint> constraints = {};
  std::vector<std::string> host_inputs = {};  // argument names in host memory
  std::vector<std::string> host_outputs = {};
  int priority = 0;  // higher is preferred among device types
  CostClass cost = CostClass::kCheap;
  bool foldable = true;        // constant folding may run it
  bool retains_input = false;  // an output or a resource keeps an input's bytes
};

// `attrs` satisfy every constraint.
bool Accepts(const KernelSignature& signature, const AttrMap& attrs);

// Shorthands for op files: `OnCpu()`, `OnCpu({{"T", kFloats.dtypes()}})`.
KernelSignature OnCpu(std::vector<TypeConstraint> constraints = {});
KernelSignature QuickOnCpu();
KernelSignature ExpensiveOnCpu(std::vector<TypeConstraint> constraints = {});
// The same signature with retains_input set, or foldable cleared.
KernelSignature RetainsInput(KernelSignature signature);
KernelSignature NotFoldable(KernelSignature signature);

}  // namespace leat

#endif  // LEAT_GRAPH_KERNEL_SIGNATURE_H_
