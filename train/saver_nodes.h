// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddSaverNodes adds the nodes that save variables in a checkpoint and restore
// them: those of a Saver (saver.h), and of a SavedModel.
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

// A variable, and the tensor of the checkpoint that has its value.
struct SavedVariable {
  Output handle;  // as Variable::handle()
  Output value;
  PartialShape shape;
  std::string key;  // the name of the tensor
  // Which part of the tensor, as "SHAPE SLICE" (tensor_slice.h), or "" if all.
  std::string slice = {};
};

// Returns the variables as they are saved: under their names, and parts of a
// larger variable as parts of one tensor.
std::vector<SavedVariable> SavedVariables(absl::Span<const Variable> variables);

// The names of the nodes of a Saver.
struct SaverNodes {
  std::string prefix;   // a string; steps feed it with the checkpoint's prefix
  std::string read;     // returns once all variables have been read
  std::string save;     // writes the checkpoint
  std::string restore;  // assigns all variables

  // Returns what a program of TensorFlow must know of them.
  pb::SaverDef ToProto(int max_to_keep, bool sharded) const;
};

// Adds the nodes in a scope `name`, with the names that TensorFlow gives them.
// `sharded` is that of SaverOptions. Errors go to the builder, and the result
// is then empty. Not thread-safe, as the builder.
SaverNodes AddSaverNodes(GraphBuilder& builder,
                         absl::Span<const SavedVariable> variables,
                         bool sharded, const std::string& name,
                         SourceLocation location);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVER_NODES_H_
