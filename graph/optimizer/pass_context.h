// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PassContext gives a pass the graph and what is known of the nodes of the
// graph. A pass changes the graph only by calling functions of its PassContext.
//
// Every change replaces a node in place, makes a node take an input from a node
// that comes earlier, or removes a node. An output keeps the value it had. So
// the order of the nodes and the inferred shapes, which are computed once, stay
// valid.
#ifndef LEAT_GRAPH_OPTIMIZER_PASS_CONTEXT_H_
#define LEAT_GRAPH_OPTIMIZER_PASS_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// Each call of RunPasses has one PassContext. A PassContext is
// thread-compatible.
class PassContext {
 public:
  // The arguments are not owned and must outlive the context. Fails with
  // INVALID_ARGUMENT for a graph with a cycle.
  static absl::StatusOr<PassContext> Create(Graph& graph,
                                            const RunPassesOptions& options);

  const Graph& graph() const { return *graph_; }
  const RunPassesOptions& options() const { return *options_; }

  // Returns all nodes, each after its inputs (except for the back edges of
  // loops). Nodes that were removed later are still in the list: check
  // graph().Contains().
  absl::Span<const NodeId> order() const { return order_; }

  // Returns true if the outputs of the node depend only on its inputs and
  // running the node has no other effect. Such a node may be replaced, merged
  // with an equal one, or removed if nothing needs it. Returns false for
  // stateful and control-flow nodes, placeholders, calls of functions, nodes
  // that declare references, resources or variants, _Arg and similar nodes, and
  // an id without a node.
  bool IsPure(NodeId id) const { return Has(id, kPure); }
  bool IsControlFlow(NodeId id) const { return Has(id, kControlFlow); }
  // Returns true if RunPassesOptions::keep has the node. Such a node must not
  // be removed.
  bool IsKept(NodeId id) const { return Has(id, kKept); }
  // Returns true if an input of the node is a reference. Even a pure node reads
  // the value behind the reference when it runs. So a node that runs earlier or
  // later cannot replace it.
  bool ReadsReference(NodeId id) const;

  // Returns true if the node is pure, has no control inputs and reads no
  // reference, and all its inputs are fed or come from unconditional nodes. An
  // unconditional node is outside of loops and branches, so it runs in every
  // step. A client cannot tell when the node runs, or whether a pass has
  // removed it.
  bool IsUnconditional(NodeId id);

  // Returns the value of a Const, or null for another node. The pointer is
  // valid until the node is replaced or removed.
  const Tensor* Constant(NodeId id) const;

  // Returns true if there is an evaluator, the node has not been evaluated
  // before, and the limits on evaluation for a plan (OptimizerOptions) are not
  // used up.
  bool MayEvaluate(NodeId id) const;
  // Returns the value of the node's output for these inputs. Returns nothing if
  // the evaluation fails or is beyond the limits. In both cases, the node is
  // not evaluated again. REQUIRES: MayEvaluate(id), and the node has exactly
  // one output.
  std::optional<Tensor> Evaluate(NodeId id, absl::Span<const Tensor> inputs);

  // Returns what shape inference knows of an output, or null if it knows
  // nothing. Trusts the declared shape of a variable, as TensorFlow does.
  const InferredOutput* Inferred(Endpoint endpoint);

  // Returns the type of the node's device, or "" if the options do not name the
  // device.
  const DeviceType& DeviceTypeOf(NodeId id) const;
  // Returns true if the node's device has a kernel for a node with this op and
  // these attrs, and the device's task knows the op.
  bool HasKernel(NodeId id, absl::string_view op, const AttrMap& attrs) const;

  // Returns the control edges of the node and of `others` together. Returns
  // nothing if there are too many control edges, because copying them could
  // make passes take quadratic time.
  using Controls = absl::InlinedVector<NodeId, 1>;
  std::optional<Controls> UnitedControls(NodeId id,
                                         absl::Span<const NodeId> others) const;

  // Makes the node compute its outputs in another way. The node keeps its name
  // and its requested and assigned device, but not its annotations. Returns
  // false and changes nothing if the op is unknown, if the attrs, inputs or
  // outputs do not fit the op, or if the device has no kernel for the op.
  // REQUIRES: `inputs` and `controls` come before the node.
  bool Replace(NodeId id, absl::string_view op, AttrMap attrs,
               absl::Span<const Endpoint> inputs, Controls controls);
  // Replaces the node by a Const, as Replace does. Also returns false if
  // `value` is larger than max_folded_bytes of the options, or if `value` and
  // all constants made so far together are larger than the options allow.
  // REQUIRES: `value` has the type of the node's only output.
  bool ReplaceByConstant(NodeId id, Tensor value, Controls controls);
  // Makes the node take input `i` from another output. REQUIRES: `input` has
  // the type and value of the old input, and comes before the node.
  void SetInput(NodeId id, int i, Endpoint input) {
    graph_->mutable_node(id).inputs[i] = input;
  }
  // Replaces the control edges of the node. REQUIRES: `controls` come before
  // the node.
  void SetControls(NodeId id, Controls controls);
  // Removes a node. REQUIRES: no node uses it.
  void Remove(NodeId id);

 private:
  // Lists the traits of a node, each of which is one bit.
  enum Trait : uint8_t {
    kPure = 1,
    kControlFlow = 2,
    kKept = 4,
    kConst = 8,
    kUnconditional = 16,
    kEvaluated = 32,  // Evaluate was called, even if it failed
  };
  // Describes what is known of a device in Graph::devices().
  struct DeviceTraits {
    DeviceType type = {};
    bool is_foreign = false;
  };

  PassContext(Graph& graph, const RunPassesOptions& options);
  void FindDevices();
  void FindTraits();
  // TraitsOf(def) returns the traits of a node, which follow from its NodeDef.
  // TraitsOf(op) returns only the traits that all nodes of an op share.
  uint8_t TraitsOf(const NodeDef& def);
  uint8_t TraitsOf(const OpDef& op) const;
  bool Has(NodeId id, Trait trait) const { return (traits_[id] & trait) != 0; }
  // Returns the maximum number of bytes that the next constant may have.
  int64_t Room() const;

  Graph* graph_;
  const RunPassesOptions* options_;
  std::vector<NodeId> order_;
  std::vector<uint8_t> traits_;  // by NodeId
  absl::flat_hash_map<const OpDef*, uint8_t> traits_of_ops_;
  std::vector<DeviceTraits> devices_;  // by index into Graph::devices()
  bool has_unconditional_ = false;     // kUnconditional has been computed
  // left_bytes_ is the number of bytes that further constants may have in
  // total. left_work_ is the number of bytes that further evaluations may read
  // and write in total.
  int64_t left_bytes_ = 0;
  int64_t left_work_ = OptimizerOptions::kMaxFoldingWork;
  std::optional<std::vector<std::vector<InferredOutput>>> inferred_;
};

}  // namespace leat

#endif  // LEAT_GRAPH_OPTIMIZER_PASS_CONTEXT_H_
