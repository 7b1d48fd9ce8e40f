// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionGraph holds the graph of a session in two forms. The client's graph is
// the graph as the client built and extended it. The prepared graph
// (partitioner/prepare_graph.h) is made from the client's graph. Steps are
// planned from the prepared graph. The local session and the master use a
// SessionGraph.
#ifndef LEAT_RUNTIME_SESSION_GRAPH_H_
#define LEAT_RUNTIME_SESSION_GRAPH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/device.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/analysis/graph_totals.h"
#include "leat/graph/graph.h"
#include "leat/graph/graph_addition.h"
#include "leat/graph/io/graph_def.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat {

// Is thread-safe. While an extension is being prepared, steps are still planned
// from the previous prepared graph. A SessionGraph owns everything that it
// keeps, except options.policies, which is borrowed.
//
// An extension takes time in proportion to what is new, and all older nodes
// stay on their devices. However, the whole graph is prepared again if
// PreparedGraph::Prepare (partitioner/prepared_graph.h) cannot add to it. In
// this case stateless nodes may move. Stateful nodes stay, because the devices
// hold their state.
class SessionGraph {
 public:
  // Prepares `client`, whose nodes may be placed on any of `devices`. Fails as
  // PrepareGraph does.
  static absl::StatusOr<std::unique_ptr<SessionGraph>> Create(
      Graph client, std::vector<DeviceInfo> devices, PrepareOptions options);
  SessionGraph(const SessionGraph&) = delete;
  SessionGraph& operator=(const SessionGraph&) = delete;
  ~SessionGraph();

  // The two functions below add nodes and functions, prepare them and raise the
  // version by one. If one fails, the graph stays as it was. They fail as
  // PrepareGraph does, and also as follows.

  // Adds what is new in `addition`. Fails as MergeGraph does, for a node or
  // function that differs from the graph's node or function of the same name.
  absl::Status Extend(const Graph& addition);
  // Adds all of `addition` and returns the new version. Fails as ExtendGraph
  // does; every node must have a new name. Returns ABORTED if the graph's
  // version is not `version`, because another client of the session has
  // extended the graph in the meantime.
  absl::StatusOr<int64_t> ExtendAtVersion(const pb::GraphDef& addition,
                                          int64_t version,
                                          const ImportLimits& limits);

  // Returns the prepared graph, which does not change while the caller holds
  // it. If nobody holds the graph, an extension changes it in place. Otherwise
  // an extension has to copy it first, so callers should not hold it for long.
  std::shared_ptr<const Graph> prepared() const;
  // Returns the number of extensions so far.
  int64_t version() const;

 private:
  // A Shared is a prepared graph with a count of its current holders.
  class Shared;

  SessionGraph(Graph client, std::vector<DeviceInfo> devices,
               PrepareOptions options);

  // Prepares what was added to `client_`. If that fails, undoes the addition.
  absl::Status Prepare(const GraphAddition& addition)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(extending_);
  // Returns the prepared graph for a thread that holds `extending_`. Only such
  // a thread changes it.
  std::shared_ptr<Shared> current() const;

  const std::vector<DeviceInfo> devices_;
  const PrepareOptions options_;

  // `extending_` is held while an extension is prepared, which may take long.
  // `mutex_` is held only to read, change or replace the prepared graph. A
  // thread that takes both takes `extending_` first.
  Mutex extending_;
  // Is the graph as the client built it.
  Graph client_ ABSL_GUARDED_BY(extending_);
  // Holds the totals of `client_`. Is absent if they have to be counted again.
  std::optional<GraphTotals> totals_ ABSL_GUARDED_BY(extending_);

  mutable Mutex mutex_;
  std::shared_ptr<Shared> prepared_ ABSL_GUARDED_BY(mutex_);
  int64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SESSION_GRAPH_H_
