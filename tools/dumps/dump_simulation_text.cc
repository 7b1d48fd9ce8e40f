// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/dump_simulation_text.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "leat/core/bytes_text.h"
#include "leat/core/escaped_text.h"

namespace leat {
namespace {

constexpr size_t kMaxSteps = 20;
constexpr size_t kMaxLoops = 5;

using Rows = std::vector<std::vector<Cell>>;

std::string BytesOf(double bytes) {
  return BytesText(static_cast<int64_t>(std::min(bytes, 1e18)));
}

// Returns "45 %" for a part of a whole.
std::string ShareText(double part, double whole) {
  if (whole <= 0) return "0 %";
  return absl::StrFormat("%.0f %%", 100 * part / whole);
}

Cell Heading(std::string text, bool is_right) {
  Cell cell(std::move(text), Style::kFaint);
  cell.is_right = is_right;
  return cell;
}

// Writes a DumpedSimulation.
class SimulationWriter {
 public:
  SimulationWriter(
      const DumpedSimulation& simulation,
      absl::FunctionRef<std::string(const std::string&)> short_name,
      const TableOptions& options)
      : simulation_(simulation), short_name_(short_name), options_(options) {}

  std::string Write() {
    Title();
    Loops();
    Devices();
    Costliest();
    Path();
    return std::move(out_);
  }

 private:
  void Line(absl::string_view text, Style style = Style::kPlain) {
    absl::StrAppend(&out_, Styled(Escaped(text), style, options_.color), "\n");
  }

  // Writes a heading below an empty line.
  void Headline(absl::string_view text) {
    out_ += "\n";
    Line(text, Style::kHeading);
  }

  void Title() {
    const DumpedSimulation& s = simulation_;
    Headline(absl::StrCat("simulated step on ", s.cluster, ": ",
                          SecondsText(s.step_seconds)));
    Line(absl::StrCat("  at least ", SecondsText(s.bound_seconds),
                      " with any plan: all nodes need ",
                      SecondsText(s.work_seconds), " of ", s.num_processors,
                      " processors, the longest chain of nodes ",
                      SecondsText(s.critical_path_seconds)));
    const auto count = [&s](CostOrigin origin) {
      return s.num_costs[static_cast<size_t>(origin)];
    };
    Line(absl::StrCat("  times of nodes: ", count(CostOrigin::kMeasured),
                      " measured, ", count(CostOrigin::kCalibrated),
                      " calibrated (from work and rates), ",
                      count(CostOrigin::kGuessed), " guessed"));
    Line(absl::StrCat("  messages between tasks: ", s.num_transfers, ", ",
                      BytesOf(s.transferred_bytes)));
  }

  void Loops() {
    size_t shown = 0;
    for (const SimulatedLoop& loop : simulation_.loops) {
      if (++shown > kMaxLoops) break;
      Line(absl::StrCat(
          "  loop ", loop.name,
          loop.is_assumed
              ? ": assumed to turn once, because no step was measured"
              : absl::StrFormat(": turns %.4g times", loop.trips),
          loop.trips > loop.simulated_trips
              ? absl::StrCat(", simulated by ", loop.simulated_trips,
                             " longer turns")
              : ""));
    }
    if (simulation_.loops.size() > kMaxLoops) {
      Line(absl::StrCat("  and ", simulation_.loops.size() - kMaxLoops,
                        " other loops"));
    }
  }

  void Devices() {
    Rows rows;
    rows.push_back({Heading("device", false), Heading("kind", false),
                    Heading("processors", true), Heading("busy", true),
                    Heading("", true), Heading("idle", true),
                    Heading("peak memory", true), Heading("of", true)});
    for (const DumpedDeviceUse& use : simulation_.devices) {
      const double whole = use.busy_seconds + use.idle_seconds;
      rows.push_back({Cell(short_name_(use.name)), Cell(use.kind),
                      Cell::Number(absl::StrCat(use.num_processors)),
                      Cell::Number(SecondsText(use.busy_seconds)),
                      Cell::Number(ShareText(use.busy_seconds, whole)),
                      Cell::Number(SecondsText(use.idle_seconds)),
                      Cell::Number(BytesOf(use.peak_bytes)),
                      Cell::Number(BytesOf(use.memory_bytes))});
    }
    out_ += FormatTable(rows, options_);
    if (simulation_.num_unused_devices > 0) {
      Line(absl::StrCat("  devices that have nothing to do: ",
                        simulation_.num_unused_devices));
    }
  }

  void Costliest() {
    if (simulation_.costliest.empty()) return;
    Headline("nodes that take longest");
    Rows rows;
    for (const DumpedNodeCost& cost : simulation_.costliest) {
      rows.push_back({Cell(cost.name, Style::kName), Cell(cost.op, Style::kOp),
                      Cell(short_name_(cost.device), Style::kFaint),
                      Cell::Number(SecondsText(cost.seconds)),
                      Cell(cost.num_runs == 1
                               ? ""
                               : absl::StrCat("in ", cost.num_runs, " runs")),
                      Cell(std::string(Name(cost.origin)), Style::kFaint)});
    }
    out_ += FormatTable(rows, options_);
  }

  // A step that waits for nothing has no path.
  void Path() {
    const std::vector<DumpedPathStep> path =
        LongestPathSteps(simulation_.path, kMaxSteps);
    if (path.empty()) return;
    const auto shown = static_cast<int64_t>(path.size());
    Headline(
        absl::StrCat("critical path: what the step waits for, one after "
                     "another",
                     shown < simulation_.path_length
                         ? absl::StrCat(" (the longest ", shown, " of ",
                                        simulation_.path_length, ")")
                         : ""));
    Rows rows;
    for (const DumpedPathStep& step : path) {
      const bool is_transfer = !step.to.empty();
      rows.push_back(
          {Cell::Number(absl::StrCat("at ", SecondsText(step.begin))),
           Cell::Number(SecondsText(step.end - step.begin)),
           Cell(step.name, Style::kName),
           is_transfer ? Cell(absl::StrCat(BytesOf(step.bytes), " travel"))
                       : Cell(step.op, Style::kOp),
           Cell(is_transfer ? absl::StrCat(short_name_(step.device), " -> ",
                                           short_name_(step.to))
                            : short_name_(step.device),
                Style::kFaint)});
    }
    out_ += FormatTable(rows, options_);
  }

  const DumpedSimulation& simulation_;
  const absl::FunctionRef<std::string(const std::string&)> short_name_;
  const TableOptions& options_;
  std::string out_;
};

}  // namespace

std::string SecondsText(double seconds) {
  if (seconds <= 0) return "0 s";
  // Three digits of a little less than 1 ms would read "1e+03 us".
  constexpr double kRounds = 0.9995;
  if (seconds < kRounds * 1e-6)
    return absl::StrFormat("%.3g ns", seconds * 1e9);
  if (seconds < kRounds * 1e-3)
    return absl::StrFormat("%.3g us", seconds * 1e6);
  if (seconds < kRounds) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.4g s", seconds);
}

std::string SimulationText(
    const DumpedSimulation& simulation,
    absl::FunctionRef<std::string(const std::string&)> short_name,
    const TableOptions& options) {
  return SimulationWriter(simulation, short_name, options).Write();
}

}  // namespace leat
