// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions read step stats of Leat or of TensorFlow. The labels of both
// have the same form. The functions tell when a node ran, which op it had, and
// which tensors went from one device to another. The functions are stateless
// and thread-safe.
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

// Is the name of a "node" that stands for a tensor that was pulled from another
// task. Its label is "[12B] [0.1Mb/s] edge_5_w/read from DEVICE to DEVICE".
inline constexpr char kRecvTensorNode[] = "RecvTensor";
// Returns true for the entry of a pull. A real node may be named RecvTensor,
// too, but its label does not begin with '['.
bool IsPull(const pb::NodeExecStats& node);

// StartNanos returns the start of a run in nanoseconds since 1970, on the clock
// of the task that ran the node. DurationNanos returns the duration of the run.
// Older stats of TensorFlow have only microseconds. The functions use these
// where nanoseconds are missing.
//
// Whatever the message contains, both results are at least 0, and their sum
// fits an int64.
int64_t StartNanos(const pb::NodeExecStats& node);
int64_t DurationNanos(const pb::NodeExecStats& node);

// Holds the parts of a label "name = Op(inputs)". If the label has no
// parentheses, `op` is the whole text after "name = ". If the label does not
// begin with "name = ", `op` is the node's name. In both cases `inputs` is
// empty.
struct TimelineLabel {
  std::string op = {};
  std::string inputs = {};
};
// Parses the node's timeline_label, in time linear in its length.
TimelineLabel ParseTimelineLabel(const pb::NodeExecStats& node);

// Describes a tensor that went from one device to another. The pointers are
// borrowed from the StepStats.
struct StepTransfer {
  std::string tensor = {};  // "edge_5_w/read"
  int send_device = 0;      // index into dev_stats
  // Is the receiver's index into dev_stats.
  int recv_device = 0;
  // Point to the runs of the _Send and of the _Recv. Stats of TensorFlow's
  // servers do not record them. In that case `send` is the run of the node that
  // made the tensor ("w/read"), and `recv` is the pull.
  const pb::NodeExecStats* send = nullptr;
  const pb::NodeExecStats* recv = nullptr;
};

// Returns the transfers of a step, matched by tensor and devices. If the same
// tensor goes from one device to the other several times, as in a loop, the
// first one sent is matched with the first one received.
//
// The result borrows from `stats`. The result never has more elements than
// `stats` has runs. Takes linear time, apart from sorting.
std::vector<StepTransfer> MatchTransfers(const pb::StepStats& stats);

}  // namespace leat

#endif  // LEAT_RUNTIME_STEP_TRANSFERS_H_
