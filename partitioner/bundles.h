// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Bundles groups small tensors that one task sends to a device of another task.
// The tensors of a bundle travel in one message, all or none. This saves
// messages: a message costs as much as sending hundreds of kilobytes, and a
// model has dozens of biases.
//
// No tensor waits long for the others of its bundle. In some bundles, all
// tensors are available at once, such as the values of variables. In the other
// bundles, all consumers of the tensors are updates of variables, such as the
// application of gradients. The step cannot end before these updates anyway.
//
// Bundles cause no deadlock either: a step that would end without bundles also
// ends with them. This is so because the tensors of a bundle meet these
// conditions:
//  - They have the same number of hops. The number of hops of a tensor is the
//    maximum number of edges between tasks on any path to the tensor. So no
//    tensor of a bundle is computed from another tensor of the bundle.
//  - They wait for the same blocking nodes. A blocking node may wait for
//    something other than its inputs. Stateful nodes are blocking, except for
//    variables and for nodes that read or update variables.
//  - None of them is computed in a loop, from the result of a loop, or from a
//    Merge that comes after a blocking node.
// So a consumer that waits for its bundle waits only for nodes for which it
// would have waited without bundles, and for messages with fewer hops. By
// induction over the hops, those messages arrive.
#ifndef LEAT_PARTITIONER_BUNDLES_H_
#define LEAT_PARTITIONER_BUNDLES_H_

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/graph.h"
#include "leat/graph/shape_inference.h"
#include "leat/partitioner/bundle_limits.h"

namespace leat {

// Is the attr of each _Recv in a bundle. Its value is the number of the bundle
// in the step.
inline constexpr char kBundleAttr[] = "_leat_bundle";

// Holds the bundles of one graph that is being cut. The graph is borrowed, and
// must not change while this object exists. The class is not thread-safe.
class Bundles {
 public:
  // Prepares to bundle the tensors of `graph`, which is borrowed. `part_of` is
  // each node's partition, by NodeId. Fails as TopologicalOrder does.
  static absl::StatusOr<Bundles> Create(const Graph& graph,
                                        absl::Span<const int> part_of,
                                        const BundleLimits& limits);

  // Adds a tensor to a bundle if that is allowed. `source` is the output that
  // is sent, or has the index kControl if a control edge is cut. `recv` is the
  // id of the _Recv in the receiving partition `part`; `device`, an index into
  // the graph's devices, is the _Recv's device.
  void Join(const Endpoint& source, int part, int device, NodeId recv);

  // Describes tensors that travel together. PartitionGraph does not mark a
  // bundle that has only one tensor.
  struct Bundle {
    int part = 0;                    // the receiving partition
    int number = 0;                  // its number in the step
    std::vector<NodeId> recvs = {};  // ids in the receiving partition
    int64_t bytes = 0;               // of all tensors
  };
  const std::vector<Bundle>& bundles() const { return bundles_; }

 private:
  // Describes what a node and all nodes before it wait for.
  struct Waits {
    int hops = 0;         // the number of hops of the node's outputs
    uint64_t others = 0;  // a bit for each blocking node up to this node
    // Is true if it is not known exactly what the node waits for. The tensors
    // of such a node join no bundle. This is the case for nodes in loops, for
    // Merges that come after a blocking node, and for blocking nodes for which
    // no bit was left. It is also the case for all nodes after such a node.
    bool is_unknown = false;
    bool computes = false;  // the node, or a node before it, takes time
  };
  // Tensors with equal keys may share a bundle. The key is the sending
  // partition, the receiving device, and hops, others and computes of Waits.
  using Key = std::tuple<int, int, int, uint64_t, bool>;

  Bundles(const Graph& graph, const BundleLimits& limits)
      : graph_(&graph), limits_(limits), consumers_(graph) {}

  // Returns what the node waits for. REQUIRES: waits_ has the entries of all
  // producers of the node.
  Waits WaitsOf(NodeId id);
  // Returns the size of a tensor in bytes, which is 0 for a control edge.
  // Returns INT64_MAX if the size is not known before the step runs.
  int64_t BytesOf(const Endpoint& source) const;
  // Returns true if every consumer of the tensor on the device updates state.
  // Such a consumer takes a reference or a resource handle, and all its outputs
  // are references or resource handles.
  bool OnlyUpdates(const Endpoint& source, int device) const;

  const Graph* graph_;
  BundleLimits limits_;
  Consumers consumers_;
  std::vector<int> part_of_;                          // by NodeId
  std::vector<std::vector<InferredOutput>> outputs_;  // by NodeId, or empty
  std::vector<Waits> waits_;                          // by NodeId
  int num_others_ = 0;                                // bits assigned so far
  absl::flat_hash_map<Key, size_t> open_;             // the bundle being filled
  std::vector<Bundle> bundles_;                       // by number
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_BUNDLES_H_
