// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dump_dot.h"

#include <map>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/tools/table.h"

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

void AppendEdge(const std::string& input, const std::string& node,
                std::string& out) {
  if (absl::StartsWith(input, "^")) {
    absl::StrAppend(&out, "  ", Quoted(input.substr(1)), " -> ", Quoted(node),
                    " [style=dashed];\n");
    return;
  }
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
  std::string out = absl::StrCat(
      "digraph ", Quoted(StageName(dump.stage)),
      " {\n  rankdir=TB; node [shape=box, fontname=\"monospace\"];\n");
  int count = 0;
  for (const auto& [cluster, nodes] : clusters) {
    absl::StrAppend(&out, "  subgraph cluster_", count++,
                    " {\n    label=", Quoted(cluster), ";\n");
    for (const DumpedNode* node : nodes) {
      absl::StrAppend(&out, "    ", Quoted(node->name), " [label=",
                      Quoted(absl::StrCat(node->name, "\n", node->op)), "];\n");
    }
    out += "  }\n";
  }
  for (const DumpedPart& part : dump.parts) {
    for (const DumpedNode& node : part.nodes) {
      for (const std::string& input : node.inputs) {
        AppendEdge(input, node.name, out);
      }
    }
  }
  for (const Transfer& transfer : dump.transfers) {
    absl::StrAppend(&out, "  ", Quoted(transfer.send_node), " -> ",
                    Quoted(transfer.recv_node),
                    " [style=bold, label=", Quoted(TensorLabel(transfer.value)),
                    "];\n");
  }
  out += "}\n";
  return out;
}

}  // namespace leat
