// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What step stats say, those of TensorFlow too, whose labels are the same: when
// a node ran, what it was, and which tensors went from device to device.
// Stateless, thread-safe.
#ifndef LEAT_RUNTIME_STEP_TRANSFERS_H_
#define LEAT_RUNTIME_STEP_TRANSFERS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace leat::pb {
class NodeExecStats;
class StepStats;
}  // namespace leat::pb

namespace leat {

// The name of a "node" that tells of a tensor that was pulled of another task:
// its label is "[12B] [0.1Mb/s] edge_5_w/read from DEVICE to DEVICE".
inline constexpr char kRecvTensorNode[] = "RecvTensor";
// False for a node of that name.
bool IsPull(const pb::NodeExecStats& node);

// Since 1970, by the clock of the task; TensorFlow's older stats have micros
// only. Neither is negative, and their sum, the end, is an int64, whatever a
// message says.
int64_t StartNanos(const pb::NodeExecStats& node);
int64_t DurationNanos(const pb::NodeExecStats& node);

// "name = Op(inputs)"; the name alone where that is all there is.
struct TimelineLabel {
  std::string op = {};
  std::string inputs = {};
};
TimelineLabel ParseTimelineLabel(const pb::NodeExecStats& node);

// A tensor that went from one device to another.
struct StepTransfer {
  std::string tensor = {};  // "edge_5_w/read"
  int send_device = 0;      // in dev_stats
  int recv_device = 0;
  // Runs of the _Send and of the _Recv. Servers of TensorFlow do not tell of
  // them: then of the node that made the tensor ("w/read"), and the pull.
  const pb::NodeExecStats* send = nullptr;
  const pb::NodeExecStats* recv = nullptr;
};

// Matched by tensor and devices. Where one goes the same way several times, in
// a loop, what is sent first is received first. `stats` is borrowed by the
// result. No more than `stats` has runs, whatever it says, in time linear in
// them but for sorting.
std::vector<StepTransfer> MatchTransfers(const pb::StepStats& stats);

}  // namespace leat

#endif  // LEAT_RUNTIME_STEP_TRANSFERS_H_
