// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saver.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/checkpoint_folder.h"
#include "leat/checkpoint/checkpoint_state.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/io/message_file.h"
#include "leat/protos/meta_graph.pb.h"
#include "leat/train/saver_nodes.h"
#include "leat/train/variable_defs.h"

namespace leat {

namespace {

std::string PrefixOf(const std::string& path, std::optional<int64_t> step) {
  return step.has_value() ? absl::StrCat(path, "-", *step) : path;
}

}  // namespace

struct Saver::State {
  // Opens the folder of the checkpoints `path`, unless it is open.
  absl::Status Open(const std::string& wanted) {
    if (folder.has_value() && path == wanted) return absl::OkStatus();
    folder.reset();  // unlocks it, because it may be the same folder
    LEAT_ASSIGN_OR_RETURN(
        folder, CheckpointFolder::Open(FileAccess::Unrestricted(), wanted));
    path = wanted;
    return absl::OkStatus();
  }
  // Writes the graph of a checkpoint, adds the checkpoint to the state file,
  // and removes the oldest checkpoint if there are too many.
  absl::StatusOr<std::string> Keep(const std::string& prefix) {
    if (graph.has_value()) {
      LEAT_ASSIGN_OR_RETURN(const pb::MetaGraphDef meta, MetaGraph());
      LEAT_RETURN_IF_ERROR(WriteMessage(meta, MetaPath(prefix)));
    }
    LEAT_RETURN_IF_ERROR(folder->Add(prefix, max_to_keep, absl::Now()));
    return prefix;
  }
  // Runs the node `target` for the checkpoint `prefix`.
  absl::Status Run(Session& session, const std::string& target,
                   const std::string& prefix, const RunOptions& options) const {
    return session
        .Run({.feeds = {{nodes.prefix, Tensor::Scalar<std::string>(prefix)}},
              .targets = {target},
              .options = options})
        .status();
  }

  // Returns a copy of `names` that also contains the graph.
  absl::StatusOr<pb::MetaGraphDef> MetaGraph() const {
    pb::MetaGraphDef meta = names;
    LEAT_RETURN_IF_ERROR(ExportGraphDef(*graph, *meta.mutable_graph_def()));
    return meta;
  }

  SaverNodes nodes;
  int max_to_keep = 0;
  std::optional<Graph> graph;  // absent if checkpoints do not get it
  // Holds the names of the Saver's nodes and of the variables.
  pb::MetaGraphDef names;
  // `path` is the path that the last save was given. `folder` is the folder of
  // this path.
  std::string path;
  std::optional<CheckpointFolder> folder;
};

Saver::Saver(GraphBuilder& builder, SaverOptions options,
             SourceLocation location)
    : state_(std::make_unique<State>()) {
  if (options.max_to_keep < 0) {
    builder.Fail(
        absl::InvalidArgumentError(absl::StrCat(
            "a Saver cannot keep ", options.max_to_keep, " checkpoints")),
        location);
  }
  state_->max_to_keep = options.max_to_keep;
  state_->nodes = AddSaverNodes(
      builder,
      SavedVariables(options.variables.empty() ? builder.variables()
                                               : options.variables),
      options.sharded, options.name, location);
  if (!options.write_meta_graph) return;
  // If the builder has an error, no session can be made, so nothing will be
  // saved.
  absl::StatusOr<Graph> graph = builder.Build();
  if (!graph.ok()) return;
  state_->graph = *std::move(graph);
  *state_->names.mutable_saver_def() =
      state_->nodes.ToProto(options.max_to_keep, options.sharded);
  AddVariableCollections(builder.variables(), state_->names);
}

Saver::~Saver() = default;
Saver::Saver(Saver&&) noexcept = default;
Saver& Saver::operator=(Saver&&) noexcept = default;

absl::StatusOr<std::string> Saver::Save(Session& session,
                                        const std::string& path,
                                        std::optional<int64_t> step,
                                        const RunOptions& options) {
  LEAT_RETURN_IF_ERROR(state_->Open(path));
  const std::string prefix = PrefixOf(path, step);
  LEAT_RETURN_IF_ERROR(
      state_->Run(session, state_->nodes.save, prefix, options));
  return state_->Keep(prefix);
}

absl::StatusOr<Saver::Begun> Saver::Begin(Session& session,
                                          const std::string& path,
                                          std::optional<int64_t> step,
                                          const RunOptions& options) {
  LEAT_RETURN_IF_ERROR(state_->Open(path));
  const SaverNodes& nodes = state_->nodes;
  Begun begun{.path = path, .prefix = PrefixOf(path, step)};
  LEAT_ASSIGN_OR_RETURN(
      begun.step, session.StartPartialRun({.feeds = {nodes.prefix},
                                           .fetches = {nodes.read, nodes.save},
                                           .options = options}));
  LEAT_RETURN_IF_ERROR(
      begun.step
          .Run({{nodes.prefix, Tensor::Scalar<std::string>(begun.prefix)}},
               {nodes.read})
          .status());
  return begun;
}

absl::StatusOr<std::string> Saver::Finish(const Begun& begun) {
  LEAT_RETURN_IF_ERROR(begun.step.Fetch({state_->nodes.save}).status());
  LEAT_RETURN_IF_ERROR(state_->Open(begun.path));
  return state_->Keep(begun.prefix);
}

absl::Status Saver::Restore(Session& session, const std::string& prefix,
                            const RunOptions& options) const {
  const absl::Status status =
      state_->Run(session, state_->nodes.restore, prefix, options);
  if (status.ok()) return status;
  return WithMessage(status, absl::StrCat("cannot restore the checkpoint '",
                                          prefix, "': ", status.message()));
}

absl::StatusOr<std::string> Saver::Latest(const std::string& folder) {
  return LatestCheckpoint(FileAccess::Unrestricted(), folder);
}

absl::StatusOr<std::vector<std::string>> Saver::All(const std::string& folder) {
  return CheckpointsToRestore(FileAccess::Unrestricted(), folder);
}

}  // namespace leat
