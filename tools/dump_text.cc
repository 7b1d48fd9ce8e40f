// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dump_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/tools/fold.h"
#include "leat/tools/table.h"

namespace leat {
namespace {

constexpr size_t kMaxOp = 64;
constexpr size_t kMaxInputs = 56;
constexpr size_t kMaxOutputs = 40;
constexpr size_t kShownOps = 4;

using Rows = std::vector<std::vector<Cell>>;

// "CPU:0" for "/job:.../device:CPU:0" where one task has all devices.
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

std::string OptionalBytes(const DumpedTensor& tensor) {
  const std::optional<int64_t> bytes = tensor.Bytes();
  return bytes ? BytesText(*bytes) : "?";
}

std::string OpText(const DumpedNode& node) {
  if (node.attrs.empty()) return node.op;
  const std::string attrs =
      absl::StrJoin(node.attrs, ", ", [](std::string* out, const auto& attr) {
        absl::StrAppend(out, attr.first, "=", attr.second);
      });
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

// "MatMul 12, Add 7, ...", the most frequent first.
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

class TextWriter {
 public:
  TextWriter(const Dump& dump, const DumpTextOptions& options)
      : dump_(dump), options_(options), names_(dump) {}

  std::string Write() {
    Title();
    Devices();
    Transfers();
    for (const DumpedPart& part : dump_.parts) Part(part);
    return std::move(out_);
  }

 private:
  void Line(absl::string_view text, Style style = Style::kPlain) {
    absl::StrAppend(&out_, Styled(text, style, options_.color), "\n");
  }

  std::string Table(const Rows& rows) const {
    return FormatTable(rows, {.color = options_.color});
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
      absl::StrAppend(&title, " in ", dump_.parts.size(), " partitions");
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
    DumpedNode sums;
    for (const Transfer& transfer : dump_.transfers) {
      sums.outputs.push_back(transfer.value);
    }
    Totals totals;
    totals.Add(sums);
    Line(absl::StrCat("\ntransfers: ", dump_.transfers.size(), ", ",
                      BytesText(totals.output_bytes),
                      totals.unknown_outputs == 0
                          ? ""
                          : absl::StrCat(" and ", totals.unknown_outputs,
                                         " of unknown size")),
         Style::kHeading);
    const bool all = !options_.expand.empty() && options_.expand[0] == "/";
    const size_t shown =
        all ? dump_.transfers.size()
            : std::min(dump_.transfers.size(),
                       static_cast<size_t>(std::max(options_.max_lines, 1)));
    Rows rows;
    for (size_t i = 0; i < shown; ++i) {
      const Transfer& transfer = dump_.transfers[i];
      rows.push_back(
          {Cell(names_.Short(transfer.from)), "->",
           Cell(names_.Short(transfer.to)),
           Cell(transfer.is_control ? absl::StrCat("^", transfer.tensor)
                                    : transfer.tensor,
                Style::kName),
           Cell(transfer.is_control ? "control" : TensorText(transfer.value)),
           Cell::Number(OptionalBytes(transfer.value))});
    }
    out_ += Table(rows);
    if (shown < dump_.transfers.size()) {
      Line(absl::StrCat("  ... and ", dump_.transfers.size() - shown,
                        " more (--expand / shows them)"),
           Style::kFaint);
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
    // Below the title of its partition a node's device goes without saying.
    const bool has_device = part.name.empty();
    return {Cell(node.name, Style::kName), Cell(OpText(node), Style::kOp),
            Cell(std::move(inputs)), Cell(OutputsText(node)),
            Cell(has_device ? names_.Short(node.device) : "", Style::kFaint)};
  }

  std::vector<Cell> FoldedRow(const DumpedPart& part, const FoldedLine& line) {
    Totals totals;
    for (const int i : line.members) totals.Add(part.nodes[i]);
    std::string bytes = BytesText(totals.output_bytes);
    if (totals.unknown_outputs > 0) {
      absl::StrAppend(&bytes, " + ", totals.unknown_outputs, " unknown");
    }
    return {Cell(line.label, Style::kHeading),
            Cell(absl::StrCat(totals.num_nodes, " nodes"), Style::kFaint),
            Cell(OpCounts(part, line.members), Style::kFaint),
            Cell(std::move(bytes), Style::kFaint)};
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
