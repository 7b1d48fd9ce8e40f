// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Graph holds nodes and the edges between them.
//
//   for (const NodeId id : graph.NodeIds()) {
//     const Node& node = graph.node(id);
//     for (const Endpoint input : node.inputs) {
//       std::cout << node.name() << " takes output " << input.index << " of "
//                 << graph.node(input.node).name() << "\n";
//     }
//   }
//
// A node holds its inputs, but not the nodes that use its outputs. A pass that
// needs those nodes builds an index, Consumers (consumers.h). Each edge is
// stored only once, so a graph is cheap to copy and to change: passes rewrite
// inputs and drop nodes. A NodeDef, which describes what a node computes, is
// immutable. All copies of a graph share the NodeDefs.
//
// A Graph is thread-compatible: several threads may use const methods at the
// same time.
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

// Is the index of a node in its graph. It stays valid until the node is
// removed. Removing a node does not change the ids of other nodes.
using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

// Names output `index` of `node`. Every edge that carries a tensor begins at an
// Endpoint.
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

// Describes what a node computes. The types of the node's tensors follow from
// `op` and `attrs` and may be reference types.
struct NodeDef {
  std::string name = {};
  // Is not owned. It belongs to the op registry, or to a function library if
  // the node calls a function by using its name as an op.
  const OpDef* op = nullptr;
  AttrMap attrs = {};
  // Is the requested device: a full or partial name, or "" for any device.
  std::string device = {};
  std::vector<DType> input_types = {};
  std::vector<DType> output_types = {};
};

// Describes a node of a graph: what it computes, its incoming edges and its
// device.
struct Node {
  std::shared_ptr<const NodeDef> def = {};       // null for a removed node
  absl::InlinedVector<Endpoint, 2> inputs = {};  // one per input type, in order
  // Holds the nodes at which control edges to this node begin, in ascending
  // order and without duplicates. They run before this node.
  absl::InlinedVector<NodeId, 1> controls = {};
  // Is the assigned device: an index into Graph::devices(), -1 before
  // placement.
  int32_t device = -1;

  const std::string& name() const { return def->name; }
  const std::string& op() const { return def->op->name; }
  const AttrMap& attrs() const { return def->attrs; }
  int num_inputs() const { return static_cast<int>(inputs.size()); }
  int num_outputs() const { return static_cast<int>(def->output_types.size()); }
  DType output_type(int i) const { return def->output_types[i]; }
};

// A Graph is a value: copies are independent, but share the NodeDefs and
// functions.
class Graph {
 public:
  // Makes an empty graph. `ops` is not owned and must outlive the graph.
  explicit Graph(const OpRegistry& ops);
  Graph(const Graph&) = default;
  Graph& operator=(const Graph&) = default;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  const OpRegistry& ops() const { return *ops_; }

  // Ids run from 0 to num_ids() - 1. Some of these ids may belong to removed
  // nodes. num_nodes() does not count removed nodes.
  int num_ids() const { return static_cast<int>(nodes_.size()); }
  int num_nodes() const { return num_nodes_; }
  // Returns true if there is a node with this id. `id` may be any number.
  bool Contains(NodeId id) const {
    return id >= 0 && id < num_ids() && nodes_[id].def != nullptr;
  }
  // REQUIRES: Contains(id). The reference is valid until a node is added.
  const Node& node(NodeId id) const { return nodes_[id]; }
  // Returns the node for the caller to change. The caller must not change the
  // number or the types of the inputs, which the NodeDef determines. REQUIRES:
  // Contains(id).
  Node& mutable_node(NodeId id) { return nodes_[id]; }
  // Reserves memory for a total of `num_nodes` nodes. This only makes Add
  // faster.
  void Reserve(int num_nodes);

  // Returns the node of this name, or kNoNode if there is none.
  NodeId Find(absl::string_view name) const;
  // Returns the ids of all nodes, in ascending order.
  std::vector<NodeId> NodeIds() const;

