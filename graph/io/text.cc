// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/io/text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

// Returns the nodes with producers before consumers, or in the order of their
// ids if a cycle makes that impossible.
std::vector<NodeId> DisplayOrder(const Graph& graph) {
  absl::StatusOr<std::vector<NodeId>> order = TopologicalOrder(graph);
  return order.ok() ? *std::move(order) : graph.NodeIds();
}

bool IsShown(const OpDef* op, const std::string& name, const AttrValue& value,
             const TextOptions& options) {
  const AttrDef* attr = op ? op->FindAttr(name) : nullptr;
  if (attr == nullptr) {
    return options.annotations || (op == nullptr && name[0] != '_');
  }
  return options.default_attrs || !attr->default_value.has_value() ||
         !EqualAttrValues(*attr->default_value, value);
}

std::string AttrsText(const OpDef* op, const AttrMap& attrs,
                      const TextOptions& options) {
  if (!options.attrs) return "";
  std::vector<std::string> parts;
  for (const auto& [name, value] : attrs) {
    if (name.empty() || !IsShown(op, name, value, options)) continue;
    parts.push_back(
        absl::StrCat(name, "=", DebugString(value, options.max_elements)));
  }
  if (parts.empty()) return "";
  return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
}

// Holds the cells of a line: name, op with attrs, inputs, device.
using Row = std::array<std::string, 4>;

// Returns the rows as lines. Pads each cell to the width of its column, except
// for the last non-empty cell of a line.
std::string InColumns(const std::vector<Row>& rows, size_t max_column,
                      absl::string_view indent) {
  std::array<size_t, 4> widths = {};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i].size() <= max_column) {
        widths[i] = std::max(widths[i], row[i].size());
      }
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      const size_t pad =
          widths[i] > row[i].size() ? widths[i] - row[i].size() : 0;
      absl::StrAppend(&line,
                      i == 1  ? " = "
                      : i > 1 ? " "
                              : "",
                      row[i], std::string(pad, ' '));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string DeviceText(const std::string& device, const TextOptions& options) {
  return options.devices && !device.empty() ? absl::StrCat("@", device) : "";
}

std::string ArgText(const ArgDef& arg) {
  std::string type = !arg.type_list_attr.empty() ? arg.type_list_attr
                     : !arg.type_attr.empty()    ? arg.type_attr
                                                 : Name(arg.type);
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  if (!arg.number_attr.empty()) {
    type = absl::StrCat(arg.number_attr, " * ", type);
  }
  return absl::StrCat(arg.name, ": ", type);
}

void AppendArgs(std::string* out, const ArgDef& arg) {
  absl::StrAppend(out, ArgText(arg));
}

std::string FunctionText(const Function& function, const OpRegistry& ops,
                         const TextOptions& options) {
  std::string text = absl::StrCat(
      "\nfunction ", function.signature.name, "(",
      absl::StrJoin(function.signature.inputs, ", ", AppendArgs), ") -> (",
      absl::StrJoin(function.signature.outputs, ", ", AppendArgs), ")\n");
  std::vector<Row> rows;
  for (const FunctionNode& node : function.nodes) {
    rows.push_back({node.name,
                    absl::StrCat(node.op, AttrsText(ops.Find(node.op),
                                                    node.attrs, options)),
                    absl::StrCat("(", absl::StrJoin(node.inputs, ", "), ")"),
                    DeviceText(node.device, options)});
  }
  absl::StrAppend(&text, InColumns(rows, options.max_column, "  "));
  for (const auto& [output, tensor] : function.returns) {
    absl::StrAppend(&text, "  return ", output, " = ", tensor, "\n");
  }
  for (const auto& [output, node] : function.control_returns) {
    absl::StrAppend(&text, "  return ^", output, " = ", node, "\n");
  }
  return text;
}

std::string ControlName(const Graph& graph, NodeId id) {
  return absl::StrCat("^", InputName(graph, {id, 0}));
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::CEscape(text), "\"");
}

// Writes the beginnings and ends of the nested clusters of a DOT graph to
// `out`. There is one cluster for each name scope.
class Clusters {
 public:
  explicit Clusters(std::string& out) : out_(out) {}

