// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartialRunProgress tracks the feeds that a partial run has been given and the
// fetches that have been taken from it. Local sessions and masters keep one for
// each partial run.
#ifndef LEAT_RUNTIME_PARTIAL_RUN_PROGRESS_H_
#define LEAT_RUNTIME_PARTIAL_RUN_PROGRESS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/graph.h"
#include "leat/runtime/feed_checks.h"

namespace leat {

// Describes what one call of a partial run gives and takes. Is a value.
struct PartialRunCall {
  // Element i is the tensor for feed number i of the signature. It is not valid
  // if another call gives this feed.
  std::vector<Tensor> feeds = {};
  // Holds the positions of the fetches, in the order of the call.
  std::vector<size_t> fetches = {};
  // Is true if no feed and no fetch is left after this call.
  bool is_last = false;
};

// Is thread-safe.
class PartialRunProgress {
 public:
  // The arguments describe the plan and are borrowed. `whole` is the graph of
  // the step before it was cut (StepPlan::whole), which tells from which feeds
  // a fetch is computed. Takes O(nodes) time.
  PartialRunProgress(const FeedSpec& feeds,
                     const std::vector<std::string>& fetches,
                     const Graph& whole);

  // Returns the error, in TensorFlow's words, for a call of a partial run that
  // has ended or has never existed.
  static absl::Status Over();

  // Records that a call gives `feeds` and takes `fetches`. Returns
  // INVALID_ARGUMENT, and records nothing, in these cases:
  //  - A feed or fetch is not in the plan, or has been used before.
  //  - CheckFeed refuses a feed.
  //  - A fetch depends on a feed that has not been given.
  // The messages are TensorFlow's, except those of CheckFeed. All calls that
  // succeed take O(graph) time together to check what their fetches depend on.
  absl::StatusOr<PartialRunCall> Begin(
      std::vector<std::pair<std::string, Tensor>> feeds,
      const std::vector<std::string>& fetches);

 private:
  // Describes a feed or a fetch.
  struct Use {
    size_t position = 0;  // in the signature
    bool is_used = false;
  };
  using Uses = absl::flat_hash_map<absl::string_view, Use>;

  static Uses UsesOf(const std::vector<std::string>& names);
  // Returns the position of the feed or fetch `name`. `kind` is "feed" or
  // "fetch".
  static absl::StatusOr<size_t> Find(const Uses& uses, absl::string_view kind,
                                     const std::string& name);
  // Returns INVALID_ARGUMENT if a fetch of `call` depends on a feed that
  // neither `call` nor an earlier call gives. Otherwise marks all nodes that
  // the fetches depend on as given.
  absl::Status CheckFetches(const PartialRunCall& call)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Marks node `id` and all nodes that it depends on as given, and adds these
  // nodes to `marked`. If one of them is a feed that neither `call` nor an
  // earlier call gives, stops and returns this feed's node. Otherwise returns
  // kNoNode.
  NodeId Mark(NodeId id, const PartialRunCall& call,
              std::vector<NodeId>& marked)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const FeedSpec& spec_;
  const Graph& whole_;
  std::vector<NodeId> returns_;  // the _Retval of each fetch, or kNoNode

  Mutex mutex_;
  // Says for each node whether everything that it depends on has been given.
  std::vector<bool> is_given_ ABSL_GUARDED_BY(mutex_);
  Uses feeds_ ABSL_GUARDED_BY(mutex_);
  Uses fetches_ ABSL_GUARDED_BY(mutex_);
  size_t num_left_ ABSL_GUARDED_BY(mutex_);        // feeds and fetches not used
  bool has_last_ ABSL_GUARDED_BY(mutex_) = false;  // the last call has begun
};

}  // namespace leat

#endif  // LEAT_RUNTIME_PARTIAL_RUN_PROGRESS_H_
