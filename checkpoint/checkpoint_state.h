// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The state file of a folder, "checkpoint", lists the checkpoints in the folder
// and says which one is the latest. TensorFlow's Saver writes and reads the
// same file.
//
//   LEAT_ASSIGN_OR_RETURN(const std::string prefix,
//                         LatestCheckpoint(files, "/models/mnist"));
//   LEAT_ASSIGN_OR_RETURN(auto reader, BundleReader::Open(files, prefix));
#ifndef LEAT_CHECKPOINT_CHECKPOINT_STATE_H_
#define LEAT_CHECKPOINT_CHECKPOINT_STATE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/files/file_access.h"
#include "leat/protos/checkpoint_state.pb.h"

namespace leat {

// All functions are thread-safe, and their errors name the file.

// Returns the path of the state file of the folder.
std::string CheckpointStatePath(const std::string& folder);

// Reads the state file of the folder. In the result, a path that was relative
// in the file begins with the folder. Returns NOT_FOUND if there is no state
// file, and DATA_LOSS if it is larger than 16 MiB or is no CheckpointState.
absl::StatusOr<pb::CheckpointState> ReadCheckpointState(
    const FileAccess& files, const std::string& folder);

// Replaces the state file of the folder. Paths that begin with the folder are
// relative in the file, so that the folder can be moved.
absl::Status WriteCheckpointState(const FileAccess& files,
                                  const std::string& folder,
                                  pb::CheckpointState state);

// Returns the prefix of the latest checkpoint of the folder, as the state file
// gives it. Returns NOT_FOUND if there is none.
absl::StatusOr<std::string> LatestCheckpoint(const FileAccess& files,
                                             const std::string& folder);

// Returns the prefixes of the checkpoints that a program may restore, the
// latest one first and then the others, from newer to older. Returns an empty
// list if the folder has no state file.
absl::StatusOr<std::vector<std::string>> CheckpointsToRestore(
    const FileAccess& files, const std::string& folder);

// Removes the files of a checkpoint: first the index, so that no incomplete
// checkpoint can be found, then the tensors, and TensorFlow's graph (".meta").
// It is no error if some of them do not exist.
absl::Status RemoveCheckpoint(const FileAccess& files,
                              const std::string& prefix);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_CHECKPOINT_STATE_H_
