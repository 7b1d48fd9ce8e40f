// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Peers: the other tasks of the cluster, as this task calls them and receives
// tensors from them.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_
#define LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_

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
#include "leat/core/devices/device.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/work_queue.h"
#include "leat/core/variant_codec.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/status_listing.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/recv_tensor.h"

namespace leat::pb {
class TaskStatusResponse;
}  // namespace leat::pb

namespace leat {

// The version of the fields and methods that tasks of Leat add to TensorFlow's
// (protos/leat_worker.proto). Tasks of different versions cannot be in one
// cluster.
inline constexpr int kLeatPeerVersion = 2;

// Returns FAILED_PRECONDITION unless `version`, which the other side has
// reported, is kLeatPeerVersion. `peer` and `own` are the names of both sides
// in the message.
absl::Status CheckPeerVersion(absl::string_view peer, int64_t version,
                              absl::string_view own);

// What a task says about itself in its reply to GetStatus.
struct PeerStatus {
  std::vector<DeviceInfo> devices = {};
  bool is_leat = false;         // false for a task of TensorFlow
  int64_t max_chunk_bytes = 0;  // of transfers (recv_tensor.h); 0: none
  int64_t ticket = 0;           // for CreateWorkerSession; 0: TensorFlow's
};

// The tensors of a bundle, in the order of the keys that were asked for.
struct ReceivedBundle {
  std::vector<SentTensor> tensors = {};
  int64_t send_start_us = 0;  // as Peers::RecvTensor reports it
};
using BundleDone = absl::AnyInvocable<void(absl::StatusOr<ReceivedBundle>) &&>;

// Returns the tensor's name in a rendezvous key, such as "edge_5_w/read", or
// all of `key` if it is malformed.
absl::string_view TensorNameOf(absl::string_view key);

// The tasks of a cluster, by name. Thread-safe.
class Peers {
 public:
  // `cluster` is copied. The other objects are borrowed and must outlive the
  // calls that are begun here, which may outlive this. Large tensors are
  // decoded on `compute`. `decoders`, the decoders of received variants, may be
  // null. `max_message_bytes` bounds the memory of a decoded message, and of a
  // transfer.
  Peers(const ClusterSpec& cluster, Transport& transport, WorkQueue& compute,
        const VariantDecoders* decoders, int64_t max_message_bytes,
        const ChunkOptions& chunks = {});

  // Calls a method of `task`, such as "/job:ps/replica:0/task:0". Gives `done`
  // the response, or at once NOT_FOUND for a task that is not in the cluster,
  // or the error of the call. A transport error, which the peer itself did not
  // report (kTransportErrorPayload), names the task and its address.
  void Call(absl::string_view task, const Method& method, Payload request,
            CallOptions options, Reply done);

  // Asks a task for its devices and which kind of task it is. `done` gets
  // INVALID_ARGUMENT, naming the task, when its devices are malformed or belong
  // to another task, FAILED_PRECONDITION for a task with another
  // kLeatPeerVersion, and otherwise fails as Call does. A task that has
  // answered well is watched (Transport::WatchPeer) from then on.
  void GetStatus(absl::string_view task, CallOptions options,
                 absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&> done);

  // Asks `task` for its status if it has not been asked yet, and does not wait.
  // Once it has answered, it is watched. Does nothing for a task that is not in
  // the cluster.
  void Meet(absl::string_view task);

  // Receives a tensor that `task` produces in step `step_id`, into host memory
  // of `allocator`. Calls `done` exactly once, on a thread of the transport or,
  // for a tensor above 256 KiB, of `compute`.
  //
  // What the peer reports is derived from its own failure
  // (core/status_payloads.h). A transport error is not derived: "task
  // /job:ps/replica:0/task:0 (127.0.0.1:7001) cannot be reached: ... while
  // receiving 'edge_5_w/read'". After `cancellation`, which may be null, the
  // error is its status. A response without a tensor is INVALID_ARGUMENT,
  // naming the key and the task.
  //
  // Large tensors come in chunks from a peer that has said in GetStatus that it
  // supports them. If nothing is known about the peer, its first such tensor
  // comes in one piece, and meanwhile it is met (Meet).
  //
  // `send_start_us`, if not null, is borrowed until `done`. It is set to the
  // time at which the peer began to send, by the peer's clock, in microseconds
  // since 1970.
  void RecvTensor(absl::string_view task, int64_t step_id,
                  absl::string_view key, Allocator& allocator,
                  std::shared_ptr<Cancellation> cancellation,
                  Rendezvous::Done done, int64_t* send_start_us = nullptr);

  // Receives the tensors of all `keys`, which `task` sends together. Like
  // RecvTensor, but always in one piece. REQUIRES: `task` is a task of Leat;
  // `keys` is not empty.
  void RecvTensors(absl::string_view task, int64_t step_id,
                   std::shared_ptr<const std::vector<std::string>> keys,
                   Allocator& allocator,
                   std::shared_ptr<Cancellation> cancellation, BundleDone done);

  // Counts the calls of peers and lists what is waited for from them. Calls
  // that peers make here are counted by those who answer them. Never null.
  const std::shared_ptr<Traffic>& traffic() const { return traffic_; }

  // Adds the traffic with every task except `own` to `status`.
  void Report(absl::string_view own, const StatusListing& listing,
              pb::TaskStatusResponse& status) const;

 private:
  // One task of the cluster. Calls share its ownership, since they may outlive
  // Peers.
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
    // What the peer has told: whether GetStatus was asked and has not failed,
    // and the largest chunk that it sends (0: unknown or none).
    std::atomic<bool> was_asked{false};
    std::atomic<int64_t> max_chunk_bytes{0};
  };
  using PeerRef = std::shared_ptr<Peer>;
  using StatusDone = absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&>;
  class Pull;        // one tensor that is being received
  class BundlePull;  // the tensors of one bundle

  // Returns the task of that name, or null if there is none.
  PeerRef Find(absl::string_view task) const;
  // Returns NOT_FOUND: `task` is not in the cluster.
  static absl::Status NoTaskError(absl::string_view task);

  // Makes and counts a call. Every call goes through here. Errors are passed on
  // as the transport reports them.
  static void CallPeer(Transport& transport, const PeerRef& peer,
                       const Method& method, Payload request,
                       CallOptions options, Reply done);
  // Wraps `done` so that transport errors name the task and its address.
  static Reply WithWayErrors(const PeerRef& peer, Reply done);
  // Calls GetStatus and keeps in `peer` what it says.
  static void AskForStatus(Transport& transport, const PeerRef& peer,
                           CallOptions options, StatusDone done);
  // Does what Meet says.
  static void MeetPeer(Transport& transport, const PeerRef& peer);
  // Returns how `peer` should send large tensors.
  ChunkWish WishOf(const Peer& peer) const;
  // Calls `decode` with the payload: here if it is quick, else on `compute`.
  static void DecodeOn(WorkQueue& compute, Payload payload,
                       absl::AnyInvocable<void(Payload) &&> decode);
  // Returns the error of a call that was to receive `what`. `cancellation` may
  // be null.
  static absl::Status ReceiveError(const Peer& peer, absl::string_view what,
                                   const Cancellation* cancellation,
                                   const absl::Status& status);

  Transport& transport_;
  WorkQueue& compute_;
  const VariantDecoders* const decoders_;
  const int64_t max_message_bytes_;
  const ChunkOptions chunks_;
  const std::shared_ptr<Traffic> traffic_;
  // By the name of the task. Never changed.
  absl::flat_hash_map<std::string, PeerRef> peers_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_
