// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Feeds and fetches of a task's graph, as TensorFlow's master and workers tell
// them to each other: a _Recv and a _Send that are `client_terminated`, whose
// other end is the RunGraph call (RunGraphRequest's send and recv_key). Our
// plans and programs have an _Arg and a _Retval there instead.
#ifndef LEAT_PARTITIONER_CLIENT_TERMINATED_H_
#define LEAT_PARTITIONER_CLIENT_TERMINATED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/core/dtype.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/prune.h"

namespace leat {

// A tensor that crosses: under which rendezvous key, and by which position.
struct BoundaryKey {
  std::string key = {};
  int index = 0;
  DType dtype = DType::kFloat;
};

struct Boundary {
  std::vector<BoundaryKey> feeds = {};    // ascending by index, as the next
  std::vector<BoundaryKey> fetches = {};  // each has a key of its own
};

// For a worker: makes each client-terminated _Recv or _HostRecv an _Arg and
// each _Send or _HostSend a _Retval, of the same name, numbered from 0 in the
// order of their ids. INVALID_ARGUMENT naming the node, and `graph` as it was,
// when one stands inside of a loop, has a key that another has, whose devices
// are of another task than the node, or that is none; when an attr is missing
// or of another type; and for an _Arg or _Retval that is there already.
absl::StatusOr<Boundary> RecvsToArgs(Graph& graph);

// For a master, the inverse: `part` is a partition, by task, of the plan for
// `signature`, whose positions are the indices of the result. Both ends are
// the device that the _Arg or _Retval is on; nodes are called as TensorFlow
// calls them ("_recv_x_0", "_send_y_0"). A tensor fetched twice crosses twice.
// `devices` give the incarnations. INVALID_ARGUMENT naming the node for an
// index outside of the signature, and for a device that is not among `devices`.
absl::StatusOr<Boundary> ArgsToRecvs(const StepSignature& signature,
                                     absl::Span<const DeviceInfo> devices,
                                     Graph& part);

}  // namespace leat

#endif  // LEAT_PARTITIONER_CLIENT_TERMINATED_H_
