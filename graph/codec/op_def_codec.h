// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Converts OpDef to and from TensorFlow's OpDef message, which is the signature
// of a function or an entry in a list of ops. Descriptions, deprecations and
// full types are not kept. Decoding checks the messages, because they are
// untrusted. The functions of this header are thread-safe.
#ifndef LEAT_GRAPH_CODEC_OP_DEF_CODEC_H_
#define LEAT_GRAPH_CODEC_OP_DEF_CODEC_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/op_def.h"

namespace leat::pb {
class OpDef;
}  // namespace leat::pb

namespace leat {

// Decodes an op. The result has no shape function. Fails with INVALID_ARGUMENT,
// naming the op and the argument or attr, for a signature that contradicts
// itself. Examples are empty or repeated names, unknown types, an argument with
// no type or with two types, references to undeclared attrs, and default values
// outside of their bounds.
absl::StatusOr<OpDef> OpDefFromProto(const pb::OpDef& proto);

// Encodes an op and overwrites `proto`. Fails as AttrValueToProto does for a
// default value.
absl::Status OpDefToProto(const OpDef& op, pb::OpDef& proto);

}  // namespace leat

#endif  // LEAT_GRAPH_CODEC_OP_DEF_CODEC_H_
