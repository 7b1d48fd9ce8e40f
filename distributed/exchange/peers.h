// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Peers holds one Peer for each task of the cluster, including this task. A
// Peer is found by the name of its task.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_
#define LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/exchange/peer.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Is thread-safe. Each call shares the ownership of its Peer, so the call may
// outlive this object.
class Peers {
 public:
  using PeerRef = std::shared_ptr<Peer>;

  // `transport` is borrowed and must outlive the calls of every Peer.
  // Peer::Meet gives a task `answer_timeout` to answer.
  Peers(const ClusterSpec& cluster, Transport& transport,
        std::chrono::nanoseconds answer_timeout = std::chrono::seconds(10));

  // Returns the Peer of the task `task`, such as "/job:ps/replica:0/task:0", or
  // NOT_FOUND if the task is not in the cluster.
  absl::StatusOr<PeerRef> Find(absl::string_view task) const;
  // Returns the Peers of all tasks of the cluster, by the names of the tasks.
  const absl::flat_hash_map<std::string, PeerRef>& all() const {
    return peers_;
  }

  // Returns the object that counts the calls between this task and the others,
  // and that lists the Recvs that wait. A Peer counts the calls that this task
  // makes. The services of this task count the calls that they answer. The
  // traffic is never null.
  const std::shared_ptr<Traffic>& traffic() const { return traffic_; }

 private:
  const std::shared_ptr<Traffic> traffic_;
  // The map does not change after the construction.
  absl::flat_hash_map<std::string, PeerRef> peers_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_PEERS_H_
