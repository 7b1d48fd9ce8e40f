// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RegisteredGraph is a compiled graph that a master has registered with this
// task. It maps the rendezvous keys of feeds and fetches to the graph's
// arguments and return values.
#ifndef LEAT_DISTRIBUTED_WORKER_REGISTERED_GRAPH_H_
#define LEAT_DISTRIBUTED_WORKER_REGISTERED_GRAPH_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/collectives/session_collectives.h"
#include "leat/distributed/exchange/recv_bundles.h"
#include "leat/distributed/wire/payload.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/client_terminated.h"
#include "leat/runtime/graph_runner.h"

namespace leat {

// Is thread-safe. Owns the compiled graph, which does not change. Must not
// outlive the devices and resources with which its GraphRunner runs.
class RegisteredGraph {
 public:
  // Says how the steps of a graph get their feeds and return their fetches.
  enum class Use {
    // One call of RunGraph brings all feeds and returns all fetches. They are
    // the arguments and the return values of the graph.
    kWholeSteps,
    // Several calls bring feeds and take fetches. Client-terminated nodes
    // exchange these through the rendezvous of the step.
    kPartialRuns,
    // The graph may be used in either way. A master of TensorFlow says in which
    // way only when it calls RunGraph. The graph is compiled for whole steps,
    // and keeps what ForPartialRuns needs.
    kUnknown,
  };

  // Imports and compiles a graph that a master has placed, partitioned and
  // optimized. The call may take a long time. `task` is the name of the
  // runner's task. Returns INVALID_ARGUMENT, naming the node, if a node has no
  // device or a device of another task. Otherwise fails as ImportGraphDef,
  // RecvsToArgs and GraphRunner::Register do. `collectives` resolves the
  // collectives of the graph, and may be null.
  static absl::StatusOr<std::shared_ptr<const RegisteredGraph>> Create(
      const pb::GraphDef& def, const OpRegistry& ops, ImportLimits limits,
      absl::string_view task, GraphRunner& runner, Use use = Use::kWholeSteps,
      std::shared_ptr<SessionCollectives> collectives = nullptr);

  Use use() const { return use_; }
  const std::shared_ptr<CompiledGraph>& compiled() const { return compiled_; }
  // Returns the bundles in which the graph receives tensors, or null if there
  // are none.
  const std::shared_ptr<const RecvBundles>& bundles() const { return bundles_; }
  // Resolves the collectives of the graph. Is null if it has none.
  const std::shared_ptr<SessionCollectives>& collectives() const {
    return collectives_;
  }
  // Returns the other tasks from which the graph receives tensors, such as
  // "/job:ps/replica:0/task:0".
  const std::vector<std::string>& senders() const { return senders_; }
  // Returns the number of values that a step of this graph returns.
  size_t num_returns() const { return boundary_.fetches.size(); }

  // Returns the same graph, compiled for partial runs. `runner` is the runner
  // that Create got. The first call compiles the graph, which may take a long
  // time. REQUIRES: use() is kUnknown.
  absl::StatusOr<std::shared_ptr<const RegisteredGraph>> ForPartialRuns(
      GraphRunner& runner) const;

  // Returns INVALID_ARGUMENT, naming the key, if no argument has the key of
  // `feed` or the argument has another type.
  absl::Status CheckFeed(const WireTensor& feed) const;
  // Returns the arguments of a step that is fed with `feeds`, by position.
  // Returns INVALID_ARGUMENT, naming the key, unless there is exactly one feed
  // for each argument, with the argument's type.
  absl::StatusOr<std::vector<Tensor>> Arguments(WireTensors feeds) const;

  // Returns, for each key, its position among the step's return values. Returns
  // INVALID_ARGUMENT, naming the key, for a key that the graph does not have or
  // that comes twice.
  absl::StatusOr<std::vector<int>> Returns(
      absl::Span<const std::string* const> keys) const;

 private:
  RegisteredGraph(Use use, Boundary boundary, std::vector<std::string> senders,
                  std::shared_ptr<const RecvBundles> bundles,
                  std::shared_ptr<CompiledGraph> compiled);

  // Compiles a graph whose nodes have their devices.
  static absl::StatusOr<std::shared_ptr<RegisteredGraph>> Compile(
      Graph graph, const std::string& task, GraphRunner& runner, Use use);

  const Use use_;
  // Holds the feeds and fetches of the graph, with their keys.
  const Boundary boundary_;
  const std::vector<std::string> senders_;
  std::shared_ptr<SessionCollectives> collectives_;  // set by Create
  const std::shared_ptr<const RecvBundles> bundles_;
  const std::shared_ptr<CompiledGraph> compiled_;
  // Holds the feeds and fetches by key. Both maps point into `boundary_`.
  absl::flat_hash_map<absl::string_view, const BoundaryKey*> feeds_;
  absl::flat_hash_map<absl::string_view, const BoundaryKey*> fetches_;

  // If the use is kUnknown, ForPartialRuns compiles `source_` and keeps the
  // result in `partial_`.
  mutable Mutex mutex_;
  mutable std::optional<Graph> source_ ABSL_GUARDED_BY(mutex_);
  mutable absl::StatusOr<std::shared_ptr<const RegisteredGraph>> partial_
      ABSL_GUARDED_BY(mutex_) = nullptr;
  std::string task_ = {};  // of the runner
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_REGISTERED_GRAPH_H_
