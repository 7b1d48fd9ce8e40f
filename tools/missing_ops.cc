// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/missing_ops.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/missing_kernel.h"
#include "leat/graph/lowering/lower.h"
#include "leat/tools/dumps/table.h"
#include "nlohmann/json.hpp"

namespace leat {

absl::StatusOr<std::vector<MissingOp>> MissingOps(Graph graph) {
  LEAT_RETURN_IF_ERROR(LowerFunctions(graph));
  const OpRegistry& ops = graph.ops();
  std::map<std::pair<std::string, std::string>, MissingOp> missing;
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    const NodeDef& node = *graph.node(id).def;
    if (HasKernel(ops, node)) continue;
    MissingOp& entry = missing[{node.op->name, TypesText(node)}];
    if (entry.num_nodes++ == 0) {
      entry.op = node.op->name;
      entry.types = TypesText(node);
      entry.node = node.name;
      entry.similar = NearestOps(ops, node.op->name);
    }
  }
  std::vector<MissingOp> list;
  for (auto& [key, entry] : missing) list.push_back(std::move(entry));
  return list;
}

std::string MissingOpsText(absl::Span<const MissingOp> missing, bool color) {
  if (missing.empty()) return "Leat has a kernel for every node.\n";
  std::vector<std::vector<Cell>> rows = {
      {Cell("op", Style::kHeading), Cell("types", Style::kHeading),
       Cell::Number("nodes"), Cell("such as", Style::kHeading),
       Cell("similar ops that have kernels", Style::kHeading)}};
  for (const MissingOp& entry : missing) {
    rows.push_back({Cell(entry.op, Style::kOp), Cell(entry.types),
                    Cell::Number(absl::StrCat(entry.num_nodes)),
                    Cell(entry.node, Style::kName),
                    Cell(absl::StrJoin(entry.similar, ", "), Style::kFaint)});
  }
  return FormatTable(rows, {.color = color, .indent = 0});
}

std::string MissingOpsJson(absl::Span<const MissingOp> missing) {
  auto json = nlohmann::ordered_json::array();
  for (const MissingOp& entry : missing) {
    json.push_back({{"op", entry.op},
                    {"types", entry.types},
                    {"nodes", entry.num_nodes},
                    {"node", entry.node},
                    {"similar", entry.similar}});
  }
  return json.dump(1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace leat
