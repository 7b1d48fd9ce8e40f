// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step_transfers.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "leat/core/saturating.h"
#include "leat/protos/step_stats.pb.h"

namespace leat {
namespace {

// Is the latest time that StartNanos returns: about the year 2116.
constexpr int64_t kMaxNanos = int64_t{1} << 62;

// Returns `nanos`, or `micros` converted to nanoseconds if `nanos` is 0. Moves
// the result into the range [0, kMaxNanos].
int64_t Nanos(int64_t nanos, int64_t micros) {
  if (nanos == 0)
    nanos = SaturatingMultiply(std::max<int64_t>(micros, 0), 1000);
  return std::clamp<int64_t>(nanos, 0, kMaxNanos);
}

// Describes one end of a transfer: the run of a node that sends or receives,
// and the node's device.
struct End {
  int device = 0;
  const pb::NodeExecStats* node = nullptr;
};

// Describes a tensor, with the device that sends it and the device that
// receives it.
struct Way {
  absl::string_view tensor = {};
  absl::string_view sender = {};
  absl::string_view receiver = {};

  friend bool operator==(const Way&, const Way&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const Way& way) {
    return H::combine(std::move(hash), way.tensor, way.sender, way.receiver);
  }
};

// Holds the runs that belong to one Way: the runs of _Sends, the runs of
// _Recvs, and the pulls.
struct Ends {
  Way way = {};
  std::vector<End> sends = {};
  std::vector<End> recvs = {};
  std::vector<End> pulls = {};
};

// Collects the runs of a step by their Way. Borrows the names from the stats
// that the constructor gets.
class Ways {
 public:
  explicit Ways(const pb::StepStats& stats) {
    for (int i = 0; i < stats.dev_stats_size(); ++i) {
      const pb::DeviceStepStats& device = stats.dev_stats(i);
      for (const pb::NodeExecStats& node : device.node_stats()) {
        Add(device.device(), {.device = i, .node = &node});
      }
    }
  }

  // Returns the ways, in the order in which the stats mention them.
  std::vector<Ends>& all() { return all_; }

 private:
  Ends& Of(const Way& way) {
    const auto [found, is_new] = places_.try_emplace(way, all_.size());
    if (is_new) all_.push_back({.way = way});
    return all_[found->second];
  }
  void Add(absl::string_view device_name, const End& end);
  void AddPull(const End& end);

  std::vector<Ends> all_;
  absl::flat_hash_map<Way, size_t> places_;
};

// Holds the parts of a TimelineLabel, as views into the node.
struct Label {
  absl::string_view op = {};
  absl::string_view inputs = {};
};

// Reads a label. Takes linear time, because a message of a peer may contain
// anything.
Label ReadLabel(const pb::NodeExecStats& node) {
  absl::string_view text = node.timeline_label();
  // TensorFlow writes "[cpu 0.1MB] name = ", with one bracket per allocator.
  while (absl::StartsWith(text, "[")) {
    const size_t end = text.find("] ");
    if (end == text.npos) break;
    text.remove_prefix(end + 2);
  }
  if (!absl::ConsumePrefix(&text, node.node_name()) ||
      !absl::ConsumePrefix(&text, " = ")) {
    return {.op = node.node_name()};
  }
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) {
    return {.op = text};
  }
  return {.op = text.substr(0, open),
          .inputs = text.substr(open + 1, close - open - 1)};
}

// Adds a pull to its way. The label of the pull names the way: "[..] [..]
// TENSOR from DEVICE to DEVICE".
void Ways::AddPull(const End& end) {
  absl::string_view text = end.node->timeline_label();
  const size_t to = text.rfind(" to ");
  if (to == text.npos) return;
  const absl::string_view receiver = text.substr(to + 4);
  text = text.substr(0, to);
  const size_t from = text.rfind(" from ");
  if (from == text.npos) return;
  const absl::string_view sender = text.substr(from + 6);
  text = text.substr(0, from);
  const size_t bracket = text.rfind("] ");
  if (bracket == text.npos) return;
  Of({.tensor = text.substr(bracket + 2),
      .sender = sender,
      .receiver = receiver})
      .pulls.push_back(end);
}

// If the run is that of a _Send, a _Recv or a pull, adds it to the runs of its
// Way.
void Ways::Add(absl::string_view device_name, const End& end) {
  if (IsPull(*end.node)) return AddPull(end);
  const Label label = ReadLabel(*end.node);
  const bool sends = label.op == "_Send" || label.op == "_HostSend";
  if (!sends && label.op != "_Recv" && label.op != "_HostRecv") return;
  const size_t at = label.inputs.rfind(" @");
  if (at == label.inputs.npos) return;
  const absl::string_view tensor = label.inputs.substr(0, at);
  const absl::string_view other = label.inputs.substr(at + 2);
  if (sends) {
    Of({.tensor = tensor, .sender = device_name, .receiver = other})
        .sends.push_back(end);
  } else {
    Of({.tensor = tensor, .sender = other, .receiver = device_name})
        .recvs.push_back(end);
  }
}

// Returns the node that made a tensor: "w/read" for "edge_5_w/read", and "" for
// a name of another form.
absl::string_view MakerOf(absl::string_view tensor) {
  if (!absl::ConsumePrefix(&tensor, "edge_")) return "";
  while (!tensor.empty() && absl::ascii_isdigit(tensor.front())) {
    tensor.remove_prefix(1);
  }
  return absl::ConsumePrefix(&tensor, "_") ? tensor : "";
}

void SortByEnd(std::vector<End>& ends) {
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return StartNanos(*a.node) + DurationNanos(*a.node) <
           StartNanos(*b.node) + DurationNanos(*b.node);
  });
}

