// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/listener.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/transport/grpc/polling_threads.h"
#include "leat/distributed/transport/grpc/server_call.h"
#include "leat/distributed/transport/grpc/settings.h"
#include "leat/distributed/transport/unix_socket.h"

namespace leat {
namespace {

using SystemClock = std::chrono::system_clock;

constexpr int kMaxConcurrentStreams = 10'000;
// How long a call may wait in gRPC until the server asks for a call. In fact it
// waits only for moments.
constexpr int kMaxUnrequestedSeconds = 3600;

class GrpcListener final : public Listener {
 public:
  GrpcListener(const MethodTable& methods,
               std::shared_ptr<PollingThreads> polling)
      : polling_(std::move(polling)),
        calls_(methods, service_, *polling_->queue()) {}
  ~GrpcListener() override { Shutdown(std::chrono::nanoseconds(0)); }

  // Starts the server and sets the address. REQUIRES: called once; after a
  // failure only the destructor may be called.
  absl::Status Start(const std::string& address,
                     const TransportOptions& options,
                     const grpc::ResourceQuota& quota,
                     grpc::ServerBuilder& builder);

  const std::string& address() const override { return address_; }

  void Shutdown(std::chrono::nanoseconds grace) override {
    MutexLock lock(mutex_);
    if (server_ == nullptr) return;
    const auto deadline =
        SystemClock::now() + std::chrono::duration_cast<SystemClock::duration>(
                                 std::min<std::chrono::nanoseconds>(
                                     grace, std::chrono::hours(24 * 365)));
    calls_.Stop();
    server_->Shutdown(deadline);
    calls_.WaitUntilEmpty();
    server_.reset();
    socket_.Remove();
  }

 private:
  const std::shared_ptr<PollingThreads> polling_;
  grpc::AsyncGenericService service_;
  ServerCalls calls_;
  std::string address_;
  UnixSocketFile socket_;
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
      {GRPC_ARG_ALLOW_REUSEPORT, 0},
      {GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes},
      {GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
       kCompressionAlgorithms},
      {GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxConcurrentStreams},
      {"grpc.server_max_unrequested_time_in_server", kMaxUnrequestedSeconds},
      {GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(times.ping_interval)},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(times.ping_timeout)},
      {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
      {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},
      // A ping that comes a little early is not yet one too many.
      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
       Milliseconds(times.ping_interval * 9 / 10)},
      {GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0},
  };
  for (const auto& [name, value] : arguments) {
    builder.AddChannelArgument(name, value);
  }
}

// Returns why `address` cannot be listened at. gRPC does not say it, so this
// tries to bind a socket and returns the system's reason.
std::string WhyNot(const std::string& address) {
  const size_t colon = address.rfind(':');
  absl::string_view host(address.data(), colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(std::string(host).c_str(),
                                 address.c_str() + colon + 1, &hints, &found);
  if (failed != 0) return gai_strerror(failed);
  std::string reason = "gRPC cannot use the address";
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const int fd = socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, each->ai_addr, each->ai_addrlen) != 0) {
      reason = std::strerror(errno);
    }
    close(fd);
  }
  freeaddrinfo(found);
  return reason;
}

absl::Status GrpcListener::Start(const std::string& address,
                                 const TransportOptions& options,
                                 const grpc::ResourceQuota& quota,
                                 grpc::ServerBuilder& builder) {
  LEAT_RETURN_IF_ERROR(CheckAddress(address));
  const std::string path = UnixPath(address);
  std::optional<ScopedPrivateFiles> private_files;
  if (!path.empty()) {
    LEAT_RETURN_IF_ERROR(ClearSocketPath(path));
    private_files.emplace();
  }
  SetArguments(options, quota, builder);
  int port = 0;
  builder.AddListeningPort(path.empty() ? address : EscapedUnixAddress(address),
                           grpc::InsecureServerCredentials(), &port);
  builder.RegisterAsyncGenericService(&service_);
  MutexLock lock(mutex_);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    return CannotListenError(
        address, path.empty() ? WhyNot(address) : "gRPC cannot use the path");
  }
  if (!path.empty()) socket_.Own(path);
  address_ = HasFreePort(address)
                 ? absl::StrCat(absl::StripSuffix(address, "0"), port)
                 : address;
  calls_.Start();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> ListenWithGrpc(
    const std::string& address, const MethodTable& methods,
    const TransportOptions& options, const grpc::ResourceQuota& quota,
    std::shared_ptr<PollingThreads> polling) {
  std::unique_ptr<grpc::ServerBuilder> builder = polling->TakeServerBuilder();
  if (builder == nullptr) {
    polling = std::make_shared<PollingThreads>();
    builder = polling->TakeServerBuilder();
  }
  auto listener = std::make_unique<GrpcListener>(methods, std::move(polling));
  LEAT_RETURN_IF_ERROR(listener->Start(address, options, quota, *builder));
  return listener;
}

}  // namespace leat
