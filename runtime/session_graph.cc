// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/session_graph.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/extend_graph.h"
#include "leat/graph/merge.h"
#include "leat/partitioner/prepared_graph.h"

namespace leat {

class SessionGraph::Shared {
 public:
  explicit Shared(PreparedGraph prepared) : prepared_(std::move(prepared)) {}

  const PreparedGraph& prepared() const { return prepared_; }

  // Returns the graph of `shared`, and keeps `shared` alive with it.
  static std::shared_ptr<const Graph> Hold(std::shared_ptr<Shared> shared) {
    MutexLock lock(shared->mutex_);
    ++shared->num_holders_;
    const Graph* const graph = &shared->prepared_.graph();
    return {graph, [shared = std::move(shared)](const Graph*) {
              MutexLock release(shared->mutex_);
              --shared->num_holders_;
            }};
  }

  // If nobody holds the graph, adds to it and returns true. The use count of a
  // shared_ptr would not be enough, because reading that count does not
  // synchronize with the threads that have dropped their references. REQUIRES:
  // no other thread calls Hold or prepared().
  bool Add(const PreparedAddition& prepared, const GraphAddition& addition,
           const Graph& client) {
    MutexLock lock(mutex_);
    if (num_holders_ > 0) return false;
    prepared_.Add(prepared, addition, client);
    return true;
  }

 private:
  PreparedGraph prepared_;
  Mutex mutex_;
  int num_holders_ ABSL_GUARDED_BY(mutex_) = 0;
};

SessionGraph::SessionGraph(Graph client, std::vector<DeviceInfo> devices,
                           PrepareOptions options)
    : devices_(std::move(devices)),
      options_(std::move(options)),
      client_(std::move(client)),
      totals_(TotalsOf(client_)) {
  // Reserves memory, so that the first extension does not have to move all
  // nodes.
  client_.Reserve(client_.num_ids() + client_.num_ids() / 8);
}

SessionGraph::~SessionGraph() = default;

absl::StatusOr<std::unique_ptr<SessionGraph>> SessionGraph::Create(
    Graph client, std::vector<DeviceInfo> devices, PrepareOptions options) {
  LEAT_ASSIGN_OR_RETURN(Graph prepared, PrepareGraph(client, devices, options));
  auto graph = std::unique_ptr<SessionGraph>(new SessionGraph(
      std::move(client), std::move(devices), std::move(options)));
  MutexLock lock(graph->mutex_);
  graph->prepared_ =
      std::make_shared<Shared>(PreparedGraph(std::move(prepared)));
  return graph;
}

absl::Status SessionGraph::Extend(const Graph& addition) {
  MutexLock lock(extending_);
  LEAT_ASSIGN_OR_RETURN(const GraphAddition added,
                        MergeGraph(addition, client_));
  LEAT_RETURN_IF_ERROR(Prepare(added));
  totals_.reset();
  return absl::OkStatus();
}

absl::StatusOr<int64_t> SessionGraph::ExtendAtVersion(
    const pb::GraphDef& addition, int64_t version, const ImportLimits& limits) {
  MutexLock lock(extending_);
  const int64_t current = this->version();
  if (current != version) {
    return absl::AbortedError(absl::StrCat(
        "Current version is ", current, " but caller expected ", version, "."));
  }
  if (!totals_.has_value()) totals_ = TotalsOf(client_);
  LEAT_ASSIGN_OR_RETURN(GraphExtension extension,
                        ExtendGraph(addition, client_, *totals_, limits));
  LEAT_RETURN_IF_ERROR(Prepare(extension.addition));
  totals_->Add(std::move(extension.totals));
  return this->version();
}

std::shared_ptr<const Graph> SessionGraph::prepared() const {
  MutexLock lock(mutex_);
  return Shared::Hold(prepared_);
}

int64_t SessionGraph::version() const {
  MutexLock lock(mutex_);
  return version_;
}

std::shared_ptr<SessionGraph::Shared> SessionGraph::current() const {
  MutexLock lock(mutex_);
  return prepared_;
}

absl::Status SessionGraph::Prepare(const GraphAddition& addition) {
  const std::shared_ptr<Shared> shared = current();
  const PreparedGraph& previous = shared->prepared();
  const std::optional<PreparedAddition> prepared =
      previous.Prepare(client_, addition.first, devices_, options_);
  if (prepared.has_value()) {
    MutexLock lock(mutex_);
    if (shared->Add(*prepared, addition, client_)) {
      ++version_;
      return absl::OkStatus();
    }
  }
  std::shared_ptr<Shared> next;
  if (prepared.has_value()) {
    PreparedGraph copy = previous;
    copy.Add(*prepared, addition, client_);
    next = std::make_shared<Shared>(std::move(copy));
  } else {
    absl::StatusOr<Graph> whole =
        PrepareGraph(client_, devices_, options_, &previous.graph());
    if (!whole.ok()) {
      addition.Undo(client_);
      return whole.status();
    }
    next = std::make_shared<Shared>(PreparedGraph(*std::move(whole)));
  }
  MutexLock lock(mutex_);
  prepared_.swap(next);
  ++version_;
  return absl::OkStatus();
}

}  // namespace leat
