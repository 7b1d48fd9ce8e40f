// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PeerTraffic counts the calls between this task and one of its peers. Traffic
// holds the counts of all peers, and lists the Recvs that wait.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_TRAFFIC_H_
#define LEAT_DISTRIBUTED_EXCHANGE_TRAFFIC_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/exchange/open_recvs.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// Is thread-safe. Counting takes no lock unless a peer cannot be reached.
class PeerTraffic {
 public:
  // `clock` must outlive this.
  explicit PeerTraffic(Clock& clock) : clock_(clock) {}

  // Says whether the peer runs Leat or TensorFlow. It is kUnknown until the
  // peer has answered GetStatus.
  enum class Kind { kUnknown, kLeat, kTensorFlow };
  // Says whether the peer can be reached, judging by its last reply or timeout.
  enum class State { kUnknown, kReachable, kUnreachable };

  // Holds the counts at one moment.
  struct Totals {
    Kind kind = Kind::kUnknown;
    State state = State::kUnknown;  // as of the last reply
    std::string error = {};         // why the peer is unreachable
    int64_t calls = 0;              // calls from this task to the peer
    int64_t calls_under_way = 0;    // calls without a reply yet
    int64_t calls_served = 0;       // answered calls from the peer
    int64_t bytes_sent = 0;
    int64_t bytes_received = 0;
    // Is the time since the last reply from the peer itself. Errors of the
    // transport do not count. It is nullopt if the peer has not replied.
    std::optional<std::chrono::nanoseconds> heard = {};
  };

  // Counts a call from this task to the peer.
  void CountCall(const Payload& request);
  // Counts the reply, and uses it to decide whether the peer can be reached. A
  // reply from the peer itself, even an error, shows that the peer is
  // reachable. UNAVAILABLE and DEADLINE_EXCEEDED of the transport show that the
  // peer is unreachable. Other errors of the transport, such as errors of calls
  // that this task has cancelled, change nothing. Is called once for each
  // CountCall.
  void CountReply(const absl::StatusOr<Payload>& reply);
  // Counts an answered call from the peer.
  void CountServed(int64_t bytes_received, int64_t bytes_sent);
  // Sets the kind that the peer has reported in GetStatus.
  void SetKind(Kind kind) { kind_.store(kind, std::memory_order_relaxed); }
  Kind kind() const { return kind_.load(std::memory_order_relaxed); }

  // Returns the counts. They are read one after the other, so calls that begin
  // or end meanwhile may be counted or not.
  Totals totals() const;

 private:
  Clock& clock_;
  std::atomic<Kind> kind_{Kind::kUnknown};
  std::atomic<State> state_{State::kUnknown};
  std::atomic<int64_t> calls_{0};
  std::atomic<int64_t> replies_{0};
  std::atomic<int64_t> served_{0};
  std::atomic<int64_t> bytes_sent_{0};
  std::atomic<int64_t> bytes_received_{0};
  std::atomic<Clock::duration::rep> heard_{0};  // 0: never
  // `error_` says why the peer is unreachable. It is valid only in state
  // kUnreachable.
  mutable Mutex mutex_;
  std::string error_ ABSL_GUARDED_BY(mutex_);
};

// Is thread-safe. Owns the records of the peers.
class Traffic {
 public:
  // Makes a record for each task of the cluster. `clock` must outlive this.
  Traffic(const ClusterSpec& cluster, Clock& clock);
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  // Returns the record of a task, such as "/job:ps/replica:0/task:0". All tasks
  // that are not in the cluster share one record. The result points into this
  // object.
  PeerTraffic& Of(absl::string_view task);

  // Returns the list of the waiting Recvs of this task and of its peers.
  OpenRecvs& recvs() { return recvs_; }
  const OpenRecvs& recvs() const { return recvs_; }

 private:
  // Maps the name of each task to the task's record. The map does not change
  // after the construction.
  absl::flat_hash_map<std::string, std::unique_ptr<PeerTraffic>> peers_;
  // Is the record of all tasks that are not in the cluster.
  PeerTraffic others_;
  OpenRecvs recvs_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_TRAFFIC_H_
