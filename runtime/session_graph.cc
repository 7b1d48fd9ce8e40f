// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/session_graph.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/merge.h"

namespace leat {

absl::StatusOr<std::unique_ptr<SessionGraph>> SessionGraph::Create(
    Graph client, std::vector<DeviceInfo> devices, PrepareOptions options) {
  LEAT_ASSIGN_OR_RETURN(Graph prepared, PrepareGraph(client, devices, options));
  auto graph = std::unique_ptr<SessionGraph>(new SessionGraph(
      std::move(client), std::move(devices), std::move(options)));
  MutexLock lock(graph->mutex_);
  graph->prepared_ = std::make_shared<const Graph>(std::move(prepared));
  return graph;
}

absl::Status SessionGraph::Extend(const Graph& addition) {
  MutexLock lock(extending_);
  LEAT_ASSIGN_OR_RETURN(Graph merged, MergeGraphs(client_, addition));
  return Replace(std::move(merged));
}

absl::StatusOr<int64_t> SessionGraph::ExtendAtVersion(
    const pb::GraphDef& addition, int64_t version, const ImportLimits& limits) {
  MutexLock lock(extending_);
  const int64_t current = this->version();
  if (current != version) {
    return absl::AbortedError(absl::StrCat(
        "Current version is ", current, " but caller expected ", version, "."));
  }
  // Works on a copy: if Replace cannot place the new nodes, `client_` must be
  // as before.
  Graph extended = client_;
  LEAT_RETURN_IF_ERROR(ExtendGraph(addition, extended, limits));
  LEAT_RETURN_IF_ERROR(Replace(std::move(extended)));
  return this->version();
}

std::shared_ptr<const Graph> SessionGraph::prepared() const {
  MutexLock lock(mutex_);
  return prepared_;
}

int64_t SessionGraph::version() const {
  MutexLock lock(mutex_);
  return version_;
}

absl::Status SessionGraph::Replace(Graph client) {
  const std::shared_ptr<const Graph> previous = prepared();
  LEAT_ASSIGN_OR_RETURN(
      Graph graph, PrepareGraph(client, devices_, options_, previous.get()));
  client_ = std::move(client);
  auto next = std::make_shared<const Graph>(std::move(graph));
  MutexLock lock(mutex_);
  prepared_.swap(next);
  ++version_;
  return absl::OkStatus();
}

}  // namespace leat
