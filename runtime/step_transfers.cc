// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step_transfers.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "leat/core/saturating.h"
#include "leat/protos/step_stats.pb.h"

namespace leat {
namespace {

// The year 2116.
constexpr int64_t kMaxNanos = int64_t{1} << 62;

// What is said in nanoseconds or else in micros.
int64_t Nanos(int64_t nanos, int64_t micros) {
  if (nanos == 0)
    nanos = SaturatingMultiply(std::max<int64_t>(micros, 0), 1000);
  return std::clamp<int64_t>(nanos, 0, kMaxNanos);
}

struct End {
  int device = 0;
  const pb::NodeExecStats* node = nullptr;
};

struct Ends {
  std::vector<End> sends = {};
  std::vector<End> recvs = {};
  std::vector<End> pulls = {};
};

// Tensor, sender and receiver.
using Way = std::tuple<std::string, std::string, std::string>;
using Ways = std::map<Way, Ends>;

void AddPull(const End& end, Ways& ways) {
  absl::string_view text = end.node->timeline_label();
  const size_t to = text.rfind(" to ");
  if (to == text.npos) return;
  const absl::string_view receiver = text.substr(to + 4);
  text = text.substr(0, to);
  const size_t from = text.rfind(" from ");
  if (from == text.npos) return;
  const absl::string_view sender = text.substr(from + 6);
  text = text.substr(0, from);
  const absl::string_view tensor = text.substr(text.rfind("] ") + 2);
  ways[{std::string(tensor), std::string(sender), std::string(receiver)}]
      .pulls.push_back(end);
}

void AddEnd(const std::string& device_name, const End& end, Ways& ways) {
  if (IsPull(*end.node)) return AddPull(end, ways);
  TimelineLabel label = ParseTimelineLabel(*end.node);
  const bool sends = label.op == "_Send" || label.op == "_HostSend";
  if (!sends && label.op != "_Recv" && label.op != "_HostRecv") return;
  const size_t at = label.inputs.rfind(" @");
  if (at == std::string::npos) return;
  std::string tensor = label.inputs.substr(0, at);
  std::string other = label.inputs.substr(at + 2);
  if (sends) {
    ways[{std::move(tensor), device_name, std::move(other)}].sends.push_back(
        end);
  } else {
    ways[{std::move(tensor), std::move(other), device_name}].recvs.push_back(
        end);
  }
}

// "w/read" of "edge_5_w/read"; "" of another name.
absl::string_view MakerOf(absl::string_view tensor) {
  if (!absl::ConsumePrefix(&tensor, "edge_")) return "";
  while (!tensor.empty() && absl::ascii_isdigit(tensor.front())) {
    tensor.remove_prefix(1);
  }
  return absl::ConsumePrefix(&tensor, "_") ? tensor : "";
}

// Where nobody tells of a _Send, the runs of what made the tensor.
void FindMakers(const pb::StepStats& stats, Ways& ways) {
  std::map<std::pair<absl::string_view, absl::string_view>, std::vector<Ends*>>
      wanted;  // by device and node
  for (auto& [way, ends] : ways) {
    const auto& [tensor, sender, receiver] = way;
    if (ends.sends.empty()) wanted[{sender, MakerOf(tensor)}].push_back(&ends);
  }
  if (wanted.empty()) return;
  for (int i = 0; i < stats.dev_stats_size(); ++i) {
    const pb::DeviceStepStats& device = stats.dev_stats(i);
    for (const pb::NodeExecStats& node : device.node_stats()) {
      const auto found = wanted.find({device.device(), node.node_name()});
      if (found == wanted.end() || IsPull(node)) continue;
      for (Ends* ends : found->second) {
        ends->sends.push_back({.device = i, .node = &node});
      }
    }
  }
}

void SortByEnd(std::vector<End>& ends) {
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return StartNanos(*a.node) + DurationNanos(*a.node) <
           StartNanos(*b.node) + DurationNanos(*b.node);
  });
}

}  // namespace

int64_t StartNanos(const pb::NodeExecStats& node) {
  return Nanos(node.all_start_nanos(), node.all_start_micros());
}

int64_t DurationNanos(const pb::NodeExecStats& node) {
  // So that the end is below 2^63.
  return std::min(Nanos(node.all_end_rel_nanos(), node.all_end_rel_micros()),
                  kMaxNanos - 1);
}

bool IsPull(const pb::NodeExecStats& node) {
  return node.node_name() == kRecvTensorNode &&
         absl::StartsWith(node.timeline_label(), "[");
}

TimelineLabel ParseTimelineLabel(const pb::NodeExecStats& node) {
  const absl::string_view text = node.timeline_label();
  const std::string start = absl::StrCat(node.node_name(), " = ");
  const size_t name = text.find(start);
  if (name == text.npos) return {.op = node.node_name()};
  const absl::string_view call = text.substr(name + start.size());
  const size_t open = call.find('(');
  const size_t close = call.rfind(')');
  if (open == call.npos || close == call.npos || close < open) {
    return {.op = std::string(call)};
  }
  return {.op = std::string(call.substr(0, open)),
          .inputs = std::string(call.substr(open + 1, close - open - 1))};
}

std::vector<StepTransfer> MatchTransfers(const pb::StepStats& stats) {
  Ways ways;
  for (int i = 0; i < stats.dev_stats_size(); ++i) {
    const pb::DeviceStepStats& device = stats.dev_stats(i);
    for (const pb::NodeExecStats& node : device.node_stats()) {
      AddEnd(device.device(), {.device = i, .node = &node}, ways);
    }
  }
  FindMakers(stats, ways);
  std::vector<StepTransfer> transfers;
  for (auto& [way, ends] : ways) {
    if (ends.recvs.empty()) ends.recvs = std::move(ends.pulls);
    SortByEnd(ends.sends);
    SortByEnd(ends.recvs);
    const size_t count = std::min(ends.sends.size(), ends.recvs.size());
    for (size_t i = 0; i < count; ++i) {
      transfers.push_back({.tensor = std::get<0>(way),
                           .send_device = ends.sends[i].device,
                           .recv_device = ends.recvs[i].device,
                           .send = ends.sends[i].node,
                           .recv = ends.recvs[i].node});
    }
  }
  return transfers;
}

}  // namespace leat
