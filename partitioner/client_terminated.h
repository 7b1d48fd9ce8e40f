// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Feeds and fetches in the graph of a task have two forms. In the graphs that
// TensorFlow's masters register with workers, a feed is a _Recv and a fetch is
// a _Send, both with the attr `client_terminated`. The RunGraph call carries
// the tensors: feeds are in `send` of the RunGraphRequest, and its `recv_key`
// names the fetches that the response must have. In Leat's plans and programs,
// a feed is an _Arg and a fetch is a _Retval. RecvsToArgs and ArgsToRecvs
// convert one form into the other.
#ifndef LEAT_PARTITIONER_CLIENT_TERMINATED_H_
#define LEAT_PARTITIONER_CLIENT_TERMINATED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/core/dtype.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/prune.h"

namespace leat {

// Describes a tensor that is fed or fetched. TensorFlow's form identifies it by
// `key`, and Leat's form by `index`.
struct BoundaryKey {
  std::string key = {};  // text of a RendezvousKey
  int index = 0;         // attr `index` of the _Arg or _Retval
  DType dtype = DType::kFloat;
};

// Holds the feeds and fetches of a task's graph. Each list is sorted by index,
// and all keys in a list are different.
struct Boundary {
  std::vector<BoundaryKey> feeds = {};
  std::vector<BoundaryKey> fetches = {};
};

// Converts the graph that a master has registered with a worker: replaces each
// client-terminated _Recv or _HostRecv by an _Arg, and each such _Send or
// _HostSend by a _Retval. Nodes keep their names. _Args, and likewise _Retvals,
// are numbered from 0 in the order of their ids.
//
// Returns INVALID_ARGUMENT naming the node, and leaves `graph` unchanged, if a
// client-terminated node
//  - is inside of a loop,
//  - lacks an attr, or has an attr of a wrong type,
//  - has a malformed key, or the same key as another node of its kind, or
//  - has a key with a device that does not belong to the node's task.
// Also returns INVALID_ARGUMENT if the graph has an _Arg or _Retval already.
absl::StatusOr<Boundary> RecvsToArgs(Graph& graph);

// Reverses RecvsToArgs, for a master: replaces each _Arg of `part`
// by a client-terminated _Recv, and each _Retval by a _Send. `part` is the
// partition for one task of the plan for `signature`, and the indices in the
// result are positions in `signature`. In the keys, both ends are the device of
// the _Arg or _Retval, and `devices` gives this device's incarnation. Nodes get
// the names that TensorFlow would give them ("_recv_x_0", "_send_y_0"). A
// tensor that is fetched twice is sent twice, under two keys.
//
// Returns INVALID_ARGUMENT naming the node if its index is not a position in
// `signature` or its device is not among `devices`.
absl::StatusOr<Boundary> ArgsToRecvs(const StepSignature& signature,
                                     absl::Span<const DeviceInfo> devices,
                                     Graph& part);

}  // namespace leat

#endif  // LEAT_PARTITIONER_CLIENT_TERMINATED_H_
