// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/dump_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "leat/core/bytes_text.h"
#include "leat/core/escaped_text.h"
#include "leat/tools/dumps/dump_simulation_text.h"
#include "leat/tools/dumps/fold.h"
#include "leat/tools/dumps/table.h"

namespace leat {
namespace {

constexpr size_t kMaxOp = 48;
constexpr size_t kMaxInputs = 56;
constexpr size_t kMaxOutputs = 36;
constexpr size_t kShownOps = 4;

using Rows = std::vector<std::vector<Cell>>;

// Shortens "/job:.../device:CPU:0" to "CPU:0" if all devices belong to one
// task.
class DeviceNames {
 public:
  explicit DeviceNames(const Dump& dump) {
    for (const auto& [device, totals] : dump.devices) {
      const size_t end = device.find("/device:");
      if (end == device.npos) continue;
      if (task_.empty()) task_ = device.substr(0, end);
      is_one_task_ = is_one_task_ && task_ == device.substr(0, end);
    }
  }

  std::string Short(const std::string& device) const {
    const size_t end = device.find("/device:");
    if (!is_one_task_ || end == device.npos) return device;
    return device.substr(end + std::string("/device:").size());
  }

 private:
  std::string task_;
  bool is_one_task_ = true;
};

std::string TensorText(const DumpedTensor& tensor) {
  const std::string shape =
      tensor.shape.rank_known() ? tensor.shape.DebugString() : "?";
  return absl::StrCat(Name(tensor.dtype), " ", shape);
}

// Returns the value of an attr without quotes, or "" if there is no such attr.
std::string AttrOf(const DumpedNode& node, absl::string_view name) {
  for (const auto& [attr, value] : node.attrs) {
    if (attr == name)
      return std::string(
          absl::StripSuffix(absl::StripPrefix(value, "\""), "\""));
  }
  return "";
}

std::string OpText(const DumpedNode& node, const DeviceNames& devices) {
  if (node.op == "_Send") {
    return absl::StrCat("_Send[to ", devices.Short(AttrOf(node, "recv_device")),
                        "]");
  }
  if (node.op == "_Recv") {
    return absl::StrCat("_Recv[from ",
                        devices.Short(AttrOf(node, "send_device")), "]");
  }
  std::string attrs;
  for (const auto& [name, value] : node.attrs) {
    if (node.implied_attrs.contains(name)) continue;
    absl::StrAppend(&attrs, attrs.empty() ? "" : ", ", name, "=", value);
  }
  if (attrs.empty()) return node.op;
  return Shortened(absl::StrCat(node.op, "[", attrs, "]"), kMaxOp);
}

std::string OutputsText(const DumpedNode& node) {
  return Shortened(
      absl::StrJoin(node.outputs, ", ",
                    [](std::string* out, const DumpedTensor& tensor) {
                      out->append(TensorText(tensor));
                    }),
      kMaxOutputs);
}

// Returns a text such as "MatMul 12, Add 7", with the most frequent ops first.
std::string OpCounts(const DumpedPart& part, const std::vector<int>& members) {
  std::map<std::string, int> by_op;
  for (const int i : members) ++by_op[part.nodes[i].op];
  std::vector<std::pair<std::string, int>> counts(by_op.begin(), by_op.end());
  std::stable_sort(counts.begin(), counts.end(),
                   [](auto& a, auto& b) { return a.second > b.second; });
  const bool more = counts.size() > kShownOps;
  if (more) counts.resize(kShownOps);
  return absl::StrCat(absl::StrJoin(counts, ", ", absl::PairFormatter(" ")),
                      more ? ", ..." : "");
}

// Writes one dump.
class TextWriter {
 public:
  TextWriter(const Dump& dump, const DumpTextOptions& options)
      : dump_(dump), options_(options), names_(dump) {}

  std::string Write() {
    Title();
    Devices();
    Transfers();
    if (dump_.simulation.has_value()) {
      out_ += SimulationText(
          *dump_.simulation,
          [this](const std::string& device) { return names_.Short(device); },
          {.color = options_.color, .width = options_.width});
    }
    for (const DumpedPart& part : dump_.parts) Part(part);
    return std::move(out_);
  }

