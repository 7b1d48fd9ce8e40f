// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lowering has what the functions in lower_*.cc share. Each of these functions
// lowers nodes of one kind. It adds nodes that compute what the lowered node
// computes, and returns the outputs that have the results. LowerFunctions
// (lower.h) calls these functions and rewires the consumers of the lowered
// nodes. Only graph/lowering/ uses this header. A Lowering is not thread-safe.
//
// Each call of LowerFunctions has one Lowering, which adds nodes and removes
// none.
#ifndef LEAT_GRAPH_LOWERING_LOWERING_H_
#define LEAT_GRAPH_LOWERING_LOWERING_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/functions/instantiate.h"
#include "leat/graph/graph.h"
#include "leat/graph/lowering/lower_limits.h"

namespace leat {

// Holds the nodes that replace a lowered node.
struct Lowered {
  std::vector<Endpoint> outputs = {};  // one per output of the node
  // Lists nodes that run after all work of the lowered node is done. Control
  // edges from the lowered node come from these nodes instead. There must be at
  // least one such node if the lowered node may be dead.
  std::vector<NodeId> executed = {};
};

// Holds the results and control outputs of a body that was copied into the
// graph.
struct Inlined {
  std::vector<Endpoint> returns = {};
  std::vector<NodeId> control_outputs = {};
};

// Adds nodes to a graph, within limits.
class Lowering {
 public:
  // `graph` is not owned and must outlive the object.
  Lowering(Graph& graph, const LowerLimits& limits);

  Graph& graph() { return graph_; }

  // Returns the typed body of a function. This object owns the body. Fails with
  // INVALID_ARGUMENT, naming `caller`, if the function is not in the library,
  // or if its arguments or results are not of the given types. Also fails as
  // Instantiate does.
  absl::StatusOr<const FunctionBody*> Body(
      const Node& caller, const FunctionRef& function,
      absl::Span<const DType> arg_types, absl::Span<const DType> return_types);

  // Returns the gradient of a function. If the library has none, makes it and
  // adds it to the library. Fails as Body and FunctionGradient
  // (graph/autodiff/function_gradient.h) do.
  absl::StatusOr<FunctionRef> Gradient(const Node& caller,
                                       const FunctionRef& function);

  // Adds a node with the name Graph::UniqueName(name). Fails as Graph::Add
  // does, and with RESOURCE_EXHAUSTED if the graph would exceed a limit.
  absl::StatusOr<NodeId> Add(absl::string_view op, const std::string& name,
                             AttrMap attrs, absl::Span<const Endpoint> inputs,
                             absl::Span<const NodeId> controls,
                             const std::string& device);

  // Adds an Identity of `input`. It requests the device that the producer of
  // `input` requests.
  absl::StatusOr<NodeId> AddIdentity(const std::string& name, Endpoint input,
                                     absl::Span<const NodeId> controls = {});

  // Adds a Switch of `data`. It requests the device that the producer of `data`
  // requests.
  absl::StatusOr<NodeId> AddSwitch(const std::string& name, Endpoint data,
                                   Endpoint pred);

  // Adds a Merge. REQUIRES: `inputs` is not empty and all have one type.
  absl::StatusOr<NodeId> AddMerge(const std::string& name,
                                  absl::Span<const Endpoint> inputs,
                                  const std::string& device);

  // Returns the node that replaces the control inputs of `node`. Returns no
  // node if there are no control inputs, and the control input if there is one.
  // Otherwise adds and returns a NoOp that waits for all of them. So a node of
  // a body needs one control edge only.
  absl::StatusOr<std::vector<NodeId>> AddGate(const Node& node);

  // Copies a body to nodes named `prefix`/..., which take `args` as arguments.
  // Instead of copying the body of a recursive function, adds a node that calls
  // the function.
  // Nodes without any input get control edges from the nodes in `gate`. So they
  // are in the frame of the nodes in `gate`, and they are dead if a node in
  // `gate` is dead. `device` is the device of the caller.
  absl::StatusOr<Inlined> Inline(const FunctionBody& body,
                                 const std::string& prefix,
                                 const std::string& device,
                                 absl::Span<const Endpoint> args,
                                 absl::Span<const NodeId> gate);

