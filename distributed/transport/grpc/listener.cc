// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/listener.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "leat/core/files/descriptor_limit.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/transport/grpc/acceptor.h"
#include "leat/distributed/transport/grpc/listening_sockets.h"
#include "leat/distributed/transport/grpc/polling_threads.h"
#include "leat/distributed/transport/grpc/server_call.h"
#include "leat/distributed/transport/grpc/settings.h"

namespace leat {
namespace {

using SystemClock = std::chrono::system_clock;
using GrpcAcceptor = grpc::experimental::ExternalConnectionAcceptor;
using NewConnection = GrpcAcceptor::NewConnectionParameters;

constexpr int kMaxConcurrentStreams = 10'000;
// Says how long a call may wait in gRPC until the server requests its next
// call. In practice a call waits only for a moment.
constexpr int kMaxUnrequestedSeconds = 3600;
// A task needs descriptors for at least kMinConnections connections, and at
// least kMinReservedDescriptors for other purposes. A task does not start if
// its process cannot open that many.
constexpr int kMinConnections = 16;
constexpr int kMinReservedDescriptors = 48;

class GrpcListener final : public Listener {
 public:
  GrpcListener(const MethodTable& methods, const TransportOptions& options,
               std::shared_ptr<PollingThreads> polling)
      : polling_(std::move(polling)),
        calls_(methods, service_, *polling_->queue(),
               {.max_message_bytes = options.max_message_bytes,
                .max_transport_bytes = options.max_transport_bytes}) {}
  ~GrpcListener() override { Shutdown(std::chrono::nanoseconds(0)); }

  // Starts the server and sets the address. REQUIRES: this is called once;
  // after a failure only the destructor may be called.
  absl::Status Start(const std::string& address,
                     const TransportOptions& options,
                     const grpc::ResourceQuota& quota, Clock& clock,
                     grpc::ServerBuilder& builder);

  const std::string& address() const override { return address_; }
  ConnectionCounts connections() override { return acceptor_->counts(); }

  void Shutdown(std::chrono::nanoseconds grace) override {
    MutexLock lock(mutex_);
    if (server_ == nullptr) return;
    const auto deadline =
        SystemClock::now() + std::chrono::duration_cast<SystemClock::duration>(
                                 std::min<std::chrono::nanoseconds>(
                                     grace, std::chrono::hours(24 * 365)));
    if (acceptor_ != nullptr) acceptor_->Stop();
    calls_.Stop();
    server_->Shutdown(deadline);
    calls_.WaitUntilEmpty();
    server_.reset();
  }

 private:
  const std::shared_ptr<PollingThreads> polling_;
  grpc::AsyncGenericService service_;
  ServerCalls calls_;
  std::string address_;
  std::unique_ptr<GrpcAcceptor> grpc_acceptor_;
  // Is set by Start and not changed afterwards, so the pointer needs no mutex.
  std::unique_ptr<Acceptor> acceptor_;
  Mutex mutex_;
  std::unique_ptr<grpc::Server> server_ ABSL_GUARDED_BY(mutex_);
};

void SetArguments(const TransportOptions& options,
                  const grpc::ResourceQuota& quota,
                  grpc::ServerBuilder& builder) {
  const ConnectionTimes& times = options.times;
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(MessageLimit(options.max_message_bytes));
  builder.SetMaxSendMessageSize(-1);
  const std::pair<const char*, int> arguments[] = {
      {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
       Milliseconds(options.connections.handshake_timeout)},
      {GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes},
      {GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
       kCompressionAlgorithms},
      {GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxConcurrentStreams},
      {"grpc.server_max_unrequested_time_in_server", kMaxUnrequestedSeconds},
      {GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(times.ping_interval)},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(times.ping_timeout)},
      {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
      {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
      // Tolerates pings that come a little early.
      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
       Milliseconds(times.ping_interval * 9 / 10)},
      {GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0},
  };
  for (const auto& [name, value] : arguments) {
    builder.AddChannelArgument(name, value);
  }
}

// Returns a table for as many connections as `limits` and the free descriptors
// of the process allow. A quarter of the free descriptors, but at least
// kMinReservedDescriptors, are kept for calls to other tasks and for files. If
// the descriptors allow fewer connections than `limits`, logs a message with
// `log`.
absl::StatusOr<ConnectionTable> MakeTable(
    const ConnectionLimits& limits,
    const std::function<void(absl::string_view)>& log) {
  LEAT_RETURN_IF_ERROR(CheckFreeDescriptors(
      kMinReservedDescriptors + kMinConnections, "a task that serves"));
  const int64_t free = NumFreeDescriptors();
  const int64_t room = std::max<int64_t>(
      free - std::max<int64_t>(free / 4, kMinReservedDescriptors), 1);
  const size_t max =
      std::min(limits.max_connections, static_cast<size_t>(room));
  const size_t max_per_address = limits.max_per_address > 0
                                     ? limits.max_per_address
                                     : std::max<size_t>(max / 2, 1);
  if (max == limits.max_connections) {
    return ConnectionTable(max, max_per_address);
  }
  constexpr absl::string_view kLimit =
      "three quarters of the files and sockets that this process may have "
      "open; see ulimit -n";
  if (log) {
    log(absl::StrCat("accepts at most ", max, " connections at a time and not ",
                     limits.max_connections, " (--max-connections): these are ",
                     kLimit));
  }
  return ConnectionTable(max, max_per_address, kLimit);
}

absl::Status GrpcListener::Start(const std::string& address,
                                 const TransportOptions& options,
                                 const grpc::ResourceQuota& quota, Clock& clock,
                                 grpc::ServerBuilder& builder) {
  LEAT_ASSIGN_OR_RETURN(ListeningSockets listening,
                        ListenAt(address, options.times.ping_timeout));
  LEAT_ASSIGN_OR_RETURN(ConnectionTable connections,
                        MakeTable(options.connections, options.log));
  address_ = listening.address;
  SetArguments(options, quota, builder);
  grpc_acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      grpc::InsecureServerCredentials());
  builder.RegisterAsyncGenericService(&service_);
  MutexLock lock(mutex_);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    return CannotListenError(address, "gRPC cannot start a server");
  }
  calls_.Start();
  LEAT_ASSIGN_OR_RETURN(
      acceptor_, Acceptor::Start(
                     std::move(listening), std::move(connections),
                     [this](int listening_socket, FileDescriptor connection) {
                       NewConnection parameters;
                       parameters.listener_fd = listening_socket;
                       parameters.fd = connection.Release();
                       grpc_acceptor_->HandleNewConnection(&parameters);
                     },
                     options.log, clock));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> ListenWithGrpc(
    const std::string& address, const MethodTable& methods,
    const TransportOptions& options, const grpc::ResourceQuota& quota,
    Clock& clock, std::shared_ptr<PollingThreads> polling) {
  std::unique_ptr<grpc::ServerBuilder> builder = polling->TakeServerBuilder();
  if (builder == nullptr) {
    polling = std::make_shared<PollingThreads>();
    builder = polling->TakeServerBuilder();
  }
  auto listener =
      std::make_unique<GrpcListener>(methods, options, std::move(polling));
  LEAT_RETURN_IF_ERROR(
      listener->Start(address, options, quota, clock, *builder));
  return listener;
}

}  // namespace leat
