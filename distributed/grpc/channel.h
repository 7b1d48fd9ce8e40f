// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// GrpcChannels: the connections of a transport to other tasks, made when they
// are first asked for. Thread-safe.
#ifndef LEAT_DISTRIBUTED_GRPC_CHANNEL_H_
#define LEAT_DISTRIBUTED_GRPC_CHANNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "grpcpp/channel.h"
#include "grpcpp/resource_quota.h"
#include "leat/core/mutex.h"
#include "leat/distributed/grpc/heartbeat.h"

namespace leat {

class GrpcChannels {
 public:
  struct Connection {
    std::shared_ptr<grpc::Channel> channel = {};
    std::shared_ptr<Heartbeat> heartbeat = {};  // null: it is pinged
  };

  // Of the calls of a channel to that address.
  using NewHeartbeat = absl::AnyInvocable<std::shared_ptr<Heartbeat>(
      const std::string& address, const std::shared_ptr<grpc::Channel>& channel)
                                              const>;

  // `max_message_bytes` of a response. The quota is borrowed.
  GrpcChannels(int64_t max_message_bytes, const grpc::ResourceQuota& quota,
               NewHeartbeat new_heartbeat);

  // For a call to that address. A channel that has not got a connection takes
  // no calls until it has tried again, some time later: then a new one, which
  // tries at once, unless the call waits (`waits`) for the connection.
  Connection Find(absl::string_view address, bool waits);

  // Starts the heartbeats of that address. From now on Find gives one that has
  // been started or, if the peer allows pings, a channel that pings it and is
  // lost within seconds when it is silent.
  void Watch(absl::string_view address, bool allows_pings);
  // For good. On another thread than those of their queue.
  void StopHeartbeats();

  // Later calls get another one.
  void Drop(absl::string_view address,
            const std::shared_ptr<grpc::Channel>& channel);

 private:
  struct Entry {
    bool is_watched = false;
    bool is_pinged = false;
    Connection connection = {};  // null: not yet asked for
  };

  Connection Make(const std::string& address, const Entry& entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t max_message_bytes_;
  const grpc::ResourceQuota& quota_;
  const NewHeartbeat new_heartbeat_;
  Mutex mutex_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  // Of former channels, too.
  std::vector<std::weak_ptr<Heartbeat>> heartbeats_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_CHANNEL_H_
