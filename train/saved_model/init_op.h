// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InitOpOf finds the op that initializes a SavedModel after its variables have
// been restored. For example, the op fills tables. The functions are stateless
// and thread-safe.
#ifndef LEAT_TRAIN_SAVED_MODEL_INIT_OP_H_
#define LEAT_TRAIN_SAVED_MODEL_INIT_OP_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat::pb {
class MetaGraphDef;
}  // namespace leat::pb

namespace leat {

// Is the name of the collection that contains the name of the op.
inline constexpr char kMainOpCollection[] = "saved_model_main_op";

// Returns true for the names under which TensorFlow stores an init op or a
// train op as a signature. A caller cannot run these signatures.
bool IsInitSignature(absl::string_view name);

// Returns the name of the init op, or "" if there is none. Looks where
// TensorFlow looks: in the signature __saved_model_init_op, and in the
// collections saved_model_main_op and legacy_init_op. Returns INVALID_ARGUMENT
// if a collection does not name exactly one op.
absl::StatusOr<std::string> InitOpOf(const pb::MetaGraphDef& meta);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_INIT_OP_H_
