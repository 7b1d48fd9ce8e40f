// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Function to and from TensorFlow's FunctionDef message. Shared-resource ids
// and debug information are not kept: calls are inlined before placement.
#ifndef LEAT_GRAPH_FUNCTION_CODEC_H_
#define LEAT_GRAPH_FUNCTION_CODEC_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/attr_codec.h"
#include "leat/graph/function_library.h"

namespace leat::pb {
class FunctionDef;
}  // namespace leat::pb

namespace leat {

// INVALID_ARGUMENT naming the function, and the node where there is one, for a
// malformed signature or attr, or when what is returned is not what the
// signature declares. Returns stand in the signature's order. What the body's
// nodes refer to is checked by ValidateFunctions (graph_validation.h).
absl::StatusOr<std::shared_ptr<const Function>> FunctionFromProto(
    const pb::FunctionDef& proto, AttrBudget& budget);

// Overwrites `proto`. Fails as AttrValueToProto does, naming function and node.
absl::Status FunctionToProto(const Function& function, pb::FunctionDef& proto);

}  // namespace leat

#endif  // LEAT_GRAPH_FUNCTION_CODEC_H_
