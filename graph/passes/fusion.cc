// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The pass "fusion" replaces a MatMul or Conv2D, the BiasAdd after it and an
// activation by one node, TensorFlow's _FusedMatMul or _FusedConv2D. Each
// thread of the fused kernel applies the bias and the activation to its part of
// the product as soon as it has computed that part. The pass also replaces the
// gradients of a Relu and of the MaxPool after it by one node. The pass makes
// either replacement only if nothing else uses the values in between and the
// device has a kernel for the new op.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/optimizer/pass_context.h"

namespace leat::passes::fusion {
namespace {

constexpr char kBiasAdd[] = "BiasAdd";

class Fuser {
 public:
  explicit Fuser(PassContext& context)
      : context_(context), graph_(context.graph()) {
    const OpRegistry& ops = graph_.ops();
    matmul_ = ops.Find("MatMul");
    conv_ = ops.Find("Conv2D");
    bias_add_ = ops.Find(kBiasAdd);
    fused_matmul_ = ops.Find("_FusedMatMul");
    fused_conv_ = ops.Find("_FusedConv2D");
    relu_grad_ = ops.Find("ReluGrad");
    max_pool_grad_ = ops.Find("MaxPoolGrad");
    for (const char* op : {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid"}) {
      activations_.insert(ops.Find(op));
    }
    activations_.erase(nullptr);
  }

  bool Run() {
    bool changed = false;
    for (const NodeId id : context_.order()) {
      if (!graph_.Contains(id) || !context_.IsPure(id)) continue;
      const OpDef* op = graph_.node(id).def->op;
      if (op == bias_add_) {
        changed = FuseBias(id) || changed;
      } else if (activations_.contains(op)) {
        changed = FuseActivation(id) || changed;
      } else if (op == relu_grad_) {
        changed = FusePoolGradient(id) || changed;
      }
    }
    return changed;
  }

 private:
  // Returns the producer of the node's first input if the node can absorb the
  // producer, and otherwise kNoNode. The producer must be pure, on the same
  // device, and used by this node only.
  NodeId Absorbable(NodeId id) {
    if (uses_.empty()) CountUses();
    const NodeId producer = graph_.node(id).inputs[0].node;
    if (uses_[producer] != 1 || !context_.IsPure(producer) ||
        context_.IsKept(producer) || context_.ReadsReference(producer) ||
        context_.ReadsReference(id) ||
        graph_.node(producer).device != graph_.node(id).device) {
      return kNoNode;
    }
    return producer;
  }

  // Counts the inputs that use each node.
  void CountUses() {
    uses_.assign(graph_.num_ids(), 0);
    for (const NodeId id : context_.order()) {
      if (!graph_.Contains(id)) continue;
      const Node& node = graph_.node(id);
      for (const Endpoint& input : node.inputs) ++uses_[input.node];
      // A node at which control edges begin must stay, so it counts as used
      // more than once.
      for (const NodeId control : node.controls) uses_[control] += 2;
    }
  }

  // Fuses a BiasAdd with the product before it.
  bool FuseBias(NodeId id) {
    const Node& node = graph_.node(id);
    const OpDef* op = graph_.node(node.inputs[0].node).def->op;
    if (op != matmul_ && op != conv_) return false;
    const NodeId product = Absorbable(id);
    if (product == kNoNode || !AgreeOnFormat(node, graph_.node(product))) {
      return false;
    }
    const DType type = node.output_type(0);
    AttrMap attrs = graph_.node(product).attrs();
    attrs.Set("num_args", int64_t{1});
    attrs.Set("fused_ops", std::vector<std::string>{kBiasAdd});
    if (op == conv_) attrs.Set("TArgs", std::vector<DType>{type});
    const auto& from = graph_.node(product).inputs;
    return Absorb(id, product, op == conv_ ? "_FusedConv2D" : "_FusedMatMul",
                  std::move(attrs), {from[0], from[1], node.inputs[1]});
  }

  // Returns true if both nodes have the channels in the same dimension. A
  // matrix has its channels last. An image has its channels last unless the
  // format is NCHW.
  static bool AgreeOnFormat(const Node& bias, const Node& product) {
    const auto format = [](const Node& node) {
      return node.attrs().GetOr<std::string>("data_format", "NHWC");
    };
    const auto a = format(bias), b = format(product);
    return a.ok() && b.ok() && *a == *b;
  }

  // Fuses an activation with the fused product before it.
  bool FuseActivation(NodeId id) {
    const Node& node = graph_.node(id);
    const Node& before = graph_.node(node.inputs[0].node);
    if (before.def->op != fused_matmul_ && before.def->op != fused_conv_) {
      return false;
    }
    const NodeId product = Absorbable(id);
    auto ops = before.attrs().Get<std::vector<std::string>>("fused_ops");
    if (product == kNoNode || !ops.ok() || ops->size() != 1) return false;
    ops->push_back(node.op());
    AttrMap attrs = before.attrs();
    attrs.Set("fused_ops", *std::move(ops));
    return Absorb(id, product, before.op(), std::move(attrs), before.inputs);
  }

  // Fuses a ReluGrad with the MaxPoolGrad before it. The output of the Relu is
  // also the input of the pooling. This tensor tells the fused kernel where
  // ReluGrad lets the gradient pass.
  bool FusePoolGradient(NodeId id) {
    const Node& node = graph_.node(id);
    const Node& before = graph_.node(node.inputs[0].node);
    if (before.def->op != max_pool_grad_ ||
        before.inputs[0] != node.inputs[1] || WindowsOverlap(before)) {
      return false;
    }
    const NodeId product = Absorbable(id);
    return product != kNoNode && Absorb(id, product, "_LeatMaxPoolReluGrad",
                                        before.attrs(), before.inputs);
  }

  // Returns true if a pixel may lie in several windows. Then the gradients of
  // the windows are added up before ReluGrad multiplies the sum by 0 or 1. If
  // the sum overflows, the result differs from the result of the fused kernel,
  // which multiplies each gradient first.
  static bool WindowsOverlap(const Node& pool) {
    const auto size = pool.attrs().Get<std::vector<int64_t>>("ksize");
    const auto stride = pool.attrs().Get<std::vector<int64_t>>("strides");
    return !size.ok() || !stride.ok() || size->size() != stride->size() ||
           !std::equal(size->begin(), size->end(), stride->begin(),
                       std::less_equal<>());
  }

  // Makes the node `id` do the work of `product`, too, and removes `product`.
  // Returns false, and changes nothing, if that is not possible.
  bool Absorb(NodeId id, NodeId product, const std::string& op, AttrMap attrs,
              absl::InlinedVector<Endpoint, 2> inputs) {
    auto controls = context_.UnitedControls(id, {product});
    for (const char* annotation : {"_class", "_output_shapes"}) {
      attrs.Erase(annotation);
    }
    if (!controls.has_value() ||
        !context_.Replace(id, op, std::move(attrs), inputs,
                          *std::move(controls))) {
      return false;
    }
    context_.Remove(product);
    return true;
  }

  PassContext& context_;
  const Graph& graph_;
  const OpDef* matmul_ = nullptr;
  const OpDef* conv_ = nullptr;
  const OpDef* bias_add_ = nullptr;
  const OpDef* fused_matmul_ = nullptr;
  const OpDef* fused_conv_ = nullptr;
  const OpDef* relu_grad_ = nullptr;
  const OpDef* max_pool_grad_ = nullptr;
  absl::flat_hash_set<const OpDef*> activations_;
  // Holds the number of uses of each node, by NodeId (see CountUses). Is empty
  // until Absorbable is first called.
  std::vector<int32_t> uses_;
};

bool Run(PassContext& context) { return Fuser(context).Run(); }

}  // namespace

void Register(PassRegistry& registry) {
  registry.Add({.name = "fusion", .phase = Phase::kFuse, .run = &Run});
}

}  // namespace leat::passes::fusion
