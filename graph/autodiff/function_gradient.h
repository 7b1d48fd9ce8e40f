// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionGradient makes the function that a SymbolicGradient calls. It is
// stateless and thread-safe.
#ifndef LEAT_GRAPH_AUTODIFF_FUNCTION_GRADIENT_H_
#define LEAT_GRAPH_AUTODIFF_FUNCTION_GRADIENT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "leat/graph/function_library.h"
#include "leat/graph/op_registry.h"

namespace leat {

// Returns a function called `name` that computes the gradients of `function`,
// as it is called with the attrs `attrs`. The arguments of the new function are
// those of `function`, and then the gradients of its results. The results are
// the gradients of the arguments of `function`. They are zeros for an argument
// on which no result depends. The new function computes again what it needs of
// the results of `function`.
//
// Fails as Instantiate (graph/functions/instantiate.h) does, and with
// INVALID_ARGUMENT, naming the node, for a loop and for an op without a
// gradient. Fails with UNIMPLEMENTED for gradients of complex values. Has the
// same preconditions as Instantiate.
absl::StatusOr<Function> FunctionGradient(const Function& function,
                                          const AttrMap& attrs,
                                          const OpRegistry& ops,
                                          const FunctionLibrary& library,
                                          int64_t max_tensors,
                                          const std::string& name);

}  // namespace leat

#endif  // LEAT_GRAPH_AUTODIFF_FUNCTION_GRADIENT_H_
