// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/peers.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "leat/core/quoted_text.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/exchange/chunked_receive.h"
#include "leat/distributed/exchange/open_recvs.h"
#include "leat/distributed/requests/parse_message.h"
#include "leat/distributed/shown_ids.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/protos/status.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// How long a peer that is met has to answer GetStatus.
constexpr auto kStatusTimeout = std::chrono::seconds(10);

bool IsOfTheWay(const absl::Status& status) {
  return status.GetPayload(kTransportErrorPayload).has_value();
}

// Returns a transport error as one that names the task and its address and does
// not have the mark of transport errors.
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

absl::StatusOr<PeerStatus> ParseStatus(const Payload& payload,
                                       absl::string_view task) {
  LEAT_RETURN_IF_ERROR(CheckInlineHeader("GetStatusResponse", payload.header));
  pb::GetStatusResponse response;
  if (!response.ParseFromString(payload.header)) {
    return absl::InvalidArgumentError("malformed GetStatusResponse");
  }
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
      return absl::InvalidArgumentError(
          absl::StrCat("device ", device.name, " is another task's"));
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

absl::string_view TensorNameOf(absl::string_view key) {
  const std::vector<absl::string_view> parts = absl::StrSplit(key, ';');
  return parts.size() == 5 ? parts[3] : key;
}

// Receives one tensor. Calls `done` exactly once, if need be in the destructor:
// whatever becomes of the calls, a step must not wait for ever.
class Peers::Pull {
 public:
  Pull(PeerRef peer, int64_t step_id, absl::string_view key, const Peers& peers,
       Allocator& allocator, std::shared_ptr<Cancellation> cancellation,
       Rendezvous::Done done, int64_t* send_start_us)
      : peer_(std::move(peer)),
        step_id_(step_id),
        key_(key),
        waiting_(peer_->all_traffic->recvs(), step_id_, key_),
        wish_(peers.WishOf(*peer_)),
        chunks_(peers.chunks_),
        transport_(peers.transport_),
        compute_(peers.compute_),
        decoders_(peers.decoders_),
        max_message_bytes_(peers.max_message_bytes_),
        allocator_(allocator),
        cancellation_(std::move(cancellation)),
        done_(std::move(done)),
        send_start_us_(send_start_us) {}
  Pull(const Pull&) = delete;
  Pull& operator=(const Pull&) = delete;
  ~Pull() {
    if (done_ != nullptr) {
      Fail(AsDerived(absl::CancelledError("the call was dropped")));
    }
  }

  Payload Request() const {
    return EncodeRecvTensorRequest(step_id_, key_,
                                   static_cast<int64_t>(RandomId()), wish_);
  }

  static void Receive(std::unique_ptr<Pull> pull,
                      absl::StatusOr<Payload> reply) {
    if (!reply.ok()) return pull->Fail(pull->CallError(reply.status()));
    absl::Status status =
        CheckInlineHeader("RecvTensorResponse", reply->header);
    if (!status.ok()) return pull->Fail(pull->ReplyError(status));
    const absl::StatusOr<RecvTensorResponse> response =
        DecodeRecvTensorResponse(reply->header);
    if (!response.ok()) return pull->Fail(pull->ReplyError(response.status()));
    if (pull->send_start_us_ != nullptr) {
      *pull->send_start_us_ = response->send_start_us;
    }
    if (response->is_dead) {
      return pull->Finish(absl::OkStatus(), Tensor(), true);
    }
    if (response->transfer.has_value()) {
      return ReceiveChunks(std::move(pull), *response->transfer,
                           *std::move(reply));
    }
    if (reply->pending != nullptr) {
      pull->LearnOfChunks(reply->pending->bytes());
    }
    WorkQueue& compute = pull->compute_;
    DecodeOn(compute, *std::move(reply),
             [pull = std::move(pull)](Payload payload) mutable {
               pull->Decode(std::move(payload));
             });
  }

 private:
  static void ReceiveChunks(std::unique_ptr<Pull> owned,
                            const Transfer& transfer, Payload first) {
    const absl::Status status = owned->CheckTransfer(transfer);
    if (!status.ok()) return owned->Fail(owned->ReplyError(status));
    const std::shared_ptr<Pull> pull = std::move(owned);
    ChunkedReceive::Options options;
    options.transfer = transfer;
    options.step_id = pull->step_id_;
    options.in_flight = pull->chunks_.in_flight;
    options.allocator = &pull->allocator_;
    options.compute = &pull->compute_;
    options.fetch = [pull](Payload request, Reply reply) {
      FetchChunk(pull, std::move(request), std::move(reply));
    };
    options.explain = [pull](const absl::Status& why) {
      return pull->ReplyError(why);
    };
    ChunkedReceive::Start(std::move(options), std::move(first),
                          [pull](absl::StatusOr<Tensor> tensor) {
                            pull->FinishWith(std::move(tensor));
                          });
  }

  absl::Status CheckTransfer(const Transfer& transfer) const {
    if (wish_.chunk_bytes == 0) {
      return absl::InvalidArgumentError("with a transfer; nobody wished one");
    }
    if (transfer.chunk_bytes > std::max(wish_.chunk_bytes, kMinChunkBytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("with a transfer in chunks of ", transfer.chunk_bytes,
                       " bytes; ", wish_.chunk_bytes, " were wished"));
    }
    if (transfer.total_bytes <= max_message_bytes_) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "a transfer of ", transfer.total_bytes, " bytes is above the limit of ",
        max_message_bytes_, " (--max-message-bytes)"));
  }

  static void FetchChunk(const std::shared_ptr<Pull>& pull, Payload request,
                         Reply done) {
    CallOptions options;
    options.cancellation = pull->cancellation_;
    CallPeer(
        pull->transport_, pull->peer_, methods::kFetchChunk, std::move(request),
        std::move(options),
        [pull, done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
          if (!reply.ok()) reply = pull->ChunkError(reply.status());
          std::move(done)(std::move(reply));
        });
  }

  // Meets the peer if the next tensor of this size could come in chunks.
  // REQUIRES: on a thread of the transport.
  void LearnOfChunks(int64_t bytes) {
    if (bytes > chunks_.inline_bytes && chunks_.chunk_bytes > 0) {
      MeetPeer(transport_, peer_);
    }
  }

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
    return ReceiveError(*peer_, absl::StrCat("'", TensorNameOf(key_), "'"),
                        cancellation_.get(), status);
  }

  absl::Status ChunkError(const absl::Status& status) const {
    if (!absl::IsNotFound(status) || IsOfTheWay(status)) {
      return CallError(status);
    }
    // The peer itself began the transfer. That it does not know it any more
    // means that the step, or the peer's process, is over.
    return AsDerived(absl::AbortedError(absl::StrCat(
        "task ", peer_->task, " has forgotten '", TensorNameOf(key_),
        "' while it was fetched: ", status.message())));
  }

  absl::Status ReplyError(const absl::Status& status) const {
    return WithMessage(
        status, absl::StrCat("task ", peer_->task, " answered RecvTensor of '",
                             key_, "' wrongly: ", status.message()));
  }

  void FinishWith(absl::StatusOr<Tensor> tensor) {
    if (!tensor.ok()) return Fail(tensor.status());
    Finish(absl::OkStatus(), *std::move(tensor), false);
  }

  void Fail(const absl::Status& status) { Finish(status, Tensor(), false); }

  void Finish(const absl::Status& status, Tensor tensor, bool is_dead) {
    waiting_.Close();
    std::move(std::exchange(done_, nullptr))(status, std::move(tensor),
                                             is_dead);
  }

  const PeerRef peer_;
  const int64_t step_id_;
  const std::string key_;
  OpenRecvs::Entry waiting_;
  const ChunkWish wish_;
  const ChunkOptions chunks_;
  Transport& transport_;
  WorkQueue& compute_;
  const VariantDecoders* const decoders_;
  const int64_t max_message_bytes_;
  Allocator& allocator_;
  const std::shared_ptr<Cancellation> cancellation_;
  Rendezvous::Done done_;
  int64_t* const send_start_us_;  // may be null
};

