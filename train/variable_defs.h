// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions describe variables in TensorFlow's messages. They are
// stateless.
#ifndef LEAT_TRAIN_VARIABLE_DEFS_H_
#define LEAT_TRAIN_VARIABLE_DEFS_H_

#include <vector>

#include "leat/graph/builder/builder.h"

namespace leat::pb {
class MetaGraphDef;
class SaveSliceInfoDef;
}  // namespace leat::pb

namespace leat {

// Describes the part that `variable` is of a larger variable. The slots that an
// optimizer has for the parts of "w" are parts of slots such as "w/Adam".
// REQUIRES: variable.part() has a value.
pb::SaveSliceInfoDef SliceInfoOf(const Variable& variable);

// Adds the collections from which a program of TensorFlow that imports the
// graph learns its variables (tf.compat.v1.global_variables and
// trainable_variables).
void AddVariableCollections(const std::vector<Variable>& variables,
                            pb::MetaGraphDef& meta);

}  // namespace leat

#endif  // LEAT_TRAIN_VARIABLE_DEFS_H_
