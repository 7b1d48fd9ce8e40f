// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/simulation/loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/control_flow_ops.h"

namespace leat {
namespace {

// Is the largest number of iterations of one loop that are simulated.
constexpr int32_t kMaxTrips = 1 << 20;
// Bounds what is multiplied, so that no product is infinite.
constexpr double kMaxEntries = 1e18;
// Limits the number of turns for which a simulated one stands.
constexpr double kMaxWeight = 1e18;
constexpr double kMaxTotalRuns = std::numeric_limits<int32_t>::max();

}  // namespace

absl::StatusOr<Loops> Loops::Find(absl::Span<const Partition> parts,
                                  absl::Span<const std::vector<NodeCost>> costs,
                                  int64_t max_runs) {
  Loops result;
  for (const Partition& part : parts) {
    LEAT_RETURN_IF_ERROR(result.AddPart(part.graph));
  }
  result.SetTrips(parts, costs);
  LEAT_RETURN_IF_ERROR(result.Shorten(parts, max_runs));
  return result;
}

absl::Status Loops::AddPart(const Graph& graph) {
  of_inputs_.emplace_back();
  of_outputs_.emplace_back();
  bool has_loops = false;
  for (NodeId id = 0; id < graph.num_ids() && !has_loops; ++id) {
    has_loops = graph.Contains(id) && IsEnter(graph.node(id));
  }
  if (!has_loops) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const Frames frames, FindFrames(graph));
  std::vector<int32_t> loop_of = {kNone};  // by frame of the part
  for (size_t i = 1; i < frames.frames.size(); ++i) {
    const Frame& frame = frames.frames[i];
    const int32_t parent = loop_of[frame.parent];
    const auto next = static_cast<int32_t>(loops_.size());
    const auto [entry, is_new] = index_.try_emplace({parent, frame.name}, next);
    if (is_new) loops_.push_back({.name = frame.name, .parent = parent});
    loop_of.push_back(entry->second);
  }
  const auto to_loops = [&](const std::vector<int32_t>& of_frames) {
    std::vector<int32_t> result(of_frames.size(), kNone);
    for (size_t id = 0; id < of_frames.size(); ++id) {
      if (of_frames[id] > 0) result[id] = loop_of[of_frames[id]];
    }
    return result;
  };
  of_inputs_.back() = to_loops(frames.of_inputs);
  of_outputs_.back() = to_loops(frames.of_outputs);
  return absl::OkStatus();
}

// A NextIteration runs once per turn. A loop without one never turns.
void Loops::SetTrips(absl::Span<const Partition> parts,
                     absl::Span<const std::vector<NodeCost>> costs) {
  std::vector<double> turns(loops_.size(), -1);  // in a step; -1: not measured
  std::vector<bool> may_turn(loops_.size(), false);
  for (size_t part = 0; part < parts.size(); ++part) {
    if (of_inputs_[part].empty()) continue;
    const Graph& graph = parts[part].graph;
    for (const NodeId id : graph.NodeIds()) {
      if (!IsNextIteration(graph.node(id))) continue;
      const int32_t loop = OfInputs(part, id);
      may_turn[loop] = true;
      const NodeCost& cost = costs[part][id];
      if (!cost.runs_per_step.has_value()) continue;
      turns[loop] = std::max(turns[loop], *cost.runs_per_step);
    }
  }
  std::vector<double> entries(loops_.size(), 1);
  for (size_t i = 1; i < loops_.size(); ++i) {
    LoopModel& loop = loops_[i];
    // An outer loop evaluates what is before its condition once more, but
    // inner loops are entered only by its turns.
    entries[i] = std::min(
        entries[loop.parent] * std::max(loops_[loop.parent].trips, 1.0),
        kMaxEntries);
    loop.is_assumed = may_turn[i] && turns[i] < 0;
    if (!loop.is_assumed) loop.trips = std::max(turns[i], 0.0) / entries[i];
    loop.turns = loop.trips * entries[i];
    loop.simulated_trips = static_cast<int32_t>(
        std::min<double>(std::ceil(loop.trips), kMaxTrips));
  }
}

double Loops::CountIterations(const std::vector<int64_t>& num_nodes) {
  double sum = 0;
  std::vector<double> iterations(loops_.size(), 1);
  for (size_t i = 0; i < loops_.size(); ++i) {
    LoopModel& loop = loops_[i];
    if (i > 0) {
      iterations[i] = iterations[loop.parent] * (loop.simulated_trips + 1.0);
      loop.weight = loops_[loop.parent].weight;
      if (loop.simulated_trips > 0) {
        loop.weight = std::min(loop.weight * loop.trips / loop.simulated_trips,
                               kMaxWeight);
      }
    }
    loop.num_iterations =
        static_cast<int32_t>(std::min(iterations[i], kMaxTotalRuns));
    if (num_nodes[i] == 0) continue;  // iterations[i] may be infinite
    sum += iterations[i] * static_cast<double>(num_nodes[i]);
  }
  return sum;
}

absl::Status Loops::Shorten(absl::Span<const Partition> parts,
                            int64_t max_runs) {
  std::vector<int64_t> num_nodes(loops_.size(), 0);
  int64_t all_nodes = 0;
  for (size_t part = 0; part < parts.size(); ++part) {
    for (const NodeId id : parts[part].graph.NodeIds()) {
      ++num_nodes[OfInputs(part, id)];
      ++all_nodes;
    }
  }
  // Each run takes memory, so loops inside of loops must not multiply them
  // without a limit, even if each of them turns only once.
  const double most_runs = std::min(
      2.0 * static_cast<double>(std::max(max_runs, all_nodes)), kMaxTotalRuns);
  for (int32_t most = kMaxTrips;; most /= 2) {
    for (size_t i = 1; i < loops_.size(); ++i) {
      loops_[i].simulated_trips = std::min(loops_[i].simulated_trips, most);
    }
    const double runs = CountIterations(num_nodes);
    if (runs > static_cast<double>(max_runs) && most > 1) continue;
    if (runs < most_runs) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "a step of the graph has ", runs,
        " runs of nodes even if each loop turns once, which is too many to "
        "simulate"));
  }
}

std::vector<SimulatedLoop> Loops::Summary() const {
  std::vector<SimulatedLoop> result;
  for (size_t i = 1; i < loops_.size(); ++i) {
    result.push_back({.name = loops_[i].name,
                      .trips = loops_[i].trips,
                      .is_assumed = loops_[i].is_assumed,
                      .simulated_trips = loops_[i].simulated_trips});
  }
  return result;
}

}  // namespace leat
