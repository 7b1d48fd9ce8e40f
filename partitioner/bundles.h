// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Bundles: small tensors that go from one task to another and may come in one
// message, all or none. A message costs as much as hundreds of kilobytes, and a
// model has dozens of biases.
//
// None waits for another for long: either all are there at once, as values of
// variables are, or all that receives them are updates, such as gradients', for
// which the step waits in the end anyway.
//
// None waits for another for ever either: a step that ended without bundles
// ends with them. So the tensors of a bundle
//  - have crossed as many tasks, at the most, since they began: none is
//    computed from one of its own bundle;
//  - wait for the same nodes of those that may wait for others than their
//    inputs: all that has a state but variables;
//  - are not computed in loops, nor from what loops compute, nor from a choice
//    between what waits for others.
// Whoever waits for its bundle waits for what it waited for before, or for
// messages that have crossed fewer tasks, and so on.
#ifndef LEAT_PARTITIONER_BUNDLES_H_
#define LEAT_PARTITIONER_BUNDLES_H_

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/consumers.h"
#include "leat/graph/graph.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// On each _Recv of a bundle: its number, among those of the step.
inline constexpr char kBundleAttr[] = "_leat_bundle";

class Bundles {
 public:
  // Limits of a bundle.
  static constexpr int64_t kMaxBytes = int64_t{1} << 20;
  static constexpr size_t kMaxTensors = 64;

  // Larger ones come alone.
  static constexpr int64_t kMaxTensorBytes = kMaxBytes / 2;

  // `graph`, borrowed, with every node's partition, by id.
  static absl::StatusOr<Bundles> Create(const Graph& graph,
                                        absl::Span<const int> part_of);

  // A tensor, or control edge, that `recv`, in `part` and on `device`, receives
  // joins a bundle, if it may.
  void Join(const Endpoint& source, int part, int device, NodeId recv);

  struct Bundle {
    int part = 0;  // that receives
    int number = 0;
    std::vector<NodeId> recvs = {};
    int64_t bytes = 0;
  };
  const std::vector<Bundle>& bundles() const { return bundles_; }

 private:
  // What must have happened before a node has run.
  struct Waits {
    int hops = 0;             // from task to task, at the most
    uint64_t others = 0;      // a bit for each node that waits for others
    bool is_unknown = false;  // loops, and what has no bit left
    bool computes = false;    // what takes a while
  };
  // From and to where, and Waits.
  using Key = std::tuple<int, int, int, uint64_t, bool>;

  explicit Bundles(const Graph& graph) : graph_(&graph), consumers_(graph) {}

  // REQUIRES: those of the nodes before it.
  Waits WaitsOf(NodeId id);
  // Above kMaxTensorBytes when it is not known.
  int64_t BytesOf(const Endpoint& source) const;
  // All that takes it on that device changes a state, and gives nothing.
  bool OnlyUpdates(const Endpoint& source, int device) const;

  const Graph* graph_;
  Consumers consumers_;
  std::vector<int> part_of_;
  std::vector<std::vector<InferredOutput>> outputs_;
  std::vector<Waits> waits_;  // by node
  int num_others_ = 0;
  absl::flat_hash_map<Key, size_t> open_;  // the one that is not full
  std::vector<Bundle> bundles_;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_BUNDLES_H_
