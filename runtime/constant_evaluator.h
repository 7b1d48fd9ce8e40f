// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The ConstantEvaluator of passes: runs CPU kernels while a step is planned.
#ifndef LEAT_RUNTIME_CONSTANT_EVALUATOR_H_
#define LEAT_RUNTIME_CONSTANT_EVALUATOR_H_

#include <memory>

#include "leat/core/work_queue.h"
#include "leat/graph/constant_evaluator.h"
#include "leat/kernels/kernel_registry.h"

namespace leat {

// Both are borrowed and outlive the evaluator; kernels split their work over
// `queue`, whose threads need not be free. UNIMPLEMENTED for stateful ops and
// kernels that wait. What it returns is in memory of the host.
std::unique_ptr<ConstantEvaluator> NewConstantEvaluator(
    const KernelRegistry& kernels, WorkQueue& queue);

}  // namespace leat

#endif  // LEAT_RUNTIME_CONSTANT_EVALUATOR_H_
