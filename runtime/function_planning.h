// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionPlanning says how the functions are planned that kernels call while a
// step runs (kernels/function_caller.h).
#ifndef LEAT_RUNTIME_FUNCTION_PLANNING_H_
#define LEAT_RUNTIME_FUNCTION_PLANNING_H_

#include "leat/graph/lowering/lower_limits.h"
#include "leat/graph/optimizer/optimizer_options.h"

namespace leat {

class PassRegistry;
class PolicyRegistry;

// Is a value. The pointers are borrowed.
struct FunctionPlanning {
  // Null if functions cannot be called at run time.
  const PolicyRegistry* policies = nullptr;
  const PassRegistry* passes = nullptr;  // null: no pass is run
  OptimizerOptions optimizer = {};
  LowerLimits limits = {};
};

}  // namespace leat

#endif  // LEAT_RUNTIME_FUNCTION_PLANNING_H_
