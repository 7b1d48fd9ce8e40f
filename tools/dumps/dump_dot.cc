// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/dump_dot.h"

#include <map>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/bytes_text.h"
#include "leat/tools/dumps/table.h"

namespace leat {
namespace {

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::CEscape(text), "\"");
}

std::string TensorLabel(const DumpedTensor& tensor) {
  const std::optional<int64_t> bytes = tensor.Bytes();
  return absl::StrCat(
      Name(tensor.dtype), " ",
      tensor.shape.rank_known() ? tensor.shape.DebugString() : "?", "\n",
      bytes ? BytesText(*bytes) : "? bytes");
}

// Returns a text such as "dense/MatMul\nMatMul\nfloat [32,10]".
std::string NodeLabel(const DumpedNode& node) {
  constexpr size_t kShownOutputs = 2;
  std::string label = absl::StrCat(node.name, "\n", node.op);
  for (size_t i = 0; i < node.outputs.size() && i < kShownOutputs; ++i) {
    const DumpedTensor& output = node.outputs[i];
    absl::StrAppend(
        &label, i == 0 ? "\n" : ", ", Name(output.dtype), " ",
        output.shape.rank_known() ? output.shape.DebugString() : "?");
  }
  if (node.outputs.size() > kShownOutputs) label += ", ...";
  return label;
}

// Returns a colour that shows what a node is for.
absl::string_view FillColor(const DumpedNode& node) {
  if (node.op == "_Send" || node.op == "_Recv" || IsDeviceCopy(node.op)) {
    return "lightblue";
  }
  if (node.op == "_Arg" || node.op == "_Retval" || node.op == "Placeholder") {
    return "palegreen";
  }
  if (node.variable_bytes > 0) return "khaki";
  return node.op == "Const" ? "gray90" : "white";
}

// Appends an edge across which a tensor travels from one memory to another.
void AppendTransfer(const DumpedTransfer& transfer, std::string& out) {
  absl::StrAppend(
      &out, "  ", Quoted(transfer.send_node), " -> ",
      Quoted(transfer.recv_node), " [style=bold, label=",
      Quoted(transfer.is_control ? "control" : TensorLabel(transfer.value)),
      "];\n");
}

void AppendEdge(const std::string& input, const DumpedNode& consumer,
                std::string& out) {
  const std::string& node = consumer.name;
  if (absl::StartsWith(input, "^")) {
    absl::StrAppend(&out, "  ", Quoted(input.substr(1)), " -> ", Quoted(node),
                    " [style=dashed];\n");
    return;
  }
  if (IsDeviceCopy(consumer.op)) return;  // AppendTransfer draws this edge
  const absl::StatusOr<TensorId> id = TensorId::Parse(input);
  if (!id.ok()) return;
  const std::string label =
      id->index == 0 ? "" : absl::StrCat(" [label=\"", id->index, "\"]");
  absl::StrAppend(&out, "  ", Quoted(id->node), " -> ", Quoted(node), label,
                  ";\n");
}

}  // namespace

std::string DumpToDot(const Dump& dump) {
  std::map<std::string, std::vector<const DumpedNode*>> clusters;
  for (const DumpedPart& part : dump.parts) {
    for (const DumpedNode& node : part.nodes) {
      clusters[part.name.empty() ? node.device : part.name].push_back(&node);
    }
  }
  std::string out =
      absl::StrCat("digraph ", Quoted(StageName(dump.stage)),
                   " {\n  graph [rankdir=TB, fontname=\"monospace\"];\n"
                   "  node [shape=box, style=filled, fontname=\"monospace\"];\n"
                   "  edge [fontname=\"monospace\"];\n");
  int count = 0;
  for (const auto& [cluster, nodes] : clusters) {
    absl::StrAppend(&out, "  subgraph cluster_", count++,
                    " {\n    label=", Quoted(cluster), ";\n");
    for (const DumpedNode* node : nodes) {
      absl::StrAppend(&out, "    ", Quoted(node->name),
                      " [label=", Quoted(NodeLabel(*node)),
                      ", fillcolor=", FillColor(*node), "];\n");
    }
    out += "  }\n";
  }
  for (const DumpedPart& part : dump.parts) {
    for (const DumpedNode& node : part.nodes) {
      for (const std::string& input : node.inputs) {
        AppendEdge(input, node, out);
      }
    }
  }
  for (const auto* transfers : {&dump.transfers, &dump.copies}) {
    for (const DumpedTransfer& transfer : *transfers) {
      AppendTransfer(transfer, out);
    }
  }
  out += "}\n";
  return out;
}

}  // namespace leat
