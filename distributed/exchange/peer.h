// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Peer makes this task's calls to one other task of the cluster, and keeps what
// that task has reported about itself.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_PEER_H_
#define LEAT_DISTRIBUTED_EXCHANGE_PEER_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/device.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"

namespace leat {

// Is the version of Leat's additions to TensorFlow's messages and methods
// (protos/leat_worker.proto). Tasks of different versions cannot be in one
// cluster.
inline constexpr int kLeatPeerVersion = 3;

// Checks the version that the other side has reported. Returns
// FAILED_PRECONDITION if `version` is not kLeatPeerVersion. In the message,
// `peer` is the name of the other side and `own` is the name of this side.
absl::Status CheckPeerVersion(absl::string_view peer, int64_t version,
                              absl::string_view own);

// Holds the contents of a task's reply to GetStatus.
struct PeerStatus {
  std::vector<DeviceInfo> devices = {};
  bool is_leat = false;         // false for a task of TensorFlow
  int64_t max_chunk_bytes = 0;  // 0 if the task sends no chunks
  int64_t ticket = 0;           // for CreateWorkerSession; 0 if not Leat
};

// Is thread-safe. Each call shares the ownership of its Peer, because the call
// may outlive the Peers object.
class Peer : public std::enable_shared_from_this<Peer> {
 public:
  using StatusDone = absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&>;

  // `task` is the task's name, such as "/job:ps/replica:0/task:0". `transport`
  // is borrowed and must outlive the calls that are begun here. Meet gives the
  // task `answer_timeout` to answer.
  Peer(std::string task, std::string address, Transport& transport,
       std::shared_ptr<Traffic> all_traffic,
       std::chrono::nanoseconds answer_timeout);
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::string& task() const { return task_; }
  const std::string& address() const { return address_; }
  // traffic() returns the counts of the calls between this task and the peer.
  // all_traffic() returns the counts for all tasks.
  const PeerTraffic& traffic() const { return traffic_; }
  Traffic& all_traffic() const { return *all_traffic_; }
  // Returns the size, in bytes, of the largest chunk that the task sends. The
  // task reports this size in GetStatus. Returns 0 if the task has reported
  // nothing or sends no chunks.
  int64_t max_chunk_bytes() const {
    return max_chunk_bytes_.load(std::memory_order_relaxed);
  }

  // Makes and counts a call. Every call goes through this function. Errors are
  // passed on as the transport reports them.
  void Call(const Method& method, Payload request, CallOptions options,
            Reply done);
  // `status` is a transport error. Returns an error with the same code that
  // names the task and its address and does not have kTransportErrorPayload.
  absl::Status NameTransportError(const absl::Status& status) const;
  // Returns a Reply that passes its result to `done`. If the result is a
  // transport error, NameTransportError changes it first.
  Reply NameTransportErrors(Reply done);

  // Asks the task for its devices and its kind (Leat or TensorFlow). If there
  // is no error, keeps the kind and max_chunk_bytes(), and makes the transport
  // watch the task from then on (Transport::WatchPeer). The errors that `done`
  // gets are
  // - INVALID_ARGUMENT, naming the task: the reply is malformed, or its devices
  //   are malformed or belong to another task,
  // - FAILED_PRECONDITION: the task has another kLeatPeerVersion,
  // - the error of the call. Transport errors are changed as by
  //   NameTransportError.
  void GetStatus(CallOptions options, StatusDone done);
  // Returns the options of a GetStatus that has `answer_timeout`.
  CallOptions StatusOptions() const;
  // Calls GetStatus and does not wait for the answer. Does nothing if a
  // GetStatus is under way or the last one has succeeded.
  void Meet();

 private:
  const std::string task_;
  const std::string address_;
  Transport& transport_;
  const std::chrono::nanoseconds answer_timeout_;
  const std::shared_ptr<Traffic> all_traffic_;
  PeerTraffic& traffic_;
  // GetStatus sets this to true when it asks, and to false when it has failed.
  std::atomic<bool> was_asked_{false};
  std::atomic<int64_t> max_chunk_bytes_{0};
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_PEER_H_
