// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Graph: nodes and the edges between them.
//
// A node holds its inputs only; who consumes an output is an index, Consumers
// (consumers.h), built when a pass needs it. So a graph is always consistent,
// cheap to copy, and cheap to change: passes rewrite inputs and drop nodes.
// What a node computes (NodeDef) is immutable and shared by all copies.
//
// Thread-compatible: const access from many threads is safe.
#ifndef LEAT_GRAPH_GRAPH_H_
#define LEAT_GRAPH_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/graph/attr.h"
#include "leat/graph/function_library.h"
#include "leat/graph/op_def.h"

namespace leat::pb {
class GraphDef;
}  // namespace leat::pb

namespace leat {

class OpRegistry;

// Index of a node in its graph. Stays valid until the graph is compacted.
using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

// Output `index` of a node.
struct Endpoint {
  NodeId node = kNoNode;
  int32_t index = 0;

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Endpoint& e) {
    return H::combine(std::move(h), e.node, e.index);
  }
};

// What a node computes. `op` belongs to the registry (or to the graph's
// function library, for a call written as an op). Types are derived from op and
// attrs and may be refs.
struct NodeDef {
  std::string name = {};
  const OpDef* op = nullptr;
  AttrMap attrs = {};
  std::string device = {};  // as requested, possibly partial, "" for anywhere
  std::vector<DType> input_types = {};
  std::vector<DType> output_types = {};
};

struct Node {
  std::shared_ptr<const NodeDef> def = {};
  absl::InlinedVector<Endpoint, 2> inputs = {};  // one per input type, in order
  // Run before this node; ascending, unique.
  absl::InlinedVector<NodeId, 1> controls = {};
  int32_t device = -1;  // assigned device, an index into Graph::devices()

  const std::string& name() const { return def->name; }
  const std::string& op() const { return def->op->name; }
  const AttrMap& attrs() const { return def->attrs; }
  int num_inputs() const { return static_cast<int>(inputs.size()); }
  int num_outputs() const { return static_cast<int>(def->output_types.size()); }
  DType output_type(int i) const { return def->output_types[i]; }
};

class Graph {
 public:
  // `ops` outlives the graph.
  explicit Graph(const OpRegistry& ops);
  Graph(const Graph&) = default;
  Graph& operator=(const Graph&) = default;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  const OpRegistry& ops() const { return *ops_; }

  // Ids run from 0 to num_ids() - 1; some may be removed.
  int num_ids() const { return static_cast<int>(nodes_.size()); }
  int num_nodes() const { return num_nodes_; }
  bool Contains(NodeId id) const {
    return id >= 0 && id < num_ids() && nodes_[id].def != nullptr;
  }
  // REQUIRES: Contains(id).
  const Node& node(NodeId id) const { return nodes_[id]; }
  Node& mutable_node(NodeId id) { return nodes_[id]; }
  // Makes room for so many nodes in all, for speed only.
  void Reserve(int num_nodes);

  // kNoNode when there is none.
  NodeId Find(absl::string_view name) const;
  // The ids of all nodes, ascending.
  std::vector<NodeId> NodeIds() const;

  // Adds a node of a name that is not taken. INVALID_ARGUMENT naming the node
  // when the name is taken or malformed, an attr is missing or wrong, or inputs
  // do not fit the op (count, type, existing output). Absent attrs get their
  // defaults; `def.op` is set, the types are derived here.
  absl::StatusOr<NodeId> Add(NodeDef def, absl::Span<const Endpoint> inputs,
                             absl::Span<const NodeId> controls = {});

  // The same without checks, for nodes copied from a checked graph.
  // REQUIRES: a def with a name that is not taken.
  NodeId AddUnchecked(Node node);

  // Replaces what a node computes, keeping its inputs and id.
  // REQUIRES: the same name.
  void Replace(NodeId id, std::shared_ptr<const NodeDef> def);

  // Removes a node. Whoever consumed it must be changed by the caller.
  // REQUIRES: Contains(id).
  void Remove(NodeId id);

  // Forgets the nodes of ids from `num_ids` on, and the ids: undoes additions
  // that no other node has come to use.
  void Truncate(int num_ids);

  void AddControl(NodeId from, NodeId to);

  // `prefix`, or `prefix_1`, `prefix_2`, ... : a name not taken, the same one
  // until it is. Remembers where to go on, so n calls cost O(n).
  std::string UniqueName(absl::string_view prefix);

  // Interned names of assigned devices.
  int InternDevice(absl::string_view name);
  const std::vector<std::string>& devices() const { return devices_; }
  // "" when the node has not been placed.
  const std::string& AssignedDevice(NodeId id) const;

  FunctionLibrary& functions() { return functions_; }
  const FunctionLibrary& functions() const { return functions_; }

  // The node that runs all variables' initialisers, "" when there is none.
  const std::string& init_op() const { return init_op_; }
  void set_init_op(std::string name) { init_op_ = std::move(name); }

  // What TensorFlow loads; ExportGraphDef (graph_def.h) has options and says
  // what fails. Include leat/protos/graph.pb.h to use it.
  absl::StatusOr<pb::GraphDef> ToGraphDef() const;

  // TensorFlow's VersionDef.
  int producer = 0;
  int min_consumer = 0;

  // Of tensors that import has read in attrs of nodes and functions.
  int64_t tensor_bytes = 0;

 private:
  NodeId Append(Node node);

  const OpRegistry* ops_;
  std::vector<Node> nodes_;
  int num_nodes_ = 0;
  absl::flat_hash_map<std::string, NodeId> by_name_;
  absl::flat_hash_map<std::string, int64_t> next_suffix_;
  std::vector<std::string> devices_;
  absl::flat_hash_map<std::string, int> device_index_;
  FunctionLibrary functions_;
  std::string init_op_;
};

// TensorFlow's rule for node names: [A-Za-z0-9.][A-Za-z0-9_.\\/>-]*.
bool IsValidNodeName(absl::string_view name);

// "name:index" ("name" is output 0) or "^name", the text of an input.
struct TensorId {
  std::string node = {};
  int index = 0;  // kControl for "^name"
  static constexpr int kControl = -1;

  std::string ToString() const;
  // INVALID_ARGUMENT quoting the text.
  static absl::StatusOr<TensorId> Parse(absl::string_view text);
  friend bool operator==(const TensorId&, const TensorId&) = default;
};

}  // namespace leat

#endif  // LEAT_GRAPH_GRAPH_H_