 private:
  // Writes a line. If the text begins with "\n", an empty line comes first.
  void Line(absl::string_view text, Style style = Style::kPlain) {
    if (absl::ConsumePrefix(&text, "\n")) out_ += "\n";
    absl::StrAppend(&out_, Styled(Escaped(text), style, options_.color), "\n");
  }

  std::string Table(const Rows& rows) const {
    return FormatTable(rows,
                       {.color = options_.color, .width = options_.width});
  }

  void Names(absl::string_view what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    constexpr size_t kWidth = 100;
    Line(absl::StrCat("  ", what, " ",
                      Shortened(absl::StrJoin(names, ", "), kWidth)));
  }

  void Title() {
    int64_t nodes = 0;
    for (const DumpedPart& part : dump_.parts) nodes += part.totals.num_nodes;
    std::string title =
        absl::StrCat(dump_.model, dump_.model.empty() ? "" : ": ",
                     StageName(dump_.stage), " graph of ", nodes, " nodes");
    if (dump_.stage == Stage::kPartitioned) {
      absl::StrAppend(&title, " in ", dump_.parts.size(),
                      dump_.parts.size() == 1 ? " partition" : " partitions");
    }
    Line(title, Style::kHeading);
    Names("feeds", dump_.signature.feeds);
    Names("fetches", dump_.signature.fetches);
    Names("targets", dump_.signature.targets);
    if (!dump_.shape_problem.empty()) {
      Line(absl::StrCat("  no shapes: ", dump_.shape_problem), Style::kAlarm);
    }
  }

  void Devices() {
    Rows rows;
    rows.push_back({{"device", Style::kFaint},
                    Heading("nodes"),
                    Heading("outputs"),
                    Heading("of unknown size"),
                    Heading("variables")});
    for (const auto& [device, totals] : dump_.devices) {
      rows.push_back({Cell(device.empty() ? "(any)" : device),
                      Cell::Number(absl::StrCat(totals.num_nodes)),
                      Cell::Number(BytesText(totals.output_bytes)),
                      Cell::Number(absl::StrCat(totals.unknown_outputs)),
                      Cell::Number(BytesText(totals.variable_bytes))});
    }
    absl::StrAppend(&out_, "\n", Table(rows));
  }

  static Cell Heading(std::string text) {
    Cell cell = Cell::Number(std::move(text));
    cell.style = Style::kFaint;
    return cell;
  }

  void Transfers() {
    if (dump_.stage != Stage::kPartitioned) return;
    if (dump_.transfers.empty() && dump_.copies.empty()) {
      Line("\nno transfers", Style::kHeading);
    }
    Transfers("transfers", dump_.transfers);
    Transfers("copies to and from GPUs", dump_.copies);
  }

  void Transfers(absl::string_view what,
                 const std::vector<DumpedTransfer>& transfers) {
    if (transfers.empty()) return;
    DumpedNode sums;
    for (const DumpedTransfer& transfer : transfers) {
      sums.outputs.push_back(transfer.value);
    }
    Totals totals;
    totals.Add(sums);
    Line(absl::StrCat("\n", what, ": ", transfers.size(), ", ",
                      BytesText(totals.output_bytes),
                      totals.unknown_outputs == 0
                          ? ""
                          : absl::StrCat(" and ", totals.unknown_outputs,
                                         " of unknown size")),
         Style::kHeading);
    // Holds the pairs of devices, in the order in which they first occur.
    std::vector<std::pair<std::string, std::string>> ways;
    std::map<std::pair<std::string, std::string>, std::vector<int>> by_way;
    for (size_t i = 0; i < transfers.size(); ++i) {
      const std::pair way(transfers[i].from, transfers[i].to);
      std::vector<int>& members = by_way[way];
      if (members.empty()) ways.push_back(way);
      members.push_back(static_cast<int>(i));
    }
    const int lines = options_.max_lines / static_cast<int>(ways.size() + 1);
    Rows rows;
    for (const auto& way : ways) {
      TransferRows(transfers, by_way[way], lines, rows);
    }
    out_ += Table(rows);
  }

