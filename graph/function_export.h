// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ExportFunctions: the bodies built in a GraphBuilder as functions.
#ifndef LEAT_GRAPH_FUNCTION_EXPORT_H_
#define LEAT_GRAPH_FUNCTION_EXPORT_H_

#include "absl/status/status.h"
#include "leat/graph/builder.h"
#include "leat/graph/function_library.h"

namespace leat {

// Adds the functions that the nodes of `builder`, which has no open body, call,
// and those that they call. Nodes that neither a result nor a side effect of a
// function needs are left out; a stateful node that does more than read is one
// of its control outputs.
absl::Status ExportFunctions(const GraphBuilder& builder,
                             FunctionLibrary& functions);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTION_EXPORT_H_
