// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The pass "arithmetic" finds nodes whose output equals a tensor x that is
// there already, and replaces each by an Identity of x. Such nodes are
//  - x * 1, x / 1, x - 0, x + 0, AddN of x alone, and Cast of x to its type;
//  - Neg(Neg(x)) and LogicalNot(LogicalNot(x));
//  - Transposes and Reshapes of x that change nothing, either one node alone or
//    two nodes that undo each other.
// The pass replaces a node only if
//  - the result is the same bit by bit for every x, including NaN, infinities
//    and -0 (so x + 0.0 stays, because it turns -0 into 0);
//  - the shape is provably the same;
//  - the node cannot fail.
// Denormals are an exception: arithmetic kernels treat a denormal as zero
// (flush_denormals.h), but the Identity passes it on.
//
// The Identity waits for the same nodes as the node that it replaces. The pass
// "identity_removal" removes the Identity where that is possible.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/optimizer/pass_context.h"

namespace leat::passes::arithmetic {
namespace {

// Describes what can replace a node. `value` is a tensor that equals the output
// of the node. `skipped` are the other nodes from which the output is computed:
// constants, and nodes between `value` and the node. All their data inputs are
// constants or `value`.
struct Equivalent {
  Endpoint value = {};
  absl::InlinedVector<NodeId, 3> skipped = {};
};
using Found = std::optional<Equivalent>;
// Returns what the node is equivalent to, or nothing.
using Rule = Found (*)(PassContext&, NodeId);

const Node& NodeOf(const PassContext& context, NodeId id) {
  return context.graph().node(id);
}

// Returns true if every element is `value`. Compares the bits of floats,
// because -0 must not count as 0. Returns false for an empty tensor, and for a
// tensor with more than kMaxKnownElements elements.
bool IsFilledWith(const Tensor& tensor, double value) {
  if (tensor.num_elements() < 1 || tensor.num_elements() > kMaxKnownElements) {
    return false;
  }
  bool all = false;
  VisitDType(kNumbers, tensor.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const T wanted = static_cast<T>(value);
    const auto data = tensor.data<T>();
    all = std::all_of(data.begin(), data.end(), [&](const T& element) {
      return std::equal(reinterpret_cast<const char*>(&element),
                        reinterpret_cast<const char*>(&element + 1),
                        reinterpret_cast<const char*>(&wanted));
    });
  });
  return all;
}

// Returns true if broadcasting `x` against `constant` gives the shape of x.
bool KeepsShape(PassContext& context, Endpoint x, const Tensor& constant) {
  if (constant.rank() == 0) return true;
  const InferredOutput* known = context.Inferred(x);
  if (known == nullptr || !known->shape.rank_known()) return false;
  const PartialShape& shape = known->shape;
  const int shift = shape.rank() - constant.rank();
  if (shift < 0) return false;
  for (int i = 0; i < constant.rank(); ++i) {
    if (constant.dim(i) != 1 && constant.dim(i) != shape.dim(i + shift)) {
      return false;
    }
  }
  return true;
}

// Returns input `kept` if the other input is filled with the neutral element
// `element`.
Found Neutral(PassContext& context, NodeId id, int kept, double element) {
  const Node& node = NodeOf(context, id);
  const Endpoint other = node.inputs[1 - kept];
  const Tensor* constant = context.Constant(other.node);
  if (constant == nullptr || !IsFilledWith(*constant, element) ||
      !KeepsShape(context, node.inputs[kept], *constant)) {
    return std::nullopt;
  }
  return Equivalent{node.inputs[kept], {other.node}};
}

Found Multiply(PassContext& context, NodeId id) {
  Found found = Neutral(context, id, 0, 1.0);
  return found ? found : Neutral(context, id, 1, 1.0);
}

Found Divide(PassContext& context, NodeId id) {
  return Neutral(context, id, 0, 1.0);
}

Found Add(PassContext& context, NodeId id) {
  const double zero =
      IsFloating(NodeOf(context, id).output_type(0)) ? -0.0 : 0.0;
  Found found = Neutral(context, id, 0, zero);
  return found ? found : Neutral(context, id, 1, zero);
}

Found Subtract(PassContext& context, NodeId id) {
  return Neutral(context, id, 0, 0.0);
}

// AddN of one tensor is that tensor.
Found Sum(PassContext& context, NodeId id) {
  const Node& node = NodeOf(context, id);
  if (node.num_inputs() != 1) return std::nullopt;
  return Equivalent{node.inputs[0], {}};
}

// Returns the producer of input 0 if it has the same op as node `id` and reads
// no reference. Otherwise returns null.
const Node* Inner(const PassContext& context, NodeId id) {
  const Node& node = NodeOf(context, id);
  const NodeId inner = node.inputs[0].node;
  if (NodeOf(context, inner).def->op != node.def->op ||
      context.ReadsReference(inner)) {
    return nullptr;
  }
  return &NodeOf(context, inner);
}

// If an op is its own inverse, applying it twice gives the original tensor.
// Returns this tensor if the node and the producer of its input have the same
// op.
Found Involution(PassContext& context, NodeId id) {
  const Node* inner = Inner(context, id);
  if (inner == nullptr) return std::nullopt;
  return Equivalent{inner->inputs[0], {NodeOf(context, id).inputs[0].node}};
}

Found Cast(PassContext& context, NodeId id) {
  const Node& node = NodeOf(context, id);
  if (node.def->input_types[0] != node.output_type(0)) return std::nullopt;
  return Equivalent{node.inputs[0], {}};
}

// Returns the permutation of a Transpose if it is a valid constant and has as
// many elements as the known rank of the input. Then the Transpose cannot fail.
// Otherwise returns nothing.
std::optional<Dims> Permutation(PassContext& context, const Node& node) {
  const Tensor* constant = context.Constant(node.inputs[1].node);
  const InferredOutput* known = context.Inferred(node.inputs[0]);
  if (constant == nullptr || known == nullptr || !known->shape.rank_known()) {
    return std::nullopt;
  }
  auto permutation = GetIndices(*constant, "perm");
  if (!permutation.ok() ||
      static_cast<int>(permutation->size()) != known->shape.rank()) {
    return std::nullopt;
  }
  Dims sorted = *permutation;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return std::nullopt;
  }
  return *permutation;
}

