// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The pass "cse" merges common subexpressions. It merges nodes on the same
// device that compute the same op from the same inputs and wait for the same
// control edges. Only the first of these nodes stays.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/optimizer/pass_context.h"

namespace leat::passes::cse {
namespace {

// Constants with more bytes than this are not compared byte by byte. They count
// as equal only if they share their memory.
constexpr int64_t kMaxComparedBytes = int64_t{1} << 20;

bool IsSame(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.raw_data() == b.raw_data()) return true;
  return a.num_bytes() <= kMaxComparedBytes && Identical(a, b);
}

// Hashes a tensor of strings. Reads only about the first kMaxComparedBytes
// bytes of the strings.
size_t HashOfText(const Tensor& tensor) {
  size_t hash = absl::HashOf(tensor.dtype(), tensor.shape().dims());
  size_t left = static_cast<size_t>(kMaxComparedBytes);
  for (const std::string& text : tensor.data<std::string>()) {
    const absl::string_view head = absl::string_view(text).substr(0, left);
    hash = absl::HashOf(hash, text.size(), head);
    left -= std::min(left, head.size() + 1);
    if (left == 0) break;
  }
  return hash;
}

size_t HashOf(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return HashOfText(tensor);
  const auto shape = tensor.shape().dims();
  const int64_t bytes = tensor.num_bytes();
  if (!IsPlainBytes(tensor.dtype())) {
    return absl::HashOf(tensor.dtype(), shape);
  }
  if (bytes > kMaxComparedBytes) return absl::HashOf(tensor.raw_data());
  return absl::HashOf(
      tensor.dtype(), shape,
      absl::string_view(tensor.raw_data(), static_cast<size_t>(bytes)));
}

// Hashes an attr's value. Some kinds of values are rarely the only difference
// between two nodes. For these, hashes only the kind; AreEqual compares the
// values.
size_t HashOf(const AttrValue& value) {
  if (const auto* type = std::get_if<DType>(&value)) return absl::HashOf(*type);
  if (const auto* i = std::get_if<int64_t>(&value)) return absl::HashOf(*i);
  if (const auto* b = std::get_if<bool>(&value)) return absl::HashOf(*b);
  if (const auto* text = std::get_if<std::string>(&value)) {
    return absl::HashOf(*text);
  }
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value)) {
    return absl::HashOf(*ints);
  }
  if (const auto* tensor = std::get_if<Tensor>(&value)) return HashOf(*tensor);
  return value.index();
}

class Merger {
 public:
  explicit Merger(PassContext& context)
      : context_(context),
        graph_(context.graph()),
        merged_into_(graph_.num_ids(), kNoNode) {}

  bool Run() {
    first_of_.reserve(context_.order().size());
    bool changed = false;
    for (const NodeId id : context_.order()) {
      if (!graph_.Contains(id)) continue;
      Rewire(id);
      // A node without outputs only serves to order other nodes by control
      // edges, so it stays.
      if (!context_.IsPure(id) || context_.IsKept(id) ||
          graph_.node(id).num_outputs() == 0 || context_.ReadsReference(id)) {
        continue;
      }
      // Unequal nodes with the same hash are so rare that a node is compared
      // only with the first node that has its hash.
      const auto [it, inserted] = first_of_.try_emplace(HashOfNode(id), id);
      if (inserted || !AreEqual(it->second, id)) continue;
      merged_into_[id] = it->second;
      changed = true;
    }
    for (const NodeId id : context_.order()) {
      if (merged_into_[id] != kNoNode) context_.Remove(id);
    }
    return changed;
  }

 private:
  // In the inputs and control inputs of the node, replaces merged nodes by the
  // nodes that they were merged into.
  void Rewire(NodeId id) {
    const Node& node = graph_.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const NodeId first = merged_into_[node.inputs[i].node];
      if (first == kNoNode) continue;
      context_.SetInput(id, i, {first, node.inputs[i].index});
    }
    const auto is_merged = [&](NodeId control) {
      return merged_into_[control] != kNoNode;
    };
    if (std::none_of(node.controls.begin(), node.controls.end(), is_merged)) {
      return;
    }
    PassContext::Controls controls = node.controls;
    for (NodeId& control : controls) {
      if (is_merged(control)) control = merged_into_[control];
    }
    context_.SetControls(id, std::move(controls));
  }

  // Hashes the node. Attrs that begin with '_' are annotations and do not
  // count.
  size_t HashOfNode(NodeId id) const {
    const Node& node = graph_.node(id);
    size_t hash = absl::HashOf(node.def->op, node.device, node.inputs.size(),
                               node.controls.size());
    for (const Endpoint& input : node.inputs) hash = absl::HashOf(hash, input);
    for (const NodeId control : node.controls) {
      hash = absl::HashOf(hash, control);
    }
    for (const auto& [name, value] : node.attrs()) {
      if (name[0] != '_') hash = absl::HashOf(hash, HashOf(value));
    }
    return hash;
  }

  // Returns true if the two nodes compute the same values. Attrs that the op
  // does not declare are annotations and do not count.
  bool AreEqual(NodeId a, NodeId b) const {
    const Node& x = graph_.node(a);
    const Node& y = graph_.node(b);
    if (x.def->op != y.def->op || x.device != y.device ||
        x.inputs != y.inputs || x.controls != y.controls) {
      return false;
    }
    return std::all_of(x.def->op->attrs.begin(), x.def->op->attrs.end(),
                       [&](const AttrDef& attr) {
                         return AreEqual(x.attrs().Find(attr.name),
                                         y.attrs().Find(attr.name));
                       });
  }

  static bool AreEqual(const AttrValue* a, const AttrValue* b) {
    if (a == nullptr || b == nullptr) return a == b;
    const Tensor* x = std::get_if<Tensor>(a);
    const Tensor* y = std::get_if<Tensor>(b);
    if (x != nullptr && y != nullptr) return IsSame(*x, *y);
    return EqualAttrValues(*a, *b);
  }

  PassContext& context_;
  const Graph& graph_;
  std::vector<NodeId> merged_into_;  // by NodeId; kNoNode if not merged
  absl::flat_hash_map<size_t, NodeId> first_of_;  // by hash
};

bool Run(PassContext& context) { return Merger(context).Run(); }

}  // namespace

void Register(PassRegistry& registry) {
  registry.Add({.name = "cse", .phase = Phase::kSimplify, .run = &Run});
}

}  // namespace leat::passes::cse
