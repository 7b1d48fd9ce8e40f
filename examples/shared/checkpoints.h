// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Declares the flags of the examples that save checkpoints.
#ifndef LEAT_EXAMPLES_SHARED_CHECKPOINTS_H_
#define LEAT_EXAMPLES_SHARED_CHECKPOINTS_H_

#include <string>

#include "absl/status/status.h"
#include "leat/distributed/server/server.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/session_checkpoints.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat::examples {

struct CheckpointFlags {
  std::string folder = {};  // "": no checkpoints
  double save_every = 60;   // seconds
};

// Adds --checkpoints and --save-every. `flags` must outlive the parsing.
void AddCheckpointFlags(CLI::App& app, CheckpointFlags& flags);

// Makes the folder, and lets graphs on the server of this task write there.
// Does nothing if `flags.folder` is "".
absl::Status AllowCheckpoints(const CheckpointFlags& flags,
                              ServerOptions& server);

// Returns the options for the checkpoints of a training. If this task is the
// chief and there is a folder, adds a Saver for all variables to the graph.
CheckpointOptions CheckpointsOf(const CheckpointFlags& flags, GraphBuilder& b,
                                const Output& global_step, bool is_chief);

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_CHECKPOINTS_H_
