// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/output.h"

#include "absl/strings/str_cat.h"
#include "leat/graph/builder/builder.h"

namespace leat {
namespace {

// Returns the node of an operation, or null if the node does not exist. The
// constructor of Operation takes any id, so there may be no node with the id.
const Node* FindNode(const Operation& operation) {
  if (!operation.IsValid()) return nullptr;
  const Graph& graph = operation.builder()->graph();
  return graph.Contains(operation.id()) ? &graph.node(operation.id()) : nullptr;
}

}  // namespace

std::string Operation::name() const {
  const Node* node = FindNode(*this);
  return node == nullptr ? "" : node->name();
}

std::string Operation::op() const {
  const Node* node = FindNode(*this);
  return node == nullptr ? "" : node->op();
}

int Operation::num_inputs() const {
  const Node* node = FindNode(*this);
  return node == nullptr ? 0 : node->num_inputs();
}

int Operation::num_outputs() const {
  const Node* node = FindNode(*this);
  return node == nullptr ? 0 : node->num_outputs();
}

Output Operation::input(int i) const {
  if (i < 0 || i >= num_inputs()) {
    return Output(Operation(builder_, kNoNode), 0);
  }
  const Endpoint from = builder_->graph().node(id_).inputs[i];
  return Output(Operation(builder_, from.node), from.index);
}

Output Operation::output(int i) const {
  if (i < 0 || i >= num_outputs()) {
    // An Operation without a builder may have the id kOfConstants, which says
    // that an op function got constants only. The Output keeps this id, so that
    // a builder that gets the Output can name the cause.
    return Output(Operation(builder_, builder_ == nullptr ? id_ : kNoNode), 0);
  }
  return Output(*this, i);
}

std::string Output::name() const {
  const std::string node = operation_.name();
  return node.empty() ? "" : absl::StrCat(node, ":", index_);
}

DType Output::dtype() const {
  if (index_ < 0 || index_ >= operation_.num_outputs()) return DType::kInvalid;
  return BaseOf(builder()->graph().node(operation_.id()).output_type(index_));
}

bool Output::is_ref() const {
  return index_ >= 0 && index_ < operation_.num_outputs() &&
         IsRef(builder()->graph().node(operation_.id()).output_type(index_));
}

PartialShape Output::shape() const {
  if (builder() == nullptr) return {};
  const InferredOutput* inferred = builder()->inferred(endpoint());
  return inferred == nullptr ? PartialShape() : inferred->shape;
}

}  // namespace leat
