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
    std::shared_ptr<Heartbeat> heartbeat = {};  // of its calls; may be null
  };

  // `max_message_bytes` of a response. The quota is borrowed.
  GrpcChannels(int64_t max_message_bytes, const grpc::ResourceQuota& quota);

  // For a call to that address. A channel that has not got a connection takes
  // no calls until it has tried again, some time later: then a new one, which
  // tries at once, unless the call waits (`waits`) for the connection.
  Connection Find(absl::string_view address, bool waits);

  // From now on Find gives a channel that pings the peer and is lost within
  // seconds when that is silent.
  void Ping(absl::string_view address);
  // From now on Find gives that heartbeat, or another for which it was asked.
  void Watch(absl::string_view address, std::shared_ptr<Heartbeat> heartbeat);
  // For good. On another thread than those of their queue.
  void StopHeartbeats();

 private:
  struct Entry {
    bool is_pinged = false;
    std::shared_ptr<grpc::Channel> channel = {};  // null: not yet asked for
    std::shared_ptr<Heartbeat> heartbeat = {};    // stays when it is pinged
  };

  // Calls that have begun keep the channel that there was.
  std::shared_ptr<grpc::Channel> SetPinged(bool is_pinged, Entry& entry);
  std::shared_ptr<grpc::Channel> Make(const std::string& address,
                                      bool is_pinged) const;

  const int64_t max_message_bytes_;
  const grpc::ResourceQuota& quota_;
  Mutex mutex_;
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_CHANNEL_H_
