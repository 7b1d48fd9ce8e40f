// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/graph.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"
#include "leat/graph/node_error.h"

namespace leat {
namespace {

bool IsNameChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '\\' ||
         c == '/' || c == '>' || c == '-';
}

absl::Status CheckInput(const Graph& graph, const NodeDef& def, int i,
                        Endpoint input) {
  if (!graph.Contains(input.node)) {
    return NodeError(def, absl::StrCat("input ", i, " comes from node ",
                                       input.node, ", which does not exist"));
  }
  const Node& from = graph.node(input.node);
  if (input.index < 0 || input.index >= from.num_outputs()) {
    return NodeError(
        def, absl::StrCat("input ", i, " is output ", input.index, " of '",
                          from.name(), "', which has only ", from.num_outputs(),
                          from.num_outputs() == 1 ? " output" : " outputs"));
  }
  // A reference can be read as a value, but a value cannot be used as a
  // reference.
  const DType given = from.output_type(input.index);
  const DType expected = def.input_types[i];
  if (given == expected || BaseOf(given) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Input ", i, " of node ", def.name, " was passed ",
                   Name(given), " from ", from.name(), ":", input.index,
                   " incompatible with expected ", Name(expected), "."));
}

absl::Status CheckInputs(const Graph& graph, const NodeDef& def,
                         absl::Span<const Endpoint> inputs,
                         absl::Span<const NodeId> controls) {
  if (inputs.size() != def.input_types.size()) {
    return NodeError(def, absl::StrCat("it has ", inputs.size(),
                                       " inputs, but its op takes ",
                                       def.input_types.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    LEAT_RETURN_IF_ERROR(
        CheckInput(graph, def, static_cast<int>(i), inputs[i]));
  }
  for (const NodeId control : controls) {
    if (!graph.Contains(control)) {
      return NodeError(def, absl::StrCat("a control input comes from node ",
                                         control, ", which does not exist"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

Graph::Graph(const OpRegistry& ops) : ops_(&ops) {}

void Graph::Reserve(int num_nodes) {
  // Grows the capacity by at least one half. Otherwise, a graph that grows in
  // small steps would be copied in each step.
  const auto wanted = static_cast<size_t>(num_nodes);
  if (wanted > nodes_.capacity()) {
    nodes_.reserve(std::max(wanted, nodes_.capacity() + nodes_.capacity() / 2));
  }
  by_name_.reserve(wanted);
}

NodeId Graph::Find(absl::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? kNoNode : it->second;
}

std::vector<NodeId> Graph::NodeIds() const {
  std::vector<NodeId> ids;
  ids.reserve(static_cast<size_t>(num_nodes_));
  for (NodeId id = 0; id < num_ids(); ++id) {
    if (Contains(id)) ids.push_back(id);
  }
  return ids;
}

absl::StatusOr<NodeId> Graph::Add(NodeDef def,
                                  absl::Span<const Endpoint> inputs,
                                  absl::Span<const NodeId> controls) {
  if (!IsValidNodeName(def.name)) return NodeError(def, kBadNodeName);
  if (def.op == nullptr) return NodeError(def, "has no op");
  absl::Status status = CheckAttrs(*def.op, def.attrs, /*fill_defaults=*/true);
  if (!status.ok()) return NodeError(def, status.message());
  absl::StatusOr<std::vector<DType>> types = InputTypes(*def.op, def.attrs);
  if (!types.ok()) return NodeError(def, types.status().message());
  def.input_types = *std::move(types);
  types = OutputTypes(*def.op, def.attrs);
  if (!types.ok()) return NodeError(def, types.status().message());
  def.output_types = *std::move(types);
  LEAT_RETURN_IF_ERROR(CheckInputs(*this, def, inputs, controls));

  const auto [it, inserted] = by_name_.try_emplace(def.name, num_ids());
  if (!inserted) return NodeError(def, "a node of this name exists");
  Node node;
  node.def = std::make_shared<const NodeDef>(std::move(def));
  node.inputs.assign(inputs.begin(), inputs.end());
  node.controls.assign(controls.begin(), controls.end());
  return Append(std::move(node));
}

NodeId Graph::AddUnchecked(Node node) {
  const auto [it, inserted] = by_name_.try_emplace(node.name(), num_ids());
  LEAT_CHECK(inserted);
  return Append(std::move(node));
}

NodeId Graph::Append(Node node) {
  if (node.controls.size() > 1) {
    std::sort(node.controls.begin(), node.controls.end());
    node.controls.erase(std::unique(node.controls.begin(), node.controls.end()),
                        node.controls.end());
  }
  nodes_.push_back(std::move(node));
  ++num_nodes_;
  return num_ids() - 1;
}

void Graph::Replace(NodeId id, std::shared_ptr<const NodeDef> def) {
  LEAT_CHECK(def->name == nodes_[id].name());
  nodes_[id].def = std::move(def);
}

void Graph::Remove(NodeId id) {
  LEAT_CHECK(Contains(id));
  by_name_.erase(nodes_[id].name());
  nodes_[id] = Node();
  --num_nodes_;
}

void Graph::Truncate(int num_ids) {
  while (this->num_ids() > num_ids) {
    if (Contains(this->num_ids() - 1)) Remove(this->num_ids() - 1);
    nodes_.pop_back();
  }
  next_suffix_.clear();  // names that it skips may be free again
}

void Graph::AddControl(NodeId from, NodeId to) {
  auto& controls = nodes_[to].controls;
  const auto it = std::lower_bound(controls.begin(), controls.end(), from);
  if (it == controls.end() || *it != from) controls.insert(it, from);
}

std::string Graph::UniqueName(absl::string_view prefix) {
  if (!by_name_.contains(prefix)) return std::string(prefix);
  int64_t& suffix = next_suffix_.try_emplace(prefix, 1).first->second;
  std::string name = absl::StrCat(prefix, "_", suffix);
  while (by_name_.contains(name)) name = absl::StrCat(prefix, "_", ++suffix);
  return name;
}

int Graph::InternDevice(absl::string_view name) {
  const auto [it, inserted] =
      device_index_.try_emplace(name, static_cast<int>(devices_.size()));
  if (inserted) devices_.emplace_back(name);
  return it->second;
}

const std::string& Graph::AssignedDevice(NodeId id) const {
  static const std::string* const kNone = new std::string;
  const int device = nodes_[id].device;
  return device < 0 ? *kNone : devices_[static_cast<size_t>(device)];
}

bool IsValidNodeName(absl::string_view name) {
  return !name.empty() && (absl::ascii_isalnum(name[0]) || name[0] == '.') &&
         std::all_of(name.begin(), name.end(), IsNameChar);
}

std::string TensorId::ToString() const {
  if (index == kControl) return absl::StrCat("^", node);
  return index == 0 ? node : absl::StrCat(node, ":", index);
}

absl::StatusOr<TensorId> TensorId::Parse(absl::string_view text) {
  const auto error = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text,
                     "' is not the name of a tensor ('node', 'node:1' or "
                     "'^node')"));
  };
  TensorId id;
  absl::string_view name = text;
  const size_t colon = text.find(':');
  if (!text.empty() && text[0] == '^') {
    id.index = kControl;
    name.remove_prefix(1);
  } else if (colon != absl::string_view::npos) {
    name = text.substr(0, colon);
    const absl::string_view digits = text.substr(colon + 1);
    const bool only_digits =
        std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit);
    if (!only_digits || !absl::SimpleAtoi(digits, &id.index)) return error();
  }
  // Accepts names that begin with '_'. Leat and the masters of TensorFlow make
  // nodes with such names. A client may refer to these nodes, but may not add a
  // node with such a name.
  if (name.empty() || !std::all_of(name.begin(), name.end(), IsNameChar)) {
    return error();
  }
  id.node = std::string(name);
  return id;
}

}  // namespace leat