Found Transpose(PassContext& context, NodeId id) {
  const Node& node = NodeOf(context, id);
  const std::optional<Dims> outer = Permutation(context, node);
  if (!outer.has_value()) return std::nullopt;
  Equivalent result{node.inputs[0], {node.inputs[1].node}};
  Dims inner(outer->size());
  for (size_t i = 0; i < inner.size(); ++i) inner[i] = static_cast<int64_t>(i);
  if (const Node* before = Inner(context, id); before != nullptr) {
    if (std::optional<Dims> found = Permutation(context, *before)) {
      inner = *std::move(found);
      result.value = before->inputs[0];
      result.skipped.push_back(node.inputs[0].node);
      result.skipped.push_back(before->inputs[1].node);
    }
  }
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[(*outer)[i]] != static_cast<int64_t>(i)) return std::nullopt;
  }
  return result;
}

// Returns true if a Reshape from `from` to `to` changes nothing. If no extent
// is 0, one extent of `to` may be unknown, because it follows from the number
// of elements. All other extents must be known to be equal.
bool ReshapeChangesNothing(const PartialShape& from, const PartialShape& to) {
  if (!from.rank_known() || !to.rank_known() || from.rank() != to.rank()) {
    return false;
  }
  int num_unknown = 0;
  bool has_zero = false;
  for (int i = 0; i < to.rank(); ++i) {
    has_zero = has_zero || to.dim(i) == 0;
    if (!to.dim_known(i)) {
      ++num_unknown;
    } else if (from.dim(i) != to.dim(i)) {
      return false;
    }
  }
  return num_unknown == 0 || (num_unknown == 1 && !has_zero);
}

