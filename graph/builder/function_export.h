// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ExportFunctions turns the bodies that were built in a GraphBuilder into
// functions of a library. GraphBuilder::Build() calls it. ExportFunctions is
// not thread-safe, as GraphBuilder is not.
#ifndef LEAT_GRAPH_BUILDER_FUNCTION_EXPORT_H_
#define LEAT_GRAPH_BUILDER_FUNCTION_EXPORT_H_

#include "absl/status/status.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/function_library.h"

namespace leat {

// Adds to `functions` the functions that the nodes of `builder` call, directly
// or through other functions. A function gets only the nodes that its results
// or its side effects need. Stateful nodes that do more than read become
// control outputs of the function. Fails with INVALID_ARGUMENT if the library
// has another function of the same name. REQUIRES: no body of `builder` is
// open.
absl::Status ExportFunctions(const GraphBuilder& builder,
                             FunctionLibrary& functions);

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_FUNCTION_EXPORT_H_
