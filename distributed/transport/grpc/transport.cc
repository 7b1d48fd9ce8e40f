// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/transport.h"

#include <memory>
#include <string>
#include <utility>

#include "grpc/grpc.h"
#include "grpcpp/resource_quota.h"
#include "leat/core/check.h"
#include "leat/core/files/descriptor_limit.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/handover.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/transport/grpc/channel.h"
#include "leat/distributed/transport/grpc/client_call.h"
#include "leat/distributed/transport/grpc/listener.h"
#include "leat/distributed/transport/grpc/polling_threads.h"
#include "leat/distributed/transport/heartbeat.h"

namespace leat {
namespace {

// Is the number of descriptors that a transport needs. gRPC opens most of them
// when it starts. A few are for connections.
constexpr int kDescriptorsOfGrpc = 24;

// All calls and listeners share one quota of memory. Calls and the first
// listener share one set of polling threads. Each further listener has separate
// polling threads.
class GrpcTransport final : public Transport {
 public:
  explicit GrpcTransport(const TransportOptions& options)
      : options_(options),
        quota_("leat"),
        channels_(options, quota_,
                  [this](const std::string& address,
                         const std::shared_ptr<grpc::Channel>& channel) {
                    return MakeHeartbeat(address, channel);
                  }),
        polling_(std::make_shared<PollingThreads>()) {
    quota_.Resize(static_cast<size_t>(options.max_transport_bytes));
  }

  ~GrpcTransport() override {
    channels_.StopHeartbeats();
    timers_.reset();
    open_.CancelAll();
    open_.WaitUntilEmpty();
  }

  void Call(absl::string_view address, const Method& method, Payload request,
            CallOptions options, Reply done) override {
    LEAT_CHECK(request.pending == nullptr);
    Start(address, channels_.Find(address, options.wait_for_ready), method,
          std::move(request), std::move(options), std::move(done));
    polling_->EndRest();
  }

  absl::StatusOr<Payload> CallAndWait(absl::string_view address,
                                      const Method& method, Payload request,
                                      CallOptions options) override {
    LEAT_CHECK(request.pending == nullptr);
    const auto answer = std::make_shared<Handover<absl::StatusOr<Payload>>>();
    // Call would wake the polling thread.
    Start(address, channels_.Find(address, options.wait_for_ready), method,
          std::move(request), std::move(options),
          [answer](absl::StatusOr<Payload> payload) {
            answer->Set(std::move(payload));
          });
    // Other calls need the polling thread, because this thread goes as soon as
    // its own call has ended.
    if (open_.size() <= 1) {
      polling_->PollUntil([&answer] { return answer->IsSet(); });
    }
    if (!open_.empty()) polling_->EndRest();
    return answer->Wait();
  }

  void WatchPeer(absl::string_view address, bool allows_pings) override {
    channels_.Watch(address, allows_pings);
  }

  absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& address, const MethodTable& methods) override {
    return ListenWithGrpc(address, methods, options_, quota_, clock(),
                          polling_);
  }

 private:
  void Start(absl::string_view address, GrpcChannels::Connection connection,
             const Method& method, Payload request, CallOptions options,
             Reply done) {
    const auto call = std::make_shared<ClientCall>(
        address, method, std::move(options), std::move(done), open_,
        options_.max_transport_bytes);
    open_.Add(call);
    call->Start(connection.channel, std::move(connection.heartbeat),
                std::move(request), *polling_->queue());
  }

  std::shared_ptr<Heartbeat> MakeHeartbeat(
      const std::string& address,
      const std::shared_ptr<grpc::Channel>& channel) {
    auto ask = [this, address, channel](const Method& method,
                                        CallOptions options, Reply done) {
      if (channel->GetState(false) != GRPC_CHANNEL_READY) {
        return std::move(done)(UnreachableError(address, "not connected"));
      }
      Start(address, {.channel = channel}, method, {}, std::move(options),
            std::move(done));
      polling_->EndRest();
    };
    auto silent = [this, address, channel] {
      channels_.Drop(address, channel);
    };
    return std::make_shared<Heartbeat>(std::move(ask), std::move(silent),
                                       options_.times, *timers_);
  }

  const TransportOptions options_;
  grpc::ResourceQuota quota_;
  GrpcChannels channels_;
  const std::shared_ptr<PollingThreads> polling_;
  OpenClientCalls open_;
  // The thread of this queue calls the health checks of peers.
  std::unique_ptr<TimerQueue> timers_ =
      std::make_unique<TimerQueue>("leat-heartbeat", clock());
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> NewGrpcTransport(
    const TransportOptions& options) {
  // gRPC aborts the process if it cannot make its first descriptors.
  LEAT_RETURN_IF_ERROR(
      CheckFreeDescriptors(kDescriptorsOfGrpc, "a task or client"));
  // This initialization of gRPC is never undone. Otherwise gRPC would shut down
  // when the last transport is destroyed, and would wait up to ten seconds for
  // its background polling.
  static const bool stays = (grpc_init(), true);
  static_cast<void>(stays);
  return std::make_unique<GrpcTransport>(options);
}

}  // namespace leat
