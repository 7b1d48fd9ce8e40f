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
    std::shared_ptr<Heartbeat> heartbeat = {};  // of its calls; may be null
  };

  using NewHeartbeat = absl::AnyInvocable<std::shared_ptr<Heartbeat>(
      const std::string& address) const>;

  // `max_message_bytes` of a response. The quota is borrowed.
  GrpcChannels(int64_t max_message_bytes, const grpc::ResourceQuota& quota,
               NewHeartbeat new_heartbeat);

  // For a call to that address. A channel that has not got a connection takes
  // no calls until it has tried again, some time later: then a new one, which
  // tries at once, unless the call waits (`waits`) for the connection.
  Connection Find(absl::string_view address, bool waits);

  // Starts the heartbeat that Find has given, and gives from now on if the peer
  // allows no pings; else a channel that pings it and is lost within seconds
  // when it is silent.
  void Watch(absl::string_view address, bool allows_pings);
  // For good. On another thread than those of their queue.
  void StopHeartbeats();

  // As Find, without heartbeat, for a call that does not wait; null unless
  // there is a connection.
  std::shared_ptr<grpc::Channel> Connected(absl::string_view address);
  // Its next call connects anew.
  void Drop(absl::string_view address);

 private:
  struct Entry {
    bool is_pinged = false;
    std::shared_ptr<grpc::Channel> channel = {};  // null: not yet asked for
    // Of calls that began before it was pinged. Null: they are stopped.
    std::shared_ptr<Heartbeat> heartbeat = {};
  };

  Entry& EntryOf(absl::string_view address)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<grpc::Channel> Make(const std::string& address,
                                      bool is_pinged) const;

  const int64_t max_message_bytes_;
  const grpc::ResourceQuota& quota_;
  const NewHeartbeat new_heartbeat_;
  Mutex mutex_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_CHANNEL_H_