absl::Status CheckPeerVersion(absl::string_view peer, int64_t version,
                              absl::string_view own) {
  if (version == kLeatPeerVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      peer, " speaks version ", version, " of Leat's protocol between tasks, ",
      own, " version ", kLeatPeerVersion, ": run the same Leat on both"));
}

Peers::Peers(const ClusterSpec& cluster, Transport& transport,
             WorkQueue& compute, const VariantDecoders* decoders,
             int64_t max_message_bytes, const ChunkOptions& chunks)
    : transport_(transport),
      compute_(compute),
      decoders_(decoders),
      max_message_bytes_(max_message_bytes),
      chunks_(chunks),
      traffic_(std::make_shared<Traffic>(cluster)) {
  for (const auto& [job, tasks] : cluster.jobs()) {
    for (const auto& [index, address] : tasks) {
      const std::string name = TaskId{.job = job, .index = index}.ToString();
      peers_.emplace(name, std::make_shared<Peer>(name, address, traffic_));
    }
  }
}

Peers::PeerRef Peers::Find(absl::string_view task) const {
  const auto found = peers_.find(task);
  return found == peers_.end() ? nullptr : found->second;
}

absl::Status Peers::NoTaskError(absl::string_view task) {
  return absl::NotFoundError(
      absl::StrCat("there is no task ", QuotedText(task), " in the cluster"));
}