// Returns true if a Reshape to the constant shape `to` cannot fail, because the
// number of elements always fits. `from` is what is known of the shape of the
// tensor.
bool CannotFail(const PartialShape& from, const Tensor& to) {
  const auto extents = GetIndices(to, "shape");
  if (!from.rank_known() || !extents.ok()) return false;
  if (from.IsFullyKnown()) return true;  // else inference would have failed
  int64_t wanted = 1;
  int num_unknown = 0;
  for (const int64_t extent : *extents) {
    num_unknown += extent == PartialShape::kUnknown ? 1 : 0;
    if (extent < 1) continue;
    wanted = CheckedMultiply(wanted, extent).value_or(0);
  }
  int64_t given = 1;
  for (const int64_t extent : from.dims()) {
    if (extent < 0) continue;
    given = CheckedMultiply(given, extent).value_or(0);
  }
  return num_unknown == 1 && wanted > 0 && given > 0 && given % wanted == 0;
}

Found Reshape(PassContext& context, NodeId id) {
  const Node& node = NodeOf(context, id);
  if (context.Constant(node.inputs[1].node) == nullptr) return std::nullopt;
  Equivalent result{node.inputs[0], {node.inputs[1].node}};
  const InferredOutput* to = context.Inferred({id, 0});
  const InferredOutput* from = context.Inferred(node.inputs[0]);
  if (to == nullptr || from == nullptr) return std::nullopt;
  if (ReshapeChangesNothing(from->shape, to->shape)) return result;
  const Node* before = Inner(context, id);
  if (before == nullptr ||
      context.Constant(before->inputs[1].node) == nullptr) {
    return std::nullopt;
  }
  from = context.Inferred(before->inputs[0]);
  if (from == nullptr || !ReshapeChangesNothing(from->shape, to->shape) ||
      !CannotFail(from->shape, *context.Constant(before->inputs[1].node))) {
    return std::nullopt;
  }
  result.value = before->inputs[0];
  result.skipped.push_back(node.inputs[0].node);
  result.skipped.push_back(before->inputs[1].node);
  return result;
}

constexpr std::pair<const char*, Rule> kRules[] = {
    {"Mul", &Multiply}, {"RealDiv", &Divide},      {"Div", &Divide},
    {"Add", &Add},      {"AddV2", &Add},           {"Sub", &Subtract},
    {"AddN", &Sum},     {"Neg", &Involution},      {"LogicalNot", &Involution},
    {"Cast", &Cast},    {"Transpose", &Transpose}, {"Reshape", &Reshape},
};

// Replaces the node by an Identity if `rule` finds an equivalent tensor.
// Returns true if the node was replaced.
bool Apply(PassContext& context, NodeId id, Rule rule) {
  const Found found = rule(context, id);
  if (!found.has_value()) return false;
  auto controls = context.UnitedControls(id, found->skipped);
  if (!controls.has_value()) return false;
  const Node& from = NodeOf(context, found->value.node);
  const DType type = from.output_type(found->value.index);
  return context.Replace(id, "Identity", {{"T", type}}, {found->value},
                         *std::move(controls));
}

bool Run(PassContext& context) {
  const Graph& graph = context.graph();
  absl::flat_hash_map<const OpDef*, Rule> rules;
  for (const auto& [op, rule] : kRules) rules[graph.ops().Find(op)] = rule;
  rules.erase(nullptr);
  bool changed = false;
  for (const NodeId id : context.order()) {
    if (!graph.Contains(id)) continue;
    const auto rule = rules.find(graph.node(id).def->op);
    if (rule == rules.end() || !context.IsPure(id) ||
        context.ReadsReference(id)) {
      continue;
    }
    changed = Apply(context, id, rule->second) || changed;
  }
  return changed;
}

}  // namespace

void Register(PassRegistry& registry) {
  registry.Add({.name = "arithmetic", .phase = Phase::kSimplify, .run = &Run});
}

}  // namespace leat::passes::arithmetic