  // Returns a frame name that no loop of the graph has: `name`, `name_1` and so
  // on. Later calls do not return this name again.
  std::string UniqueFrame(const std::string& name);

  // Returns the type of a tensor, or of its value if it is a reference.
  DType TypeOf(Endpoint tensor) const {
    return BaseOf(graph_.node(tensor.node).output_type(tensor.index));
  }
  // Returns the device that the producer of a tensor requests.
  const std::string& DeviceOf(Endpoint tensor) const {
    return graph_.node(tensor.node).def->device;
  }

 private:
  // Counts nodes, outputs and edges that are about to be added. Fails with
  // RESOURCE_EXHAUSTED, naming `name`, if they would bring the graph above a
  // limit.
  absl::Status Grow(const std::string& name, size_t new_nodes,
                    int64_t new_outputs, int64_t new_edges);

  // Returns true if the function is recursive (recursive_functions.h).
  bool IsRecursive(const std::string& function);
  // Adds a node that calls the function of `body` at run time, with the meaning
  // that the arguments have for Inline.
  absl::StatusOr<Inlined> AddCall(const FunctionBody& body,
                                  const std::string& prefix,
                                  const std::string& device,
                                  absl::Span<const Endpoint> args,
                                  absl::Span<const NodeId> gate);

  Graph& graph_;
  const LowerLimits limits_;
  int64_t num_outputs_ = 0;  // of all nodes of the graph
  int64_t num_edges_ = 0;    // of the graph, control edges included
  // bodies_ has the bodies for calls without attrs, one for each function.
  // other_bodies_ has the bodies for calls with attrs, one for each call.
  absl::flat_hash_map<const Function*, std::unique_ptr<FunctionBody>> bodies_;
  std::vector<std::unique_ptr<FunctionBody>> other_bodies_;
  // Maps a function with its attrs to the gradient that Gradient has made.
  absl::flat_hash_map<std::string, std::string> made_gradients_;
  int num_renamed_gradients_ = 0;  // whose first name another function has
  // Holds the recursive functions of the library. Is not set before the first
  // body is inlined, nor after a function was added.
  std::optional<absl::flat_hash_set<std::string>> recursive_;
  absl::flat_hash_set<std::string> frames_;  // the frame names in use
  bool has_frames_ = false;                  // true once frames_ is filled
};

// Makes an INVALID_ARGUMENT error whose message begins with the node's name and
// op.
absl::Status LoweringError(const Node& node, absl::string_view message);

// Each of these functions adds the nodes that replace `node`. REQUIRES: `node`
// is a copy, not a reference into the graph, because adding a node may move the
// graph's nodes in memory.
absl::StatusOr<Lowered> LowerCall(const Node& node, const FunctionRef& function,
                                  Lowering& lowering);
absl::StatusOr<Lowered> LowerGradient(const Node& node, Lowering& lowering);
absl::StatusOr<Lowered> LowerRemoteCall(const Node& node, Lowering& lowering);
absl::StatusOr<Lowered> LowerIf(const Node& node, Lowering& lowering);
absl::StatusOr<Lowered> LowerCase(const Node& node, Lowering& lowering);
absl::StatusOr<Lowered> LowerWhile(const Node& node, Lowering& lowering);

// Returns true if the device on which a RemoteCall runs its function is known.
// Only then can the call be lowered.
bool HasConstantTarget(const Node& node, const Graph& graph);

// Describes one branch of an If or Case.
struct Branch {
  FunctionRef function = {};
  std::string name = {};  // part of the names of its nodes: "then"
  Endpoint pred = {};     // a bool scalar
  bool runs_if = true;    // the branch runs if `pred` has this value
};

// Adds the nodes that replace an If or Case with these branches. `inputs` are
// the arguments of each branch. REQUIRES: in a step, exactly one of the
// branches runs.
absl::StatusOr<Lowered> LowerBranches(const Node& node,
                                      absl::Span<const Endpoint> inputs,
                                      absl::Span<const Branch> branches,
                                      Lowering& lowering);

}  // namespace leat

#endif  // LEAT_GRAPH_LOWERING_LOWERING_H_