  // Closes and opens clusters until the open clusters are the clusters of
  // `scope`.
  void Enter(const std::vector<absl::string_view>& scope) {
    size_t common = 0;
    while (common < scope.size() && common < open_.size() &&
           scope[common] == open_[common]) {
      ++common;
    }
    while (open_.size() > common) {
      open_.pop_back();
      absl::StrAppend(&out_, Indent(), "}\n");
    }
    while (open_.size() < scope.size()) {
      absl::StrAppend(&out_, Indent(), "subgraph cluster_", count_++,
                      " { label=", Quoted(scope[open_.size()]), ";\n");
      open_.push_back(scope[open_.size()]);
    }
  }

  // Returns the indentation. The indentation is bounded, because names may nest
  // thousands of scopes deep.
  std::string Indent() const {
    return std::string(2 * std::min<size_t>(open_.size() + 1, 20), ' ');
  }

 private:
  std::string& out_;
  std::vector<absl::string_view> open_;
  int count_ = 0;
};

void AppendEdges(const Graph& graph, NodeId id, const DotOptions& options,
                 std::string& out) {
  const Node& node = graph.node(id);
  for (const Endpoint& input : node.inputs) {
    const std::string label =
        input.index == 0 ? "" : absl::StrCat(" [label=\"", input.index, "\"]");
    absl::StrAppend(&out, "  n", input.node, " -> n", id, label, ";\n");
  }
  if (!options.control_edges) return;
  for (const NodeId control : node.controls) {
    absl::StrAppend(&out, "  n", control, " -> n", id, " [style=dashed];\n");
  }
}

}  // namespace

std::string ToText(const Graph& graph, const TextOptions& options) {
  std::vector<Row> rows;
  for (const NodeId id : DisplayOrder(graph)) {
    const Node& node = graph.node(id);
    std::vector<std::string> inputs;
    for (const Endpoint& input : node.inputs) {
      inputs.push_back(InputName(graph, input));
    }
    for (const NodeId control : node.controls) {
      inputs.push_back(ControlName(graph, control));
    }
    const std::string& device =
        node.device >= 0 ? graph.AssignedDevice(id) : node.def->device;
    rows.push_back({node.name(),
                    absl::StrCat(node.op(), AttrsText(node.def->op,
                                                      node.attrs(), options)),
                    absl::StrCat("(", absl::StrJoin(inputs, ", "), ")"),
                    DeviceText(device, options)});
  }
  std::string text = InColumns(rows, options.max_column, "");
  for (const auto& [name, function] : graph.functions().functions()) {
    absl::StrAppend(&text, FunctionText(*function, graph.ops(), options));
  }
  return text;
}

std::string ToDot(const Graph& graph, const DotOptions& options) {
  struct Entry {
    std::vector<absl::string_view> scope = {};
    NodeId id = kNoNode;
  };
  std::vector<Entry> entries;
  for (const NodeId id : graph.NodeIds()) {
    Entry entry;
    entry.id = id;
    if (options.scopes) {
      entry.scope = absl::StrSplit(graph.node(id).name(), '/');
      entry.scope.pop_back();
    }
    entries.push_back(std::move(entry));
  }
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const Entry& a, const Entry& b) { return a.scope < b.scope; });
  std::string out =
      "digraph G {\n  rankdir=TB; node [shape=box, fontname=\"monospace\"];\n";
  Clusters clusters(out);
  for (const Entry& entry : entries) {
    clusters.Enter(entry.scope);
    const Node& node = graph.node(entry.id);
    const absl::string_view name = node.name();
    const absl::string_view leaf =
        options.scopes ? name.substr(name.rfind('/') + 1) : name;
    absl::StrAppend(&out, clusters.Indent(), "n", entry.id,
                    " [label=", Quoted(absl::StrCat(leaf, "\n", node.op())),
                    "];\n");
  }
  clusters.Enter({});
  for (const Entry& entry : entries) {
    AppendEdges(graph, entry.id, options, out);
  }
  out += "}\n";
  return out;
}

}  // namespace leat
