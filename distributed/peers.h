// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Peers: the other tasks of the cluster as this one reaches them. Thread-safe.
#ifndef LEAT_DISTRIBUTED_PEERS_H_
#define LEAT_DISTRIBUTED_PEERS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
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
#include "leat/distributed/recv_tensor.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/traffic.h"
#include "leat/distributed/transport.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

// Of what tasks of Leat say to each other (protos/leat_worker.proto); those of
// another version cannot be in a cluster with this one.
inline constexpr int kLeatPeerVersion = 2;

// FAILED_PRECONDITION for another one, which `peer` has said of itself to `own`
// (as the message names them).
absl::Status CheckPeerVersion(absl::string_view peer, int64_t version,
                              absl::string_view own);

// What a task says of itself.
struct PeerStatus {
  std::vector<DeviceInfo> devices = {};
  bool is_leat = false;         // else TensorFlow's
  int64_t max_chunk_bytes = 0;  // of a transfer (recv_tensor.h); 0: it has none
  int64_t ticket = 0;           // to create a session with; 0: TensorFlow's
};

// In the order of the keys.
struct ReceivedBundle {
  std::vector<SentTensor> tensors = {};
  int64_t send_start_us = 0;  // as Peers::RecvTensor says it
};
using BundleDone = absl::AnyInvocable<void(absl::StatusOr<ReceivedBundle>) &&>;

// "edge_5_w/read" of a rendezvous key.
absl::string_view TensorNameOf(absl::string_view key);

class Peers {
 public:
  // All but the cluster are borrowed and outlive the calls begun here, which
  // may outlive this. `decoders`, of received variants, may be null.
  Peers(const ClusterSpec& cluster, Transport& transport, WorkQueue& compute,
        const VariantDecoders* decoders, int64_t max_message_bytes,
        const ChunkOptions& chunks = {});

  // Calls the task "/job:ps/replica:0/task:0". NOT_FOUND, at once, for one that
  // is not in the cluster; errors of the way, which the peer itself did not say
  // (kTransportErrorPayload), name the task and its address.
  void Call(absl::string_view task, const Method& method, Payload request,
            CallOptions options, Reply done);

  // The devices of a task, and of which kind it is. INVALID_ARGUMENT, naming
  // the task, when its devices are malformed or another task's,
  // FAILED_PRECONDITION for one of another kLeatPeerVersion. The task is
  // watched (Transport::WatchPeer) from then on.
  void GetStatus(absl::string_view task, CallOptions options,
                 absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&> done);

  // Asks a task of which nothing is known how it is, once, and does not wait:
  // it is watched from then on. Does nothing for one that is not in
  // the cluster.
  void Meet(absl::string_view task);

  // A tensor that `task` produces in that step, into host memory of
  // `allocator`; `done` exactly once, on a thread of the transport or, for one
  // above 256 KiB, of `compute`. What the peer says is derived from its own
  // failure (core/status_payloads.h); an error of the way is not: "task
  // /job:ps/replica:0/task:0 (127.0.0.1:7001) cannot be reached: ... while
  // receiving 'edge_5_w/read'". After `cancellation` (may be null): its status.
  // INVALID_ARGUMENT, naming key and task, for a response without tensor.
  //
  // Large ones come in chunks from a peer that has said in GetStatus that it
  // has them; one of which nothing is known is met while the first such tensor
  // comes in one piece.
  //
  // `send_start_us`, if not null, is borrowed until `done` and gets when the
  // peer began to send, by its clock, in micros since 1970.
  void RecvTensor(absl::string_view task, int64_t step_id,
                  absl::string_view key, Allocator& allocator,
                  std::shared_ptr<Cancellation> cancellation,
                  Rendezvous::Done done, int64_t* send_start_us = nullptr);

  // The tensors of all of these keys, which `task` gives together: as
  // RecvTensor, but in one piece. REQUIRES: a task of Leat; keys.
  void RecvTensors(absl::string_view task, int64_t step_id,
                   std::shared_ptr<const std::vector<std::string>> keys,
                   Allocator& allocator,
                   std::shared_ptr<Cancellation> cancellation, BundleDone done);

  // Calls of peers are counted there, and what is waited for of them; calls by
  // them are for others to count. Never null.
  const std::shared_ptr<Traffic>& traffic() const { return traffic_; }

  // Every task but `own`.
  void Report(absl::string_view own, const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  struct Peer {
    Peer(std::string name, std::string where, std::shared_ptr<Traffic> all)
        : task(std::move(name)),
          address(std::move(where)),
          all_traffic(std::move(all)),
          traffic(all_traffic->Of(task)) {}

    const std::string task;
    const std::string address;
    const std::shared_ptr<Traffic> all_traffic;
    PeerTraffic& traffic;
    // Of what it has said.
    std::atomic<bool> was_asked{false};
    std::atomic<int64_t> max_chunk_bytes{0};
  };
  using PeerRef = std::shared_ptr<Peer>;
  using StatusDone = absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&>;
  class Pull;        // a tensor on its way
  class BundlePull;  // several

  // Null when there is none of that name.
  PeerRef Find(absl::string_view task) const;
  static absl::Status NoTaskError(absl::string_view task);

  // Every call goes by it, and is counted. Errors are as the transport gives
  // them.
  static void CallPeer(Transport& transport, const PeerRef& peer,
                       const Method& method, Payload request,
                       CallOptions options, Reply done);
  static Reply WithWayErrors(const PeerRef& peer, Reply done);
  static void AskForStatus(Transport& transport, const PeerRef& peer,
                           CallOptions options, StatusDone done);
  static void MeetPeer(Transport& transport, const PeerRef& peer);
  ChunkWish WishOf(const Peer& peer) const;
  // Calls `decode`; in the pool when that takes long.
  static void DecodeOn(WorkQueue& compute, Payload payload,
                       absl::AnyInvocable<void(Payload) &&> decode);
  // Why `what` does not come. `cancellation` may be null.
  static absl::Status ReceiveError(const Peer& peer, absl::string_view what,
                                   const Cancellation* cancellation,
                                   const absl::Status& status);

  Transport& transport_;
  WorkQueue& compute_;
  const VariantDecoders* const decoders_;
  const int64_t max_message_bytes_;
  const ChunkOptions chunks_;
  const std::shared_ptr<Traffic> traffic_;
  // By name of the task.
  absl::flat_hash_map<std::string, PeerRef> peers_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_PEERS_H_
