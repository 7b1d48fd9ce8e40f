// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckpointFolder is the folder in which a training program keeps its latest
// checkpoints.
//
//   LEAT_ASSIGN_OR_RETURN(auto folder,
//                         CheckpointFolder::Open(files, "/models/mnist/ckpt"));
//   // A checkpoint "/models/mnist/ckpt-1000" is written.
//   LEAT_RETURN_IF_ERROR(
//       folder.Add("/models/mnist/ckpt-1000", 5, absl::Now()));
#ifndef LEAT_CHECKPOINT_CHECKPOINT_FOLDER_H_
#define LEAT_CHECKPOINT_CHECKPOINT_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/protos/checkpoint_state.pb.h"

namespace leat {

// Holds a lock on the folder, so that two programs do not save there at the
// same time. Not thread-safe. All errors name the file.
class CheckpointFolder {
 public:
  // Makes the folder of the checkpoints "PATH-STEP" if there is none, and locks
  // it. Adopts the checkpoints "PATH-STEP" that its state file lists. Removes
  // the files that an earlier program was writing for such a checkpoint when it
  // was killed. Returns FAILED_PRECONDITION if another program has locked the
  // folder.
  static absl::StatusOr<CheckpointFolder> Open(const FileAccess& files,
                                               const std::string& path);

  // Adds the checkpoint with the prefix `saved` to the state file, as the
  // latest one. `now` is the time at which it was written. Then removes the
  // oldest checkpoints of the folder until at most `max_to_keep` are left; 0
  // keeps all. It is no error if a checkpoint cannot be removed.
  absl::Status Add(const std::string& saved, int max_to_keep, absl::Time now);

 private:
  CheckpointFolder(const FileAccess& files, std::string path,
                   FileDescriptor lock);
  // Removes the files that a program was writing when it was killed. Ignores
  // errors.
  void RemoveLeftovers() const;

  FileAccess files_;
  std::string path_;  // all prefixes of the checkpoints begin with it
  std::string folder_;
  FileDescriptor lock_;
  pb::CheckpointState state_;
};

}  // namespace leat

#endif  // LEAT_CHECKPOINT_CHECKPOINT_FOLDER_H_
