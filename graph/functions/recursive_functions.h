// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecursiveFunctions finds the functions that cannot be inlined, because
// inlining them would never end. It is stateless and thread-safe.
#ifndef LEAT_GRAPH_FUNCTIONS_RECURSIVE_FUNCTIONS_H_
#define LEAT_GRAPH_FUNCTIONS_RECURSIVE_FUNCTIONS_H_

#include <string>

#include "absl/container/flat_hash_set.h"
#include "leat/graph/function_library.h"

namespace leat {

// Returns the names of the functions of `library` that call themselves,
// directly or through other functions. If a path of calls leads from one of
// these functions to another one, also returns the functions on this path. A
// function counts as called if a node names it in its attrs or as its op. A
// SymbolicGradient calls the gradient of the function that it names. Takes time
// in proportion to the size of the library.
absl::flat_hash_set<std::string> RecursiveFunctions(
    const FunctionLibrary& library);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTIONS_RECURSIVE_FUNCTIONS_H_