  // Adds a node and returns its id. Sets absent attrs to their defaults, and
  // sets the types of inputs and outputs in `def`. Fails with INVALID_ARGUMENT,
  // naming the node, if the name is taken or malformed, if `def.op` is null, if
  // an attr is wrong, or if an absent attr has no default. Also fails if the
  // number or the types of the inputs do not fit the op, or if an input or
  // control input does not exist.
  absl::StatusOr<NodeId> Add(NodeDef def, absl::Span<const Endpoint> inputs,
                             absl::Span<const NodeId> controls = {});

  // Adds a node without checks, for nodes copied from a graph that was checked.
  // REQUIRES: node.def is set and its name is not taken.
  NodeId AddUnchecked(Node node);

  // Replaces what a node computes. The node keeps its inputs and its id.
  // REQUIRES: Contains(id), and `def` has the name of the node.
  void Replace(NodeId id, std::shared_ptr<const NodeDef> def);

  // Removes a node. The caller must change all nodes that take inputs or
  // control edges from the removed node. REQUIRES: Contains(id).
  void Remove(NodeId id);

  // Undoes additions: removes all nodes whose ids are `num_ids` or higher, and
  // also removes these ids. REQUIRES: no remaining node uses a removed one.
  void Truncate(int num_ids);

  // Adds a control edge, unless it exists. REQUIRES: Contains(to).
  void AddControl(NodeId from, NodeId to);

  // Returns the first of `prefix`, `prefix_1`, `prefix_2` and so on that is not
  // the name of a node. The name is not reserved: further calls return the same
  // name until a node has it. The graph remembers where the search for a prefix
  // ended, so n calls take O(n) time.
  std::string UniqueName(absl::string_view prefix);

  // Returns the index of the device `name` in devices(). Adds the name if
  // devices() does not have it yet. devices() has the names of assigned
  // devices, not of requested ones.
  int InternDevice(absl::string_view name);
  const std::vector<std::string>& devices() const { return devices_; }
  // Returns the name of the device that the node is placed on, or "" if it has
  // not been placed. REQUIRES: Contains(id).
  const std::string& AssignedDevice(NodeId id) const;

  FunctionLibrary& functions() { return functions_; }
  const FunctionLibrary& functions() const { return functions_; }

  // Returns the name of the node that runs the initializers of all variables,
  // or "" if there is no such node.
  const std::string& init_op() const { return init_op_; }
  void set_init_op(std::string name) { init_op_ = std::move(name); }

  // Returns the graph as a GraphDef, which TensorFlow can load. ExportGraphDef
  // (graph_def.h) takes options and lists the errors. The caller must include
  // leat/protos/graph.pb.h.
  absl::StatusOr<pb::GraphDef> ToGraphDef() const;

  // These are the versions in TensorFlow's VersionDef.
  int producer = 0;
  int min_consumer = 0;

  // Is the total size in bytes of the tensors that the import has read from
  // attrs of nodes and functions. ImportLimits (graph_def.h) bounds this
  // number.
  int64_t tensor_bytes = 0;

 private:
  // Adds a node whose name is in by_name_ already. Sorts its control edges.
  NodeId Append(Node node);

  const OpRegistry* ops_;
  std::vector<Node> nodes_;
  int num_nodes_ = 0;
  absl::flat_hash_map<std::string, NodeId> by_name_;
  absl::flat_hash_map<std::string, int64_t> next_suffix_;  // for UniqueName
  std::vector<std::string> devices_;
  absl::flat_hash_map<std::string, int> device_index_;
  FunctionLibrary functions_;
  std::string init_op_;
};

// Returns true if `name` follows TensorFlow's rule for the names of nodes:
// [A-Za-z0-9.][A-Za-z0-9_.\\/>-]*.
bool IsValidNodeName(absl::string_view name);

// Describes an input as a GraphDef names it: "name:index", "name" for output 0,
// or "^name" for a control edge.
struct TensorId {
  std::string node = {};
  int index = 0;  // kControl for "^name"
  static constexpr int kControl = -1;

  std::string ToString() const;
  // Parses a text of one of the forms above. Fails with INVALID_ARGUMENT,
  // quoting `text`, if it has another form.
  static absl::StatusOr<TensorId> Parse(absl::string_view text);
  friend bool operator==(const TensorId&, const TensorId&) = default;
};

}  // namespace leat

#endif  // LEAT_GRAPH_GRAPH_H_
