// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Saver saves the variables of a graph in checkpoints and restores them
// (tf.compat.v1.train.Saver). TensorFlow reads these checkpoints, and a Saver
// reads those of TensorFlow.
//
//   Saver saver(b);  // the builder has all variables by now
//   LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
//   LEAT_ASSIGN_OR_RETURN(auto session, NewSession(graph));
//   LEAT_RETURN_IF_ERROR(session->Run({.targets = {"train"}}).status());
//   LEAT_RETURN_IF_ERROR(
//       saver.Save(*session, "/models/mnist/model.ckpt", 1).status());
//
// Another program with the same variables can continue from there:
//
//   LEAT_ASSIGN_OR_RETURN(const std::string latest,
//                         Saver::Latest("/models/mnist"));
//   LEAT_RETURN_IF_ERROR(saver.Restore(*session, latest));
//
// RecoverableSession saves and restores by itself; see its option
// `checkpoints`.
#ifndef LEAT_TRAIN_SAVER_H_
#define LEAT_TRAIN_SAVER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/source_location.h"
#include "leat/graph/builder/builder.h"
#include "leat/runtime/session.h"

namespace leat {

struct SaverOptions {
  // Holds the variables to save. Empty stands for all variables that the
  // builder has so far. The parts of a partitioned variable
  // (train/nn/partitioned_variable.h) are saved as one tensor, so that a graph
  // with other parts can restore it.
  std::vector<Variable> variables = {};
  // If false, one task writes and reads all files: the task of the open device
  // scopes, or any task if there are none. If true, each task writes and reads
  // the variables that it has. All tasks then need the same folder, for example
  // in a network file system.
  bool sharded = false;
  // Limits the number of checkpoints that stay in a folder. It must be at least
  // 0; 0 keeps all checkpoints.
  int max_to_keep = 5;
  // If true, each checkpoint has the graph in a file "PREFIX.meta", as in
  // TensorFlow. tf.compat.v1.train.import_meta_graph reads this file. The graph
  // is the one that the builder has when the Saver is made.
  bool write_meta_graph = true;
  // Is the name of the scope of the nodes.
  std::string name = "save";
};

// A Saver keeps the names of the nodes that save and restore, and the folder in
// which it has saved. It does not need the builder after it was made. It is not
// thread-safe.
class Saver {
 public:
  // Adds the nodes to the graph. These errors go to the builder: no variables,
  // or a negative `max_to_keep`.
  explicit Saver(GraphBuilder& builder, SaverOptions options = {},
                 SourceLocation location = SourceLocation::Current());
  ~Saver();
  Saver(Saver&&) noexcept;
  Saver& operator=(Saver&&) noexcept;

  // Saves the variables under the prefix "PATH-STEP", or `path` if there is no
  // step, and returns the prefix. The tasks write the files. This process
  // writes the graph and the state file "checkpoint" beside them, and removes
  // the oldest checkpoints of this path. So the tasks and this process need the
  // same folder, as in TensorFlow. Servers must be allowed to write to this
  // folder (ServerOptions::files, or the flag --file-root of `leat serve`).
  //
  // If Save fails, older checkpoints do not change. While the Saver exists,
  // other programs that save in the folder get FAILED_PRECONDITION. Also
  // returns the errors of Session::Run and of files.
  absl::StatusOr<std::string> Save(Session& session, const std::string& path,
                                   std::optional<int64_t> step = {},
                                   const RunOptions& options = {});

  // Describes a save that Begin has started. It keeps its session alive.
  struct Begun {
    std::string path = {};
    std::string prefix = {};
    PartialRun step = {};
  };
  // Does the first part of Save. Returns when all variables have been read, so
  // later steps may change them while the tasks write the files. (The value of
  // a reference variable may be read later, when it is written to a file.)
  absl::StatusOr<Begun> Begin(Session& session, const std::string& path,
                              std::optional<int64_t> step = {},
                              const RunOptions& options = {});
  // Does the second part of Save. Returns when the checkpoint is complete.
  absl::StatusOr<std::string> Finish(const Begun& begun);

  // Restores the variables from a checkpoint, even if they have not been
  // initialized. Returns NOT_FOUND if the checkpoint lacks a variable or does
  // not exist, INVALID_ARGUMENT if a variable has another dtype or shape in the
  // checkpoint, and DATA_LOSS if a file is damaged. After such an error no
  // variable has changed. If a task is lost meanwhile, some variables may have
  // changed.
  absl::Status Restore(Session& session, const std::string& prefix,
                       const RunOptions& options = {}) const;

  // Returns the prefix of the latest checkpoint in a folder. Returns NOT_FOUND
  // if there is none.
  static absl::StatusOr<std::string> Latest(const std::string& folder);
  // Returns the prefixes of all checkpoints in a folder that its state file
  // lists, the latest one first.
  static absl::StatusOr<std::vector<std::string>> All(
      const std::string& folder);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_SAVER_H_
