// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddSaverNodes adds the nodes that save variables in a checkpoint and restore
// them. A Saver (saver.h) and a SavedModel use these nodes.
#ifndef LEAT_TRAIN_SAVER_NODES_H_
#define LEAT_TRAIN_SAVER_NODES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "leat/core/source_location.h"
#include "leat/graph/builder/builder.h"

namespace leat::pb {
class SaverDef;
}  // namespace leat::pb

namespace leat {

// Describes a variable, and the tensor of the checkpoint that has its value.
struct SavedVariable {
  Output handle;  // as Variable::handle()
  Output value;
  PartialShape shape;
  std::string key;  // the name of the tensor
  // Says which part of the tensor the variable has, as "SHAPE SLICE"
  // (tensor_slice.h). It is "" if the variable has the whole tensor.
  std::string slice = {};
};

// Returns how each variable is saved. A variable is saved as a tensor with the
// name of the variable. The parts of a larger variable are saved as parts of
// one tensor.
std::vector<SavedVariable> SavedVariables(absl::Span<const Variable> variables);

// Holds the names of the nodes of a Saver.
struct SaverNodes {
  std::string prefix;   // a string; steps feed it with the checkpoint's prefix
  std::string read;     // runs when all variables have been read
  std::string save;     // writes the checkpoint
  std::string restore;  // assigns all variables

  // Returns the message that tells these names to programs of TensorFlow.
  pb::SaverDef ToProto(int max_to_keep, bool sharded) const;
};

// Adds the nodes in a scope `name`, with the names that TensorFlow gives them.
// `sharded` is as in SaverOptions. Errors go to the builder, and the result is
// empty after an error. Like the builder, this function is not thread-safe.
SaverNodes AddSaverNodes(GraphBuilder& builder,
                         absl::Span<const SavedVariable> variables,
                         bool sharded, const std::string& name,
                         SourceLocation location);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVER_NODES_H_
