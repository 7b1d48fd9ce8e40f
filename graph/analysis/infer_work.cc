// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/infer_work.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "leat/core/dtype.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

using Shapes = std::vector<std::vector<InferredOutput>>;

// Says what is assumed where a shape is not known.
struct Assumption {
  int64_t extent = 1;
  Shape of_unknown_rank = {};
};

Shape Assumed(const PartialShape& shape, const Assumption& assumption) {
  if (!shape.rank_known()) return assumption.of_unknown_rank;
  for (const int64_t extent : {assumption.extent, int64_t{1}}) {
    Dims dims(shape.dims().begin(), shape.dims().end());
    absl::c_replace(dims, PartialShape::kUnknown, extent);
    // Fails if there would be more elements than can be counted.
    absl::StatusOr<Shape> assumed = Shape::Create(dims);
    if (assumed.ok()) return *std::move(assumed);
  }
  return assumption.of_unknown_rank;
}

// Returns true if the node calls a function. What it has to do depends on the
// body.
bool CallsFunction(const Graph& graph, const Node& node) {
  if (graph.ops().Find(node.op()) != node.def->op) return true;
  return absl::c_any_of(node.attrs(), [](const AttrMap::Entry& attr) {
    return std::holds_alternative<FunctionRef>(attr.second) ||
           std::holds_alternative<std::vector<FunctionRef>>(attr.second);
  });
}

bool HasContents(const TensorSpec& tensor) {
  return tensor.dtype == DType::kString || tensor.dtype == DType::kVariant;
}

// Infers the work of one node.
class NodeInferrer {
 public:
  NodeInferrer(const Graph& graph, const Shapes& shapes, NodeId id)
      : graph_(graph), shapes_(shapes), id_(id), node_(graph.node(id)) {}

  NodeWork Run(int64_t assumed_extent) {
    NodeWork result = WorkIf({.extent = assumed_extent});
    if (CallsFunction(graph_, node_)) {
      result.is_guessed = true;
      return result;
    }
    const bool has_work = !(result.work == Work());
    const bool has_contents = absl::c_any_of(result.inputs, HasContents) ||
                              absl::c_any_of(result.outputs, HasContents);
    result.is_guessed = has_work && has_contents;
    if (!has_unknowns_ || result.is_guessed) return result;
    // If the work is the same with other extents, it depends on known ones.
    const int64_t other = assumed_extent == 2 ? 3 : 2;
    const NodeWork with_others =
        WorkIf({.extent = other, .of_unknown_rank = Shape{other, other}});
    result.is_guessed = !(with_others.work == result.work);
    return result;
  }

 private:
  NodeWork WorkIf(const Assumption& assumption) {
    NodeWork result;
    const NodeDef& def = *node_.def;
    result.inputs.reserve(node_.inputs.size());
    result.handles.reserve(node_.inputs.size());
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const InferredOutput& known = KnownOf(node_.inputs[i]);
      const DType dtype = BaseOf(def.input_types[i]);
      result.inputs.push_back(SpecOf(dtype, known.shape, assumption));
      result.has_known_inputs =
          result.has_known_inputs && known.shape.IsFullyKnown();
      result.handles.emplace_back();
      if (dtype != DType::kResource) continue;
      result.handles.back() =
          known.handle
              ? SpecOf(known.handle->dtype, known.handle->shape, assumption)
              : SpecOf(DType::kInvalid, PartialShape(), assumption);
    }
    result.outputs.reserve(def.output_types.size());
    for (int i = 0; i < node_.num_outputs(); ++i) {
      const InferredOutput& known = KnownOf({id_, i});
      result.outputs.push_back(
          SpecOf(BaseOf(node_.output_type(i)), known.shape, assumption));
    }
    result.work = WorkOf(WorkContext(*def.op, def.attrs, result.inputs,
                                     result.outputs, result.handles));
    return result;
  }

  TensorSpec SpecOf(DType dtype, const PartialShape& shape,
                    const Assumption& assumption) {
    has_unknowns_ = has_unknowns_ || !shape.IsFullyKnown();
    return {.dtype = dtype, .shape = Assumed(shape, assumption)};
  }

  const InferredOutput& KnownOf(const Endpoint& endpoint) const {
    static const auto* const kNothing = new InferredOutput();
    if (endpoint.node < 0) return *kNothing;
    const auto id = static_cast<size_t>(endpoint.node);
    const auto output = static_cast<size_t>(endpoint.index);
    return id < shapes_.size() && output < shapes_[id].size()
               ? shapes_[id][output]
               : *kNothing;
  }

  const Graph& graph_;
  const Shapes& shapes_;
  const NodeId id_;
  const Node& node_;
  bool has_unknowns_ = false;
};

}  // namespace

std::vector<NodeWork> InferWork(const Graph& graph, const Shapes& shapes,
                                int64_t assumed_extent) {
  std::vector<NodeWork> result(static_cast<size_t>(graph.num_ids()));
  for (const NodeId id : graph.NodeIds()) {
    result[static_cast<size_t>(id)] =
        NodeInferrer(graph, shapes, id).Run(assumed_extent);
  }
  return result;
}

}  // namespace leat
