// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionGraph: the graph of a session, as its client has made and extended it,
// and prepared (partitioner/prepare_graph.h), from which steps are planned. The
// local session and the master both have one. Thread-safe: while the graph is
// extended, steps of the one before are planned.
#ifndef LEAT_RUNTIME_SESSION_GRAPH_H_
#define LEAT_RUNTIME_SESSION_GRAPH_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/device.h"
#include "leat/core/mutex.h"
#include "leat/graph/graph.h"
#include "leat/graph/graph_def.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat {

class SessionGraph {
 public:
  // `devices`: all that nodes may be placed on. Fails as PrepareGraph does.
  static absl::StatusOr<std::unique_ptr<SessionGraph>> Create(
      Graph client, std::vector<DeviceInfo> devices, PrepareOptions options);
  SessionGraph(const SessionGraph&) = delete;
  SessionGraph& operator=(const SessionGraph&) = delete;

  // Each adds nodes and functions, and raises the version by one; on failure
  // the graph is as it was. Fail as PrepareGraph does, and:

  // As MergeGraphs: what is there already may come again.
  absl::Status Extend(const Graph& addition);
  // As ExtendGraph: every name must be new.
  absl::Status ExtendFrom(const pb::GraphDef& addition,
                          const ImportLimits& limits);
  // The same, ABORTED unless the graph is at `version`: another client of the
  // session has extended it meanwhile. Gives the version that it is at then.
  absl::StatusOr<int64_t> ExtendAtVersion(const pb::GraphDef& addition,
                                          int64_t version,
                                          const ImportLimits& limits);

  // Never changed: an extension replaces it.
  std::shared_ptr<const Graph> prepared() const;
  // 0 at first.
  int64_t version() const;

 private:
  SessionGraph(Graph client, std::vector<DeviceInfo> devices,
               PrepareOptions options)
      : devices_(std::move(devices)),
        options_(std::move(options)),
        client_(std::move(client)) {}

  absl::Status ExtendLocked(const pb::GraphDef& addition,
                            const ImportLimits& limits)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(extending_);
  absl::Status Replace(Graph client) ABSL_EXCLUSIVE_LOCKS_REQUIRED(extending_);

  const std::vector<DeviceInfo> devices_;
  const PrepareOptions options_;

  // Held while an extension is prepared, which takes long; `mutex_`, taken
  // after it, only to read or replace the outcome.
  Mutex extending_;
  Graph client_ ABSL_GUARDED_BY(extending_);

  mutable Mutex mutex_;
  std::shared_ptr<const Graph> prepared_ ABSL_GUARDED_BY(mutex_);
  int64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SESSION_GRAPH_H_
