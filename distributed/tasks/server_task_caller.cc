// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/server_task_caller.h"

#include <memory>
#include <utility>

#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/requests/guarded_reply.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat {

ServerTaskCaller::ServerTaskCaller(std::string own_task,
                                   const MethodTable& methods,
                                   const Peers& peers,
                                   std::chrono::nanoseconds answer_timeout,
                                   Clock& clock)
    : TaskCaller(answer_timeout, clock),
      own_task_(std::move(own_task)),
      methods_(methods),
      peers_(peers) {}

void ServerTaskCaller::DoCall(absl::string_view task, const Method& method,
                              Payload request, CallOptions options,
                              Reply done) {
  if (task != own_task_) {
    const absl::StatusOr<Peers::PeerRef> peer = peers_.Find(task);
    if (!peer.ok()) return std::move(done)(peer.status());
    return (*peer)->Call(method, std::move(request), std::move(options),
                         (*peer)->NameTransportErrors(std::move(done)));
  }
  const MethodTable::Entry* const entry = methods_.Find(method.path);
  if (entry == nullptr) {
    return std::move(done)(UnknownMethodError(method.path));
  }
  auto context = std::make_shared<CallContext>();
  context->peer = own_task_;
  context->deadline = options.deadline;
  Cancellation::Token token = 0;
  const bool registered = options.cancellation->Register(
      [context](const absl::Status& why) { context->cancellation.Cancel(why); },
      &token);
  if (!registered) return std::move(done)(options.cancellation->status());
  entry->handler(
      context, std::move(request),
      GuardedReply(method.path, [cancellation = std::move(options.cancellation),
                                 token, done = std::move(done)](
                                    absl::StatusOr<Payload> response) mutable {
        cancellation->Deregister(token);
        std::move(done)(std::move(response));
      }));
}

void ServerTaskCaller::DoGetStatus(absl::string_view task, CallOptions options,
                                   StatusDone done) {
  const absl::StatusOr<Peers::PeerRef> peer = peers_.Find(task);
  if (!peer.ok()) return std::move(done)(peer.status());
  (*peer)->GetStatus(std::move(options), std::move(done));
}

}  // namespace leat