  // Adds the transfers from one device to another, in at most `max_lines`
  // lines.
  void TransferRows(const std::vector<DumpedTransfer>& transfers,
                    const std::vector<int>& members, int max_lines,
                    Rows& rows) {
    std::vector<std::string> names;
    for (const int i : members) {
      const DumpedTransfer& transfer = transfers[i];
      names.push_back(
          absl::StrCat(transfer.is_control ? "^" : "", transfer.tensor));
    }
    const FoldOptions fold{.max_lines = std::max(max_lines, 4),
                           .expand = options_.expand};
    for (const FoldedLine& line : FoldNames(names, fold)) {
      const DumpedTransfer& first = transfers[members[line.members[0]]];
      DumpedNode sums;
      for (const int i : line.members) {
        sums.outputs.push_back(transfers[members[i]].value);
      }
      Totals totals;
      totals.Add(sums);
      const std::string what =
          line.is_folded     ? absl::StrCat(line.members.size(), " tensors")
          : first.is_control ? "control"
                             : TensorText(first.value);
      rows.push_back(
          {Cell(names_.Short(first.from)), "->", Cell(names_.Short(first.to)),
           Cell(line.label, line.is_folded ? Style::kHeading : Style::kName),
           Cell(what, line.is_folded ? Style::kFaint : Style::kPlain),
           Cell::Number(totals.unknown_outputs > 0
                            ? "?"
                            : BytesText(totals.output_bytes))});
    }
  }

  void Part(const DumpedPart& part) {
    std::string title = "\nnodes";
    if (!part.name.empty()) {
      title = absl::StrCat("\npartition ", part.name, ": ",
                           part.totals.num_nodes, " nodes");
    }
    std::vector<std::string> names;
    for (const DumpedNode& node : part.nodes) names.push_back(node.name);
    FoldOptions fold{.max_lines = options_.max_lines,
                     .expand = options_.expand};
    const std::vector<FoldedLine> lines = FoldNames(names, fold);
    if (lines.size() < names.size()) {
      absl::StrAppend(&title, " (folded; --expand SCOPE, or / for all)");
    }
    Line(title, Style::kHeading);
    Rows rows;
    for (const FoldedLine& line : lines) {
      rows.push_back(line.is_folded
                         ? FoldedRow(part, line)
                         : NodeRow(part.nodes[line.members[0]], part));
    }
    out_ += Table(rows);
  }

  std::vector<Cell> NodeRow(const DumpedNode& node, const DumpedPart& part) {
    std::string inputs = absl::StrCat(
        "(", Shortened(absl::StrJoin(node.inputs, ", "), kMaxInputs), ")");
    // The title of the partition shows the device already.
    const bool has_device = part.name.empty();
    std::vector<Cell> row = {Cell(node.name, Style::kName),
                             Cell(OpText(node, names_), Style::kOp),
                             Cell(OutputsText(node))};
    if (has_device) {
      row.emplace_back(names_.Short(node.device), Style::kFaint);
    }
    row.emplace_back(std::move(inputs));
    return row;
  }

  std::vector<Cell> FoldedRow(const DumpedPart& part, const FoldedLine& line) {
    Totals totals;
    for (const int i : line.members) totals.Add(part.nodes[i]);
    std::string bytes = BytesText(totals.output_bytes);
    if (totals.unknown_outputs > 0) {
      absl::StrAppend(&bytes, " + ", totals.unknown_outputs, " unknown");
    }
    std::vector<Cell> row = {
        Cell(line.label, Style::kHeading),
        Cell(absl::StrCat(totals.num_nodes, " nodes"), Style::kFaint),
        Cell(std::move(bytes), Style::kFaint)};
    if (part.name.empty()) row.emplace_back("");
    row.emplace_back(OpCounts(part, line.members), Style::kFaint);
    return row;
  }

  const Dump& dump_;
  const DumpTextOptions& options_;
  const DeviceNames names_;
  std::string out_;
};

}  // namespace

std::string DumpToText(const Dump& dump, const DumpTextOptions& options) {
  return TextWriter(dump, options).Write();
}

}  // namespace leat
