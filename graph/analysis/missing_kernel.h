// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HasKernel and MissingKernelError are about nodes of known ops for which there
// is no kernel. A graph may contain such nodes; a step that reaches one fails.
// The functions of this header are stateless and thread-safe.
#ifndef LEAT_GRAPH_ANALYSIS_MISSING_KERNEL_H_
#define LEAT_GRAPH_ANALYSIS_MISSING_KERNEL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"
#include "leat/graph/op_registry.h"

namespace leat {

// Returns true if some device type has a kernel for the node's op and attrs.
bool HasKernel(const OpRegistry& ops, const NodeDef& node);

// Returns an UNIMPLEMENTED error that says what is missing: a kernel of the op
// for `device_type`, or a kernel for the types of the node. The error names the
// node, its types, and the ops that NearestOps returns.
absl::Status MissingKernelError(const OpRegistry& ops, const NodeDef& node,
                                absl::string_view device_type);

// Returns the types that the attrs of the node name, such as "T=string" or
// "Tin=[int64, string]", separated by commas. Cuts a long text.
std::string TypesText(const NodeDef& node);

// Returns at most three ops that have a kernel and whose names are nearly equal
// to `name`, the nearest first.
std::vector<std::string> NearestOps(const OpRegistry& ops,
                                    absl::string_view name);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_MISSING_KERNEL_H_