absl::Status Peers::ReceiveError(const Peer& peer, absl::string_view what,
                                 const Cancellation* cancellation,
                                 const absl::Status& status) {
  if (cancellation != nullptr && cancellation->IsCancelled()) {
    return cancellation->status();
  }
  if (!IsOfTheWay(status)) return AsDerived(status);
  const absl::Status error = WayError(status, peer.task, peer.address);
  // A task that cancels its call has not failed.
  if (absl::IsCancelled(error)) return AsDerived(error);
  return WithMessage(error,
                     absl::StrCat(error.message(), " while receiving ", what));
}

void Peers::DecodeOn(WorkQueue& compute, Payload payload,
                     absl::AnyInvocable<void(Payload) &&> decode) {
  if (payload.IsQuick() || compute.IsWorkerThread()) {
    return std::move(decode)(std::move(payload));
  }
  compute.Add(
      [decode = std::move(decode), payload = std::move(payload)]() mutable {
        std::move(decode)(std::move(payload));
      });
}

ChunkWish Peers::WishOf(const Peer& peer) const {
  const int64_t chunk_bytes =
      std::min(chunks_.chunk_bytes,
               peer.max_chunk_bytes.load(std::memory_order_relaxed));
  if (chunk_bytes == 0) return {};
  return {.inline_bytes = chunks_.inline_bytes, .chunk_bytes = chunk_bytes};
}

void Peers::Call(absl::string_view task, const Method& method, Payload request,
                 CallOptions options, Reply done) {
  const PeerRef peer = Find(task);
  if (peer == nullptr) return std::move(done)(NoTaskError(task));
  CallPeer(transport_, peer, method, std::move(request), std::move(options),
           WithWayErrors(peer, std::move(done)));
}

void Peers::CallPeer(Transport& transport, const PeerRef& peer,
                     const Method& method, Payload request, CallOptions options,
                     Reply done) {
  peer->traffic.CountCall(request);
  transport.Call(
      peer->address, method, std::move(request), std::move(options),
      [peer, done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
        peer->traffic.CountReply(reply);
        std::move(done)(std::move(reply));
      });
}

Reply Peers::WithWayErrors(const PeerRef& peer, Reply done) {
  return [peer, done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
    if (!reply.ok() && IsOfTheWay(reply.status())) {
      reply = WayError(reply.status(), peer->task, peer->address);
    }
    std::move(done)(std::move(reply));
  };
}

void Peers::GetStatus(absl::string_view task, CallOptions options,
                      StatusDone done) {
  const PeerRef peer = Find(task);
  if (peer == nullptr) return std::move(done)(NoTaskError(task));
  AskForStatus(transport_, peer, std::move(options), std::move(done));
}

