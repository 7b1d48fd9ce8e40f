// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddSaverNodes adds the nodes of a Saver (saver.h) to a graph.
#ifndef LEAT_TRAIN_SAVER_NODES_H_
#define LEAT_TRAIN_SAVER_NODES_H_

#include <string>

#include "leat/core/source_location.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/saver.h"

namespace leat {

// The names of the nodes of a Saver. TensorFlow's SaverDef names the same.
struct SaverNodes {
  std::string prefix;   // a string; steps feed it with the checkpoint's prefix
  std::string read;     // returns once all variables have been read
  std::string save;     // writes the checkpoint
  std::string restore;  // assigns all variables
};

// Adds the nodes, with the names that TensorFlow gives them. Errors go to the
// builder, and the result is then empty. Not thread-safe, as the builder.
SaverNodes AddSaverNodes(GraphBuilder& builder, const SaverOptions& options,
                         SourceLocation location);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVER_NODES_H_
