// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// PeerTraffic: what a task has said to one of its peers and heard of it.
// Traffic: that of all peers, and the Recvs that wait. Thread-safe; counting
// takes no lock unless a peer cannot be reached.
#ifndef LEAT_DISTRIBUTED_TRAFFIC_H_
#define LEAT_DISTRIBUTED_TRAFFIC_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/distributed/cluster.h"
#include "leat/distributed/open_recvs.h"
#include "leat/distributed/payload.h"

namespace leat {

// Bytes of a message: its fields and its tensors, without names and shapes of
// those that are not serialized, nor what the transport adds.
int64_t MessageBytes(const Payload& payload);

class PeerTraffic {
 public:
  enum class Kind { kUnknown, kLeat, kTensorFlow };
  enum class State { kUnknown, kReachable, kUnreachable };

  struct Totals {
    Kind kind = Kind::kUnknown;
    State state = State::kUnknown;  // as the last reply has it
    std::string error = {};         // why it is unreachable
    int64_t calls = 0;              // of the peer
    int64_t calls_under_way = 0;    // those of them without reply
    int64_t calls_served = 0;       // by the peer, answered
    int64_t bytes_sent = 0;
    int64_t bytes_received = 0;
    std::optional<std::chrono::nanoseconds> heard = {};  // since it replied
  };

  // This task calls the peer.
  void CountCall(const Payload& request);
  // Once for each CountCall.
  void CountReply(const absl::StatusOr<Payload>& reply);
  // The peer has called this task and is answered.
  void CountServed(int64_t bytes_received, int64_t bytes_sent);
  void SetKind(Kind kind) { kind_.store(kind, std::memory_order_relaxed); }

  Totals totals() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::atomic<Kind> kind_{Kind::kUnknown};
  std::atomic<State> state_{State::kUnknown};
  std::atomic<int64_t> calls_{0};
  std::atomic<int64_t> replies_{0};
  std::atomic<int64_t> served_{0};
  std::atomic<int64_t> bytes_sent_{0};
  std::atomic<int64_t> bytes_received_{0};
  std::atomic<Clock::rep> heard_{0};  // 0: never
  mutable Mutex mutex_;
  std::string error_ ABSL_GUARDED_BY(mutex_);
};

class Traffic {
 public:
  explicit Traffic(const ClusterSpec& cluster);
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  // With the task "/job:ps/replica:0/task:0"; one record for all that are not
  // in the cluster. Lives as long as this.
  PeerTraffic& Of(absl::string_view task);

  OpenRecvs& recvs() { return recvs_; }
  const OpenRecvs& recvs() const { return recvs_; }

 private:
  // Never changed.
  absl::flat_hash_map<std::string, std::unique_ptr<PeerTraffic>> peers_;
  PeerTraffic others_;
  OpenRecvs recvs_;
};

// The task that sends, or receives, the tensor of a rendezvous key:
// "/job:ps/replica:0/task:0"; "" for what is no key. Of the key's bytes.
absl::string_view SenderOf(absl::string_view key);
absl::string_view ReceiverOf(absl::string_view key);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRAFFIC_H_
