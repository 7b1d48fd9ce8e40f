// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Converts Function to and from TensorFlow's FunctionDef message.
// Shared-resource ids and debug information are not kept, because calls are
// inlined before placement. Decoding checks the messages, because they are
// untrusted. The functions of this header are thread-safe, but two threads must
// not share an AttrBudget.
#ifndef LEAT_GRAPH_CODEC_FUNCTION_CODEC_H_
#define LEAT_GRAPH_CODEC_FUNCTION_CODEC_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/codec/attr_codec.h"
#include "leat/graph/function_library.h"

namespace leat::pb {
class FunctionDef;
}  // namespace leat::pb

namespace leat {

// Decodes a function. Its `returns` are in the order of the signature's
// outputs. Fails with INVALID_ARGUMENT for a malformed signature or attr, or if
// the function does not return exactly the results that the signature declares.
// Fails with RESOURCE_EXHAUSTED for tensors above the budget. Errors name the
// function and, for an attr of a node, the node. Does not check what the nodes
// of the body refer to: ValidateBody and ValidateFunctions (graph_validation.h)
// check that.
absl::StatusOr<std::shared_ptr<const Function>> FunctionFromProto(
    const pb::FunctionDef& proto, AttrBudget& budget);

// Encodes a function and overwrites `proto`. Fails as AttrValueToProto does. An
// error for an attr of a node names the function and the node.
absl::Status FunctionToProto(const Function& function, pb::FunctionDef& proto);

}  // namespace leat

#endif  // LEAT_GRAPH_CODEC_FUNCTION_CODEC_H_
