// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lowering: what the lowerings of the single ops share. Each lower_*.cc adds
// nodes that compute what its node does and returns where the results are;
// LowerFunctions (lower.h) drives them and rewires the consumers.
//
// One object serves one round: nodes are added and none is removed.
#ifndef LEAT_GRAPH_LOWERING_H_
#define LEAT_GRAPH_LOWERING_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/graph/instantiate.h"
#include "leat/graph/lower.h"

namespace leat {

// What stands for a lowered node.
struct Lowered {
  std::vector<Endpoint> outputs = {};  // for each of its outputs
  // Nodes that run once everything that the node does has been done. Not empty
  // where the node may not run at all.
  std::vector<NodeId> executed = {};
};

// A body copied into the graph.
struct Inlined {
  std::vector<Endpoint> returns = {};
  std::vector<NodeId> control_outputs = {};
};

class Lowering {
 public:
  Lowering(Graph& graph, const LowerLimits& limits);

  Graph& graph() { return graph_; }

  // The typed body of a function. INVALID_ARGUMENT naming `caller` when its
  // arguments or results are not of these types, and as Instantiate does.
  absl::StatusOr<const FunctionBody*> Body(
      const Node& caller, const FunctionRef& function,
      absl::Span<const DType> arg_types, absl::Span<const DType> return_types);

  // Adds a node of the first free name like `name`. Fails as Graph::Add does;
  // RESOURCE_EXHAUSTED above the limit.
  absl::StatusOr<NodeId> Add(absl::string_view op, const std::string& name,
                             AttrMap attrs, absl::Span<const Endpoint> inputs,
                             absl::Span<const NodeId> controls,
                             const std::string& device);

  // Identity, on the device that the producer asks for.
  absl::StatusOr<NodeId> AddIdentity(const std::string& name, Endpoint input,
                                     absl::Span<const NodeId> controls = {});

  // Switch of `data`, on the device that its producer asks for.
  absl::StatusOr<NodeId> AddSwitch(const std::string& name, Endpoint data,
                                   Endpoint pred);

  // Merge of values of one type.
  absl::StatusOr<NodeId> AddMerge(const std::string& name,
                                  absl::Span<const Endpoint> inputs,
                                  const std::string& device);

  // What waits for all control inputs of `node`: for many a NoOp, so that not
  // each of many nodes needs each of the edges.
  absl::StatusOr<std::vector<NodeId>> AddGate(const Node& node);

  // Copies a body to `prefix`/..., its arguments being `args`. Nodes without
  // inputs run after `gate`, so that they are dead, or in a frame, with it.
  absl::StatusOr<Inlined> Inline(const FunctionBody& body,
                                 const std::string& prefix,
                                 const std::string& device,
                                 absl::Span<const Endpoint> args,
                                 absl::Span<const NodeId> gate);

  // A frame name that no loop has. `name` where possible.
  std::string UniqueFrame(const std::string& name);

  // The type of a tensor, not a reference.
  DType TypeOf(Endpoint tensor) const {
    return BaseOf(graph_.node(tensor.node).output_type(tensor.index));
  }
  const std::string& DeviceOf(Endpoint tensor) const {
    return graph_.node(tensor.node).def->device;
  }

 private:
  // Counts what is about to be added as `name`.
  absl::Status Grow(const std::string& name, size_t new_nodes,
                    int64_t new_outputs, int64_t new_edges);

  Graph& graph_;
  const LowerLimits limits_;
  int64_t num_outputs_ = 0;  // of the graph
  int64_t num_edges_ = 0;    // of the graph
  // Of functions without attrs.
  absl::flat_hash_map<const Function*, std::unique_ptr<FunctionBody>> bodies_;
  std::vector<std::unique_ptr<FunctionBody>> other_bodies_;
  absl::flat_hash_set<std::string> frames_;
  bool has_frames_ = false;
};

// INVALID_ARGUMENT that begins with the node's name and op.
absl::Status LoweringError(const Node& node, absl::string_view message);

// `node` is a copy: adding nodes moves those of the graph.
absl::StatusOr<Lowered> LowerCall(const Node& node, const FunctionRef& function,
                                  Lowering& lowering);
absl::StatusOr<Lowered> LowerIf(const Node& node, Lowering& lowering);
absl::StatusOr<Lowered> LowerCase(const Node& node, Lowering& lowering);
absl::StatusOr<Lowered> LowerWhile(const Node& node, Lowering& lowering);

// One of several functions of which one runs: of an If or a Case.
struct Branch {
  FunctionRef function = {};
  std::string name = {};  // "then"
  Endpoint pred = {};     // a bool scalar
  bool runs_if = true;    // the value of `pred` with which it runs
};

// Of the branches exactly one runs. `inputs` are the arguments of each.
absl::StatusOr<Lowered> LowerBranches(const Node& node,
                                      absl::Span<const Endpoint> inputs,
                                      absl::Span<const Branch> branches,
                                      Lowering& lowering);

}  // namespace leat

#endif  // LEAT_GRAPH_LOWERING_H_
