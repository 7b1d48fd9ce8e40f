// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/peers.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/device_attributes.h"
#include "leat/distributed/quoted_text.h"
#include "leat/distributed/recv_tensor.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

bool IsOfTheWay(const absl::Status& status) {
  return status.GetPayload(kTransportErrorPayload).has_value();
}

absl::Status WithMessage(const absl::Status& status,
                         absl::string_view message) {
  absl::Status changed(status.code(), message);
  status.ForEachPayload(
      [&changed](absl::string_view key, const absl::Cord& value) {
        changed.SetPayload(key, value);
      });
  return changed;
}

// An error of the way to that task, without the mark that it is one.
absl::Status WayError(const absl::Status& status, absl::string_view task,
                      absl::string_view address) {
  const char* what = ":";
  if (absl::IsUnavailable(status)) what = " cannot be reached:";
  if (absl::IsDeadlineExceeded(status)) what = " did not answer in time:";
  absl::Status error =
      WithMessage(status, absl::StrCat("task ", task, " (", address, ")", what,
                                       " ", status.message()));
  error.ErasePayload(kTransportErrorPayload);
  return error;
}

absl::Status NoTask(absl::string_view task) {
  return absl::NotFoundError(
      absl::StrCat("there is no task ", QuotedText(task), " in the cluster"));
}

// "edge_5_w/read" of a rendezvous key.
absl::string_view TensorNameOf(absl::string_view key) {
  const std::vector<absl::string_view> parts = absl::StrSplit(key, ';');
  return parts.size() == 5 ? parts[3] : key;
}

absl::StatusOr<PeerStatus> ReadStatus(const Payload& payload,
                                      absl::string_view task) {
  pb::GetStatusResponse response;
  if (!response.ParseFromString(payload.header)) {
    return absl::InvalidArgumentError("malformed GetStatusResponse");
  }
  PeerStatus status;
  status.is_leat = response.has_leat();
  for (const pb::DeviceAttributes& attributes : response.device_attributes()) {
    LEAT_ASSIGN_OR_RETURN(DeviceInfo device, ImportDevice(attributes));
    absl::string_view rest = device.name;
    if (!absl::ConsumePrefix(&rest, task) || !absl::StartsWith(rest, "/")) {
      return absl::InvalidArgumentError(
          absl::StrCat("device ", device.name, " is another task's"));
    }
    status.devices.push_back(std::move(device));
  }
  return status;
}

}  // namespace

// Calls `done` once, if need be in the destructor: whatever becomes of the
// call, a step must not wait for ever.
class Peers::Pull {
 public:
  Pull(std::shared_ptr<const Peer> peer, absl::string_view key,
       const Peers& peers, Allocator& allocator,
       std::shared_ptr<Cancellation> cancellation, Rendezvous::Done done)
      : peer_(std::move(peer)),
        key_(key),
        compute_(peers.compute_),
        decoders_(peers.decoders_),
        max_message_bytes_(peers.max_message_bytes_),
        allocator_(allocator),
        cancellation_(std::move(cancellation)),
        done_(std::move(done)) {}
  Pull(const Pull&) = delete;
  Pull& operator=(const Pull&) = delete;
  ~Pull() {
    if (done_ != nullptr) {
      Fail(AsDerived(absl::CancelledError("the call was dropped")));
    }
  }

  static void Receive(std::unique_ptr<Pull> pull,
                      absl::StatusOr<Payload> reply) {
    if (!reply.ok()) return pull->Fail(pull->CallError(reply.status()));
    const absl::StatusOr<bool> is_dead =
        DecodeRecvTensorResponse(reply->header);
    if (!is_dead.ok()) return pull->Fail(pull->ReplyError(is_dead.status()));
    if (*is_dead) return pull->Finish(absl::OkStatus(), Tensor(), true);
    const bool is_large =
        reply->pending != nullptr && reply->pending->bytes() > kMaxInlineBytes;
    WorkQueue& compute = pull->compute_;
    if (!is_large || compute.IsWorkerThread()) {
      return pull->Decode(*std::move(reply));
    }
    compute.Add(
        [pull = std::move(pull), payload = *std::move(reply)]() mutable {
          pull->Decode(std::move(payload));
        });
  }

 private:
  void Decode(Payload payload) {
    const absl::Status status =
        payload.Materialize(allocator_, decoders_, max_message_bytes_);
    if (!status.ok()) return Fail(ReplyError(status));
    if (payload.tensors.size() != 1 || !payload.tensors[0].tensor.IsValid()) {
      return Fail(ReplyError(absl::InvalidArgumentError(
          absl::StrCat(payload.tensors.size(), " tensors instead of one"))));
    }
    Finish(absl::OkStatus(), std::move(payload.tensors[0].tensor), false);
  }

