// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/peer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/wire/messages.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

absl::StatusOr<PeerStatus> ParseStatus(const Payload& payload,
                                       absl::string_view task) {
  pb::GetStatusResponse response;
  LEAT_RETURN_IF_ERROR(ParseSmall(payload.header, response));
  PeerStatus status;
  status.is_leat = response.has_leat();
  if (status.is_leat) {
    LEAT_RETURN_IF_ERROR(
        CheckPeerVersion("it", response.leat().version(), "its caller"));
  }
  status.max_chunk_bytes =
      std::max<int64_t>(response.leat().max_chunk_bytes(), 0);
  status.ticket = response.leat().ticket();
  for (const pb::DeviceAttributes& attributes : response.device_attributes()) {
    LEAT_ASSIGN_OR_RETURN(DeviceInfo device, ImportDevice(attributes));
    absl::string_view rest = device.name;
    if (!absl::ConsumePrefix(&rest, task) || !absl::StartsWith(rest, "/")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it has the device ", device.name,
          ", which belongs to another task; correct the address of ", task,
          " in the cluster"));
    }
    status.devices.push_back(std::move(device));
  }
  return status;
}

absl::StatusOr<PeerStatus> ReadStatus(const absl::StatusOr<Payload>& reply,
                                      absl::string_view task) {
  if (!reply.ok()) return reply.status();
  absl::StatusOr<PeerStatus> status = ParseStatus(*reply, task);
  if (status.ok()) return status;
  return WithMessage(
      status.status(),
      absl::StrCat("task ", task,
                   " answered GetStatus wrongly: ", status.status().message()));
}

}  // namespace

absl::Status CheckPeerVersion(absl::string_view peer, int64_t version,
                              absl::string_view own) {
  if (version == kLeatPeerVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      peer, " speaks version ", version, " of Leat's protocol between tasks, ",
      own, " version ", kLeatPeerVersion, ": run the same Leat on both"));
}

Peer::Peer(std::string task, std::string address, Transport& transport,
           std::shared_ptr<Traffic> all_traffic,
           std::chrono::nanoseconds answer_timeout)
    : task_(std::move(task)),
      address_(std::move(address)),
      transport_(transport),
      answer_timeout_(answer_timeout),
      all_traffic_(std::move(all_traffic)),
      traffic_(all_traffic_->Of(task_)) {}

void Peer::Call(const Method& method, Payload request, CallOptions options,
                Reply done) {
  traffic_.CountCall(request);
  transport_.Call(address_, method, std::move(request), std::move(options),
                  [self = shared_from_this(), done = std::move(done)](
                      absl::StatusOr<Payload> reply) mutable {
                    self->traffic_.CountReply(reply);
                    std::move(done)(std::move(reply));
                  });
}

absl::Status Peer::NameTransportError(const absl::Status& status) const {
  const char* what = ":";
  if (absl::IsUnavailable(status)) what = " cannot be reached:";
  if (absl::IsDeadlineExceeded(status)) what = " did not answer in time:";
  return AsCalleeError(
      WithMessage(status, absl::StrCat("task ", task_, " (", address_, ")",
                                       what, " ", status.message())));
}

Reply Peer::NameTransportErrors(Reply done) {
  return [self = shared_from_this(),
          done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
    if (!reply.ok() && IsTransportError(reply.status())) {
      reply = self->NameTransportError(reply.status());
    }
    std::move(done)(std::move(reply));
  };
}

void Peer::GetStatus(CallOptions options, StatusDone done) {
  was_asked_ = true;
  pb::GetStatusRequest message;
  message.mutable_leat()->set_version(kLeatPeerVersion);
  auto read = [self = shared_from_this(),
               done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
    absl::StatusOr<PeerStatus> status = ReadStatus(reply, self->task_);
    self->was_asked_ = status.ok();
    if (status.ok()) {
      self->max_chunk_bytes_ = status->max_chunk_bytes;
      self->traffic_.SetKind(status->is_leat ? PeerTraffic::Kind::kLeat
                                             : PeerTraffic::Kind::kTensorFlow);
      self->transport_.WatchPeer(self->address_, status->is_leat);
    }
    std::move(done)(std::move(status));
  };
  Call(methods::kGetStatus, ToPayload(message), std::move(options),
       NameTransportErrors(std::move(read)));
}

void Peer::Meet() {
  if (was_asked_.exchange(true)) return;
  // GetStatus itself keeps the answer. If it fails, a later Meet asks again.
  GetStatus(StatusOptions(), [](const absl::StatusOr<PeerStatus>&) {});
}

CallOptions Peer::StatusOptions() const {
  return {.deadline = transport_.clock().After(answer_timeout_)};
}

}  // namespace leat