void Peers::Meet(absl::string_view task) {
  const PeerRef peer = Find(task);
  if (peer != nullptr) MeetPeer(transport_, peer);
}

void Peers::MeetPeer(Transport& transport, const PeerRef& peer) {
  if (peer->was_asked.exchange(true)) return;
  CallOptions options;
  options.deadline = DeadlineAfter(kStatusTimeout);
  // The answer is kept in the peer's entry. Without one nothing changes.
  AskForStatus(transport, peer, std::move(options),
               [](const absl::StatusOr<PeerStatus>&) {});
}

void Peers::AskForStatus(Transport& transport, const PeerRef& peer,
                         CallOptions options, StatusDone done) {
  peer->was_asked = true;
  pb::GetStatusRequest message;
  message.mutable_leat()->set_version(kLeatPeerVersion);
  Payload request;
  request.header = message.SerializeAsString();
  auto read = [peer, &transport,
               done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
    absl::StatusOr<PeerStatus> status = ReadStatus(reply, peer->task);
    peer->was_asked = status.ok();
    if (status.ok()) {
      peer->max_chunk_bytes = status->max_chunk_bytes;
      peer->traffic.SetKind(status->is_leat ? PeerTraffic::Kind::kLeat
                                            : PeerTraffic::Kind::kTensorFlow);
      transport.WatchPeer(peer->address, status->is_leat);
    }
    std::move(done)(std::move(status));
  };
  CallPeer(transport, peer, methods::kGetStatus, std::move(request),
           std::move(options), WithWayErrors(peer, std::move(read)));
}

void Peers::RecvTensor(absl::string_view task, int64_t step_id,
                       absl::string_view key, Allocator& allocator,
                       std::shared_ptr<Cancellation> cancellation,
                       Rendezvous::Done done, int64_t* send_start_us) {
  const PeerRef peer = Find(task);
  if (peer == nullptr) {
    return std::move(done)(NoTaskError(task), Tensor(), false);
  }
  CallOptions options;
  options.cancellation = cancellation;
  auto pull = std::make_unique<Pull>(peer, step_id, key, *this, allocator,
                                     std::move(cancellation), std::move(done),
                                     send_start_us);
  Payload request = pull->Request();
  CallPeer(transport_, peer, methods::kRecvTensor, std::move(request),
           std::move(options),
           [pull = std::move(pull)](absl::StatusOr<Payload> reply) mutable {
             Pull::Receive(std::move(pull), std::move(reply));
           });
}

void Peers::Report(absl::string_view own, const StatusListing& listing,
                   pb::TaskStatusResponse& status) const {
  const auto add = [&status](absl::string_view task, absl::string_view address,
                             const PeerTraffic& traffic) {
    const PeerTraffic::Totals totals = traffic.totals();
    pb::PeerTrafficStatus& peer = *status.add_peers();
    peer.set_task(std::string(task));
    peer.set_address(std::string(address));
    peer.set_kind(static_cast<pb::PeerTrafficStatus::Kind>(
        static_cast<int>(totals.kind)));
    peer.set_state(static_cast<pb::PeerTrafficStatus::State>(
        static_cast<int>(totals.state)));
    peer.set_error(ShownText(totals.error, totals.error.size()));
    peer.set_calls(totals.calls);
    peer.set_calls_under_way(totals.calls_under_way);
    peer.set_calls_served(totals.calls_served);
    peer.set_bytes_sent(totals.bytes_sent);
    peer.set_bytes_received(totals.bytes_received);
    peer.set_heard_us(totals.heard.has_value() ? ToMicros(*totals.heard) : -1);
  };
  int64_t count = 0;
  for (const auto& [task, peer] : peers_) {
    if (task == own) continue;
    ++count;
    if (static_cast<size_t>(status.peers_size()) < listing.max_peers) {
      add(task, peer->address, peer->traffic);
    }
  }
  // The tasks that are not in the cluster. They only call; nobody calls them.
  const PeerTraffic& others = traffic_->Of("");
  if (others.totals().calls_served > 0) {
    ++count;
    add("", "", others);
  }
  status.set_num_peers(count);
}

}  // namespace leat