  absl::Status CallError(const absl::Status& status) const {
    if (cancellation_ != nullptr && cancellation_->IsCancelled()) {
      return cancellation_->status();
    }
    if (!IsOfTheWay(status)) return AsDerived(status);
    const absl::Status error = WayError(status, peer_->task, peer_->address);
    // Nobody has failed who calls off.
    if (absl::IsCancelled(error)) return AsDerived(error);
    return WithMessage(error,
                       absl::StrCat(error.message(), " while receiving '",
                                    TensorNameOf(key_), "'"));
  }

  absl::Status ReplyError(const absl::Status& status) const {
    return WithMessage(
        status, absl::StrCat("task ", peer_->task, " answered RecvTensor of '",
                             key_, "' wrongly: ", status.message()));
  }

  void Fail(const absl::Status& status) { Finish(status, Tensor(), false); }

  void Finish(const absl::Status& status, Tensor tensor, bool is_dead) {
    std::move(std::exchange(done_, nullptr))(status, std::move(tensor),
                                             is_dead);
  }

  const std::shared_ptr<const Peer> peer_;
  const std::string key_;
  WorkQueue& compute_;
  const VariantDecoders* const decoders_;
  const int64_t max_message_bytes_;
  Allocator& allocator_;
  const std::shared_ptr<Cancellation> cancellation_;
  Rendezvous::Done done_;
};

Peers::Peers(const ClusterSpec& cluster, Transport& transport,
             WorkQueue& compute, const VariantDecoders* decoders,
             int64_t max_message_bytes)
    : transport_(transport),
      compute_(compute),
      decoders_(decoders),
      max_message_bytes_(max_message_bytes) {
  for (const auto& [job, tasks] : cluster.jobs()) {
    for (const auto& [index, address] : tasks) {
      const std::string name = TaskId{.job = job, .index = index}.ToString();
      peers_.emplace(name, std::make_shared<const Peer>(
                               Peer{.task = name, .address = address}));
    }
  }
}

std::shared_ptr<const Peers::Peer> Peers::Find(absl::string_view task) const {
  const auto found = peers_.find(task);
  return found == peers_.end() ? nullptr : found->second;
}

void Peers::Call(absl::string_view task, const Method& method, Payload request,
                 CallOptions options, Reply done) {
  std::shared_ptr<const Peer> peer = Find(task);
  if (peer == nullptr) return std::move(done)(NoTask(task));
  const std::string& address = peer->address;
  transport_.Call(
      address, method, std::move(request), std::move(options),
      [peer, done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
        if (!reply.ok() && IsOfTheWay(reply.status())) {
          reply = WayError(reply.status(), peer->task, peer->address);
        }
        std::move(done)(std::move(reply));
      });
}

void Peers::GetStatus(
    absl::string_view task, CallOptions options,
    absl::AnyInvocable<void(absl::StatusOr<PeerStatus>) &&> done) {
  std::shared_ptr<const Peer> peer = Find(task);
  if (peer == nullptr) return std::move(done)(NoTask(task));
  pb::GetStatusRequest message;
  message.mutable_leat()->set_version(kLeatPeerVersion);
  Payload request;
  request.header = message.SerializeAsString();
  Call(task, methods::kGetStatus, std::move(request), std::move(options),
       [peer, &transport = transport_,
        done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
         if (!reply.ok()) return std::move(done)(reply.status());
         absl::StatusOr<PeerStatus> status = ReadStatus(*reply, peer->task);
         if (!status.ok()) {
           return std::move(done)(WithMessage(
               status.status(), absl::StrCat("task ", peer->task,
                                             " answered GetStatus wrongly: ",
                                             status.status().message())));
         }
         if (status->is_leat) transport.WatchPeer(peer->address);
         std::move(done)(std::move(status));
       });
}

void Peers::RecvTensor(absl::string_view task, int64_t step_id,
                       absl::string_view key, Allocator& allocator,
                       std::shared_ptr<Cancellation> cancellation,
                       Rendezvous::Done done) {
  std::shared_ptr<const Peer> peer = Find(task);
  if (peer == nullptr) return std::move(done)(NoTask(task), Tensor(), false);
  const std::string& address = peer->address;
  CallOptions options;
  options.cancellation = cancellation;
  auto pull = std::make_unique<Pull>(peer, key, *this, allocator,
                                     std::move(cancellation), std::move(done));
  Payload request =
      EncodeRecvTensorRequest(step_id, key, static_cast<int64_t>(RandomId()));
  transport_.Call(
      address, methods::kRecvTensor, std::move(request), std::move(options),
      [pull = std::move(pull)](absl::StatusOr<Payload> reply) mutable {
        Pull::Receive(std::move(pull), std::move(reply));
      });
}

}  // namespace leat