// Holds the runs of the nodes that made tensors, by device and name of the
// node. Several ways use the same runs, because one node may make many tensors.
using Makers =
    absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>,
                        std::vector<End>>;

// Returns the key of the node that made the tensor of a way.
std::pair<absl::string_view, absl::string_view> MakerOn(const Way& way) {
  return {way.sender, MakerOf(way.tensor)};
}

// Returns the runs of the nodes that made tensors. Leaves out tensors whose
// _Send was recorded.
Makers FindMakers(const pb::StepStats& stats, Ways& ways) {
  Makers makers;
  for (const Ends& ends : ways.all()) {
    if (!ends.sends.empty()) continue;
    const auto maker = MakerOn(ends.way);
    if (!maker.second.empty()) makers.try_emplace(maker);
  }
  if (makers.empty()) return makers;
  for (int i = 0; i < stats.dev_stats_size(); ++i) {
    const pb::DeviceStepStats& device = stats.dev_stats(i);
    for (const pb::NodeExecStats& node : device.node_stats()) {
      const auto found =
          makers.find(std::pair<absl::string_view, absl::string_view>(
              device.device(), node.node_name()));
      if (found == makers.end() || IsPull(node)) continue;
      found->second.push_back({.device = i, .node = &node});
    }
  }
  for (auto& [maker, runs] : makers) SortByEnd(runs);
  return makers;
}

}  // namespace

int64_t StartNanos(const pb::NodeExecStats& node) {
  return Nanos(node.all_start_nanos(), node.all_start_micros());
}

int64_t DurationNanos(const pb::NodeExecStats& node) {
  // The bound keeps the end of a run below 2^63.
  return std::min(Nanos(node.all_end_rel_nanos(), node.all_end_rel_micros()),
                  kMaxNanos - 1);
}

bool IsPull(const pb::NodeExecStats& node) {
  return node.node_name() == kRecvTensorNode &&
         absl::StartsWith(node.timeline_label(), "[");
}

TimelineLabel ParseTimelineLabel(const pb::NodeExecStats& node) {
  const Label label = ReadLabel(node);
  return {.op = std::string(label.op), .inputs = std::string(label.inputs)};
}

std::vector<StepTransfer> MatchTransfers(const pb::StepStats& stats) {
  Ways ways(stats);
  const Makers makers = FindMakers(stats, ways);
  std::vector<StepTransfer> transfers;
  for (Ends& ends : ways.all()) {
    if (ends.recvs.empty()) ends.recvs = std::move(ends.pulls);
    SortByEnd(ends.recvs);
    SortByEnd(ends.sends);
    const std::vector<End>* sends = &ends.sends;
    if (sends->empty()) {
      const auto maker = makers.find(MakerOn(ends.way));
      if (maker != makers.end()) sends = &maker->second;
    }
    const size_t count = std::min(sends->size(), ends.recvs.size());
    for (size_t i = 0; i < count; ++i) {
      transfers.push_back({.tensor = std::string(ends.way.tensor),
                           .send_device = (*sends)[i].device,
                           .recv_device = ends.recvs[i].device,
                           .send = (*sends)[i].node,
                           .recv = ends.recvs[i].node});
    }
  }
  return transfers;
}

}  // namespace leat
