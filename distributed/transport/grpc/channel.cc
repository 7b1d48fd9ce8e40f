// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/channel.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/transport/grpc/settings.h"

namespace leat {
namespace {

// Returns the gRPC target of an address. The scheme is explicit, because gRPC
// would misread the address of a host that is named like a scheme: it would
// treat "unix:1" as a path, not as port 1 of the host "unix".
std::string TargetOf(const std::string& address) {
  if (!UnixPath(address).empty()) return EscapedUnixAddress(address);
  return absl::StrCat(
      "dns:///", absl::StrReplaceAll(address, {{"[", "%5B"}, {"]", "%5D"}}));
}

grpc::ChannelArguments Arguments(bool is_pinged,
                                 const TransportOptions& options,
                                 const grpc::ResourceQuota& quota) {
  const ConnectionTimes& times = options.times;
  grpc::ChannelArguments arguments;
  arguments.SetResourceQuota(quota);
  arguments.SetMaxReceiveMessageSize(MessageLimit(options.max_message_bytes));
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
                   kCompressionAlgorithms);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
                   Milliseconds(times.first_retry));
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS,
                   Milliseconds(times.longest_retry));
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
                   Milliseconds(times.connect_timeout));
  // A peer that has restarted may have another IP address, so names are looked
  // up as often as connections are tried.
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS,
                   Milliseconds(times.longest_retry));
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Keeps the channel from sharing connections with the channels of this
  // process's other transports, because those may have other arguments.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (is_pinged) {
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS,
                     Milliseconds(times.ping_interval));
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                     Milliseconds(times.ping_timeout));
    arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    arguments.SetInt(GRPC_ARG_HTTP2_MIN_SENT_PING_INTERVAL_WITHOUT_DATA_MS,
                     Milliseconds(times.ping_interval / 2));
  } else {
    arguments.SetInt(GRPC_ARG_CLIENT_IDLE_TIMEOUT_MS, Milliseconds(times.idle));
  }
  return arguments;
}

}  // namespace

GrpcChannels::GrpcChannels(const TransportOptions& options,
                           const grpc::ResourceQuota& quota,
                           NewHeartbeat new_heartbeat)
    : options_(options),
      quota_(quota),
      new_heartbeat_(std::move(new_heartbeat)) {}

GrpcChannels::Connection GrpcChannels::Find(absl::string_view address,
                                            bool waits) {
  Connection former;  // released outside the lock
  MutexLock lock(mutex_);
  const auto found = entries_.try_emplace(address).first;
  Entry& entry = found->second;
  Connection& connection = entry.connection;
  if (!waits && connection.channel != nullptr &&
      connection.channel->GetState(false) == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    former = std::exchange(connection, {});
  }
  if (connection.channel == nullptr) connection = Make(found->first, entry);
  return connection;
}

void GrpcChannels::Drop(absl::string_view address,
                        const std::shared_ptr<grpc::Channel>& channel) {
  Connection former;  // released outside the lock
  MutexLock lock(mutex_);
  const auto found = entries_.find(address);
  if (found == entries_.end()) return;
  Connection& connection = found->second.connection;
  if (connection.channel == channel) former = std::exchange(connection, {});
}

void GrpcChannels::Watch(absl::string_view address, bool allows_pings) {
  Connection former;  // released outside the lock
  std::shared_ptr<Heartbeat> heartbeat;
  {
    MutexLock lock(mutex_);
    Entry& entry = entries_[address];
    heartbeat = entry.connection.heartbeat;
    entry.is_watched = true;
    if (std::exchange(entry.is_pinged, allows_pings) != allows_pings) {
      former = std::exchange(entry.connection, {});
    }
  }
  if (heartbeat != nullptr) heartbeat->Start();
}

void GrpcChannels::StopHeartbeats() {
  std::vector<std::weak_ptr<Heartbeat>> heartbeats;
  {
    MutexLock lock(mutex_);
    is_stopped_ = true;
    heartbeats.swap(heartbeats_);
  }
  for (const auto& weak : heartbeats) {
    if (const auto heartbeat = weak.lock()) heartbeat->Stop();
  }
}

GrpcChannels::Connection GrpcChannels::Make(const std::string& address,
                                            const Entry& entry) {
  Connection connection;
  connection.channel = grpc::CreateCustomChannel(
      TargetOf(address), grpc::InsecureChannelCredentials(),
      Arguments(entry.is_pinged, options_, quota_));
  if (entry.is_pinged || is_stopped_) return connection;
  connection.heartbeat = new_heartbeat_(address, connection.channel);
  if (entry.is_watched) connection.heartbeat->Start();
  std::erase_if(heartbeats_, [](const auto& weak) { return weak.expired(); });
  heartbeats_.push_back(connection.heartbeat);
  return connection;
}

}  // namespace leat
