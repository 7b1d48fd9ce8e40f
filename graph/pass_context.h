// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PassContext: the graph that passes change, what is known of its nodes, and
// the changes that keep this knowledge true.
//
// Every change replaces a node in place, rewires inputs to nodes that come
// before, or removes a node. So the order of nodes, made once, stays valid, and
// so does what was inferred: an output keeps the value it had.
#ifndef LEAT_GRAPH_PASS_CONTEXT_H_
#define LEAT_GRAPH_PASS_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/graph/pass.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// Thread-compatible.
class PassContext {
 public:
  // Both are borrowed. INVALID_ARGUMENT for a graph with a cycle.
  static absl::StatusOr<PassContext> Create(Graph& graph,
                                            const RunPassesOptions& options);

  const Graph& graph() const { return *graph_; }
  const RunPassesOptions& options() const { return *options_; }

  // Every node after its inputs (back edges of loops excepted), and ids of
  // nodes that have been removed.
  absl::Span<const NodeId> order() const { return order_; }

  // The node's outputs follow from its inputs, and nothing else follows from
  // running it: it may be replaced, merged with an equal one, or dropped when
  // nobody needs it. False for stateful and control-flow nodes, placeholders,
  // nodes that declare references, resources or variants, and _Arg and the
  // like; also for ids without a node.
  bool IsPure(NodeId id) const { return Has(id, kPure); }
  bool IsControlFlow(NodeId id) const { return Has(id, kControlFlow); }
  // Somebody asked for this node: it must not be removed.
  bool IsKept(NodeId id) const { return Has(id, kKept); }
  // One of the pure node's inputs is a reference, read as a value when the
  // node runs: no earlier and no later node may do that for it.
  bool ReadsReference(NodeId id) const;

  // Pure, and so is everything it is computed from, feeds excepted, without
  // control edges, outside of loops and branches: it always runs, and nobody
  // can tell when, or whether.
  bool IsUnconditional(NodeId id);

  // The value of a Const; null for another node.
  const Tensor* Constant(NodeId id) const;

  // There is an evaluator, the node has not been given to it, and what may be
  // evaluated for this plan (optimizer_options.h) is not used up.
  bool MayEvaluate(NodeId id) const;
  // The value of the node's output for these inputs. Nothing when that fails
  // or is beyond the limits; the node is then not evaluated again.
  // REQUIRES: MayEvaluate(id), and exactly one output.
  std::optional<Tensor> Evaluate(NodeId id, absl::Span<const Tensor> inputs);

  // What inference says of an output; null when it says nothing. Trusts the
  // declared shape of a variable, as TensorFlow does.
  const InferredOutput* Inferred(Endpoint endpoint);

  // The device's type; "" for a device that the options do not name.
  const DeviceType& DeviceTypeOf(NodeId id) const;
  // The node's device has a kernel for a node of this op and attrs, and its
  // task knows the op.
  bool HasKernel(NodeId id, absl::string_view op, const AttrMap& attrs) const;

  // The node's control edges and those of `others`; nothing when they are too
  // many to copy around.
  using Controls = absl::InlinedVector<NodeId, 1>;
  std::optional<Controls> UnitedControls(NodeId id,
                                         absl::Span<const NodeId> others) const;

  // Makes the node compute something else that gives the same outputs. Name,
  // requested and assigned device stay; annotations go. False, and nothing has
  // changed, when the op is unknown, the attrs do not fit, or the device has no
  // kernel for it. REQUIRES: inputs and controls that come before the node.
  bool Replace(NodeId id, absl::string_view op, AttrMap attrs,
               absl::Span<const Endpoint> inputs, Controls controls);
  // The same by a Const. False also for a value above the options'
  // max_folded_bytes, and when all constants made so far are too large
  // together. REQUIRES: a value of the type of the node's only output.
  bool ReplaceByConstant(NodeId id, Tensor value, Controls controls);
  void SetInput(NodeId id, int i, Endpoint input) {
    graph_->mutable_node(id).inputs[i] = input;
  }
  void SetControls(NodeId id, Controls controls);
  // REQUIRES: nobody consumes it.
  void Remove(NodeId id);

 private:
  enum Trait : uint8_t {
    kPure = 1,
    kControlFlow = 2,
    kKept = 4,
    kConst = 8,
    kUnconditional = 16,
    kEvaluated = 32,  // or tried to
  };
  struct DeviceTraits {
    DeviceType type = {};
    bool is_foreign = false;
  };

  PassContext(Graph& graph, const RunPassesOptions& options);
  void FindDevices();
  void FindTraits();
  uint8_t TraitsOf(const NodeDef& def);
  uint8_t TraitsOf(const OpDef& op) const;
  bool Has(NodeId id, Trait trait) const { return (traits_[id] & trait) != 0; }
  // The largest constant that may still be made.
  int64_t Room() const;

  Graph* graph_;
  const RunPassesOptions* options_;
  std::vector<NodeId> order_;
  std::vector<uint8_t> traits_;  // by NodeId
  absl::flat_hash_map<const OpDef*, uint8_t> traits_of_ops_;
  std::vector<DeviceTraits> devices_;  // by index into Graph::devices()
  bool has_unconditional_ = false;
  int64_t left_bytes_ = 0;  // of constants that may still be made
  int64_t left_work_ = OptimizerOptions::kMaxFoldingWork;
  std::optional<std::vector<std::vector<InferredOutput>>> inferred_;
};

}  // namespace leat

#endif  // LEAT_GRAPH_PASS_CONTEXT_H_
