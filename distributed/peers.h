// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Peers: the other tasks of the cluster as this one reaches them. Immutable,
// thread-safe.
#ifndef LEAT_DISTRIBUTED_PEERS_H_
#define LEAT_DISTRIBUTED_PEERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/cancellation.h"
#include "leat/core/device.h"
#include "leat/core/rendezvous.h"
#include "leat/core/variant_codec.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/cluster.h"
#include "leat/distributed/transport.h"

namespace leat {

// Of what tasks of Leat say to each other (protos/leat_worker.proto).
inline constexpr int kLeatPeerVersion = 1;

// What a task says of itself.
struct PeerStatus {
  std::vector<DeviceInfo> devices = {};
  bool is_leat = false;  // else TensorFlow's
};

class Peers {
 public:
  // All but the cluster are borrowed and outlive the calls begun here, which
  // may outlive this. `decoders`, of received variants, may be null.
  Peers(const ClusterSpec& cluster, Transport& transport, WorkQueue& compute,
        const VariantDecoders* decoders, int64_t max_message_bytes);

  // Calls the task "/job:ps/replica:0/task:0". NOT_FOUND, at once, for one that
  // is not in the cluster; errors of the way, which the peer itself did not say
  // (kTransportErrorPayload), name the task and its address.
  void Call(absl::string_view task, const Method& method, Payload request,
            CallOptions options, Reply done);

  // The devices of a task, and of which kind it is. INVALID_ARGUMENT, naming
  // the task, when its devices are malformed or another task's. A task of Leat
  // is watched (Transport::WatchPeer) from then on.
  void GetStatus(absl::string_view task, CallOptions options,
                 absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&> done);

  // A tensor that `task` produces in that step, into host memory of
  // `allocator`; `done` exactly once, on a thread of the transport or, for one
  // above 256 KiB, of `compute`. What the peer says is derived from its own
  // failure (core/status_payloads.h); an error of the way is not: "task
  // /job:ps/replica:0/task:0 (127.0.0.1:7001) cannot be reached: ... while
  // receiving 'edge_5_w/read'". After `cancellation` (may be null): its status.
  // INVALID_ARGUMENT, naming key and task, for a response without tensor.
  void RecvTensor(absl::string_view task, int64_t step_id,
                  absl::string_view key, Allocator& allocator,
                  std::shared_ptr<Cancellation> cancellation,
                  Rendezvous::Done done);

 private:
  struct Peer {
    std::string task = {};
    std::string address = {};
  };
  class Pull;  // a tensor on its way

  // Null when there is none of that name.
  std::shared_ptr<const Peer> Find(absl::string_view task) const;

  Transport& transport_;
  WorkQueue& compute_;
  const VariantDecoders* const decoders_;
  const int64_t max_message_bytes_;
  // By name of the task.
  absl::flat_hash_map<std::string, std::shared_ptr<const Peer>> peers_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_PEERS_H_
