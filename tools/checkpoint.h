// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// `leat checkpoint` lists, shows, verifies and compares checkpoints.
#ifndef LEAT_TOOLS_CHECKPOINT_H_
#define LEAT_TOOLS_CHECKPOINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/tools/log.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat {

// Holds the command that the user has chosen, and the values of its flags,
// which --help describes.
struct CheckpointOptions {
  std::string command = {};  // "ls", "show", "verify" or "diff"
  std::vector<std::string> paths = {};
  std::string tensor = {};
  int64_t limit = 1000;
  bool json = false;
};

// Adds the commands and their flags to `app`. `options` must outlive the
// parsing of the command line.
void AddCheckpoint(CLI::App& app, CheckpointOptions& options);

// Describes what a command prints.
struct CheckpointReport {
  std::string text = {};
  bool is_good = true;  // the checkpoints are whole, or equal
};

// Runs the command and returns its result. If `options.json` is true, the
// result is JSON (see tools/tensors/). Otherwise it is text, with colours if
// `color` is true.
absl::StatusOr<CheckpointReport> MakeCheckpointReport(
    const CheckpointOptions& options, bool color);

// Runs the command and prints its result. Returns the exit code. The code is
// kExitError if a checkpoint is damaged, cannot be read, or differs from the
// other one. But if `diff` cannot read a checkpoint, the code is kExitUsage
// (2), as for diff(1).
int RunCheckpoint(const CheckpointOptions& options, const Log& log);

}  // namespace leat

#endif  // LEAT_TOOLS_CHECKPOINT_H_
