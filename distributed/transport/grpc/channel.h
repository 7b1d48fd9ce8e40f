// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GrpcChannels keeps the connections of a gRPC transport to other tasks, one
// for each address. Find makes the connection to an address if there is none.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_CHANNEL_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_CHANNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "grpcpp/channel.h"
#include "grpcpp/resource_quota.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/transport/heartbeat.h"

namespace leat {

// Is a map from addresses to gRPC channels and their heartbeats. Is
// thread-safe. Calls share the ownership of the channel on which they were
// started, so a channel that is replaced or dropped here lives until its last
// call has ended.
class GrpcChannels {
 public:
  // Holds the means to call one address. A default-constructed value means that
  // there is no connection.
  struct Connection {
    std::shared_ptr<grpc::Channel> channel = {};
    std::shared_ptr<Heartbeat> heartbeat = {};  // null if gRPC pings the peer
  };

  // Makes the heartbeat that watches the calls on `channel`, which leads to
  // `address`.
  using NewHeartbeat = absl::AnyInvocable<std::shared_ptr<Heartbeat>(
      const std::string& address, const std::shared_ptr<grpc::Channel>& channel)
                                              const>;

  // `options.max_message_bytes` is the largest response that is accepted.
  // `quota` limits the memory of all channels together; it is borrowed and must
  // outlive this.
  GrpcChannels(const TransportOptions& options,
               const grpc::ResourceQuota& quota, NewHeartbeat new_heartbeat);

  // Returns the connection for a new call to `address` and makes it if there is
  // none. After a failed attempt to connect, a gRPC channel rejects calls until
  // its next attempt. If `waits` is false, Find replaces a channel in this
  // state with a new one, which tries to connect immediately. If `waits` is
  // true, Find keeps the channel, because the call itself waits for the
  // connection.
  Connection Find(absl::string_view address, bool waits);

  // Watches the peer at `address` from now on. If the peer allows pings, Find
  // then returns a channel that pings the peer, so that its calls fail within
  // seconds when the peer is silent. Otherwise Find returns a connection whose
  // heartbeat has been started.
  void Watch(absl::string_view address, bool allows_pings);
  // Stops all heartbeats. No new heartbeats are made from then on.
  void StopHeartbeats();

  // Forgets `channel` if it is still the channel for `address`, so that later
  // calls get a new one.
  void Drop(absl::string_view address,
            const std::shared_ptr<grpc::Channel>& channel);

 private:
  // Holds the state of one address.
  struct Entry {
    bool is_watched = false;
    bool is_pinged = false;
    Connection connection = {};  // null before the first Find
  };

  // Makes a channel and, unless the peer is pinged, a heartbeat for it.
  Connection Make(const std::string& address, const Entry& entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const TransportOptions options_;
  const grpc::ResourceQuota& quota_;
  const NewHeartbeat new_heartbeat_;
  Mutex mutex_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  // Holds the heartbeats of all channels that still exist, including replaced
  // channels.
  std::vector<std::weak_ptr<Heartbeat>> heartbeats_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_CHANNEL_H_
