// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpDef to and from TensorFlow's OpDef message: signatures of functions, lists
// of ops. Descriptions, deprecations and full types are not kept.
#ifndef LEAT_GRAPH_OP_DEF_CODEC_H_
#define LEAT_GRAPH_OP_DEF_CODEC_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/op_def.h"

namespace leat::pb {
class OpDef;
}  // namespace leat::pb

namespace leat {

// INVALID_ARGUMENT naming the op and the argument or attr for a signature that
// contradicts itself: empty or repeated names, unknown types, an argument with
// no type or two, attrs that are referred to but not declared, defaults outside
// their bounds. The result has no shape function.
absl::StatusOr<OpDef> OpDefFromProto(const pb::OpDef& proto);

// Fails as AttrValueToProto does, for a default value.
absl::Status OpDefToProto(const OpDef& op, pb::OpDef& proto);

}  // namespace leat

#endif  // LEAT_GRAPH_OP_DEF_CODEC_H_
