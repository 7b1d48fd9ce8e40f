// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewConstantEvaluator makes the evaluator that graph passes, such as constant
// folding, use while a step is planned. The evaluator runs this library's CPU
// kernels.
#ifndef LEAT_RUNTIME_CONSTANT_EVALUATOR_H_
#define LEAT_RUNTIME_CONSTANT_EVALUATOR_H_

#include <memory>

#include "leat/core/threads/work_queue.h"
#include "leat/graph/optimizer/constant_evaluator.h"
#include "leat/kernels/kernel_registry.h"

namespace leat {

// Returns a thread-safe evaluator that creates kernels from `kernels`. Both
// arguments are borrowed and must outlive the evaluator. Kernels split their
// work over `queue`. They make progress even if all threads of `queue` are
// busy, because the caller's thread works too.
//
// The tensors that Evaluate returns are in host memory. Evaluate fails with
// UNIMPLEMENTED for a stateful op, and for an asynchronous kernel, which may
// have to wait. If there is no kernel for a node, Evaluate fails with the error
// of KernelRegistry::Create.
std::unique_ptr<ConstantEvaluator> NewConstantEvaluator(
    const KernelRegistry& kernels, WorkQueue& queue);

}  // namespace leat

#endif  // LEAT_RUNTIME_CONSTANT_EVALUATOR_H_
