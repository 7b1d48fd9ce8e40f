// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Peers: the tasks of the cluster, as this task calls them by their names.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_
#define LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/exchange/peer.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Thread-safe. Calls that are begun here may outlive this.
class Peers {
 public:
  using PeerRef = std::shared_ptr<Peer>;

  // `transport` is borrowed and must outlive the calls that are begun here.
  // `answer_timeout` is how long a peer may take for what needs no work of it.
  Peers(const ClusterSpec& cluster, Transport& transport,
        std::chrono::nanoseconds answer_timeout = std::chrono::seconds(10));

  std::chrono::nanoseconds answer_timeout() const { return answer_timeout_; }
  // Returns the clock of the transport.
  Clock& clock() const { return clock_; }

  // Returns the task of that name, such as "/job:ps/replica:0/task:0", or
  // NOT_FOUND for a task that is not in the cluster.
  absl::StatusOr<PeerRef> Find(absl::string_view task) const;
  // Returns all tasks of the cluster by their names.
  const absl::flat_hash_map<std::string, PeerRef>& all() const {
    return peers_;
  }

  // Counts the calls of peers and lists what is waited for from them. Calls
  // that peers make here are counted by those who answer them. Never null.
  const std::shared_ptr<Traffic>& traffic() const { return traffic_; }

 private:
  const std::chrono::nanoseconds answer_timeout_;
  Clock& clock_;
  const std::shared_ptr<Traffic> traffic_;
  // Never changed.
  absl::flat_hash_map<std::string, PeerRef> peers_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_
