// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/tensor_receiver.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/random_id.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/exchange/chunked_receive.h"
#include "leat/distributed/exchange/open_recvs.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/wire/recv_buf.h"
#include "leat/kernels/collectives/collective_key.h"

namespace leat {

// A Call is owned by the callback of its current call to the peer. It calls the
// callbacks of the receive exactly once. If a call to the peer is dropped, the
// destructor calls the callbacks of the receive. Otherwise the step would wait
// for ever.
class TensorReceiver::Call {
 public:
  Call(const Settings& settings, Peers::PeerRef peer, TensorReceive receive)
      : settings_(settings),
        peer_(std::move(peer)),
        request_{.step_id = receive.step_id,
                 .keys = std::move(receive.keys),
                 .request_id = static_cast<int64_t>(RandomId())},
        keys_(request_.keys.all()),
        allocator_(std::move(receive.allocator)),
        cancellation_(std::move(receive.cancellation)),
        record_(std::move(receive.record)),
        waiting_(peer_->all_traffic().recvs(), request_.step_id, keys_),
        dones_(std::move(receive.dones)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (!dones_.empty()) {
      Fail(AsDerived(absl::CancelledError("the call was dropped")));
    }
  }

  // Asks an unknown peer for its kind before it asks for the buffer of a
  // collective: RecvBuf, which a task of TensorFlow needs, copies the buffer
  // several times.
  static void Start(std::unique_ptr<Call> call) {
    const Peers::PeerRef peer = call->peer_;
    if (!call->IsForBuffer() ||
        peer->traffic().kind() != PeerTraffic::Kind::kUnknown) {
      return AskForTensors(std::move(call));
    }
    CallOptions options = peer->StatusOptions();
    options.cancellation = call->cancellation_;
    peer->GetStatus(std::move(options),
                    [call = std::move(call)](
                        const absl::StatusOr<PeerStatus>& status) mutable {
                      // The peer runs another version of Leat.
                      if (absl::IsFailedPrecondition(status.status())) {
                        return call->Fail(status.status());
                      }
                      AskForTensors(std::move(call));
                    });
  }

 private:
  static void AskForTensors(std::unique_ptr<Call> call) {
    const Peers::PeerRef peer = call->peer_;
    call->ChooseForm();
    const Method& method = MethodOf(call->request_.form);
    Payload request = EncodeRecvRequest(call->request_);
    CallOptions options;
    options.cancellation = call->cancellation_;
    peer->Call(method, std::move(request), std::move(options),
               [call = std::move(call)](absl::StatusOr<Payload> reply) mutable {
                 Answer(std::move(call), std::move(reply));
               });
  }

  bool IsForBuffer() const { return IsBufferKey(keys_.front()); }

  // Chooses how the peer is asked, by what is known about it.
  void ChooseForm() {
    if (keys_.size() > 1) {
      request_.form = RecvForm::kList;
      return;
    }
    if (IsForBuffer() && peer_->traffic().kind() != PeerTraffic::Kind::kLeat) {
      request_.form = RecvForm::kBuffer;
      return;
    }
    const ChunkOptions& chunks = settings_.chunks;
    const int64_t chunk_bytes =
        std::min(chunks.chunk_bytes, peer_->max_chunk_bytes());
    if (chunk_bytes > 0) {
      request_.wish = {.inline_bytes = chunks.inline_bytes,
                       .chunk_bytes = chunk_bytes};
    }
  }

  // Handles the reply. Tensors that take a long time to decode are decoded on
  // the compute pool.
  static void Answer(std::unique_ptr<Call> call,
                     absl::StatusOr<Payload> reply) {
    if (!reply.ok()) return call->Fail(call->CallError(reply.status()));
    absl::StatusOr<RecvResponse> response =
        DecodeRecvResponse(call->request_.form, reply->header);
    if (!response.ok()) return call->Fail(call->ReplyError(response.status()));
    call->response_ = *std::move(response);
    if (call->IsAllDead()) return call->Give({});
    if (call->request_.form == RecvForm::kBuffer) {
      return ReceiveBuffer(std::move(call), *std::move(reply));
    }
    if (call->response_.transfer.has_value()) {
      return ReceiveChunks(std::move(call), *std::move(reply));
    }
    if (reply->pending != nullptr) {
      call->LearnOfChunks(reply->pending->bytes());
    }
    WorkQueue& compute = call->settings_.compute;
    if (reply->IsQuick() || compute.IsWorkerThread()) {
      return call->Decode(*std::move(reply));
    }
    compute.Add(
        [call = std::move(call), payload = *std::move(reply)]() mutable {
          call->Decode(std::move(payload));
        });
  }

  // Returns true if all tensors are dead. The tensors in the reply are then
  // ignored. (A task of TensorFlow sends an empty tensor for a dead one.)
  bool IsAllDead() const {
    const auto& is_dead = response_.is_dead;
    return is_dead.size() == keys_.size() &&
           std::find(is_dead.begin(), is_dead.end(), false) == is_dead.end();
  }

  // Decodes the buffer in `reply`.
  static void ReceiveBuffer(std::unique_ptr<Call> call, Payload reply) {
    WorkQueue& compute = call->settings_.compute;
    const auto bytes = static_cast<int64_t>(reply.header.size());
    if (bytes <= kMaxInlineBytes || compute.IsWorkerThread()) {
      return call->GiveBuffer(reply.header);
    }
    compute.Add([call = std::move(call), reply = std::move(reply)]() mutable {
      call->GiveBuffer(reply.header);
    });
  }

  void GiveBuffer(const std::string& response) {
    absl::StatusOr<Tensor> buffer = DecodeRecvBufResponse(
        response, *allocator_, settings_.max_message_bytes);
    if (!buffer.ok()) return Fail(ReplyError(buffer.status()));
    GiveWhole(std::move(buffer));
  }

  // Receives the tensor whose first chunk is in `first`.
  static void ReceiveChunks(std::unique_ptr<Call> owned, Payload first) {
    const absl::Status status = owned->CheckTransfer();
    if (!status.ok()) return owned->Fail(owned->ReplyError(status));
    const std::shared_ptr<Call> call = std::move(owned);
    ChunkedReceive::Options options;
    options.transfer = *call->response_.transfer;
    options.step_id = call->request_.step_id;
    options.in_flight = call->settings_.chunks.in_flight;
    options.allocator = call->allocator_.get();
    options.compute = &call->settings_.compute;
    options.fetch = [call](Payload request, Reply reply) {
      FetchChunk(call, std::move(request), std::move(reply));
    };
    options.explain = [call](const absl::Status& why) {
      return call->ReplyError(why);
    };
    ChunkedReceive::Start(std::move(options), std::move(first),
                          [call](absl::StatusOr<Tensor> tensor) {
                            call->GiveWhole(std::move(tensor));
                          });
  }

  void GiveWhole(absl::StatusOr<Tensor> tensor) {
    if (!tensor.ok()) return Fail(tensor.status());
    WireTensors tensors(1);
    tensors[0].tensor = *std::move(tensor);
    Give(std::move(tensors));
  }

  absl::Status CheckTransfer() const {
    const Transfer& transfer = *response_.transfer;
    const ChunkWish& wish = request_.wish;
    if (wish.chunk_bytes == 0) {
      return absl::InvalidArgumentError(
          "it sent a transfer, which was not asked for");
    }
    if (transfer.chunk_bytes > std::max(wish.chunk_bytes, kMinChunkBytes)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it sent a transfer in chunks of ", transfer.chunk_bytes,
          " bytes, but chunks of ", wish.chunk_bytes, " bytes were asked for"));
    }
    const int64_t max_bytes = settings_.max_message_bytes;
    if (transfer.total_bytes <= max_bytes) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "a transfer of ", transfer.total_bytes, " bytes is above the limit of ",
        max_bytes, " (--max-message-bytes)"));
  }

  static void FetchChunk(const std::shared_ptr<Call>& call, Payload request,
                         Reply done) {
    CallOptions options;
    options.cancellation = call->cancellation_;
    call->peer_->Call(
        methods::kFetchChunk, std::move(request), std::move(options),
        [call, done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
          if (!reply.ok()) reply = call->ChunkError(reply.status());
          std::move(done)(std::move(reply));
        });
  }

  // Calls Peer::Meet if a tensor of `bytes` is large enough for chunks, so that
  // the next such tensor can come in chunks. REQUIRES: called on a thread of
  // the transport.
  void LearnOfChunks(int64_t bytes) {
    const ChunkOptions& chunks = settings_.chunks;
    if (request_.form == RecvForm::kOne && bytes > chunks.inline_bytes &&
        chunks.chunk_bytes > 0) {
      peer_->Meet();
    }
  }

  void Decode(Payload payload) {
    absl::Status status = payload.Materialize(*allocator_, settings_.decoders,
                                              settings_.max_message_bytes);
    if (status.ok()) status = CheckTensors(payload.tensors);
    if (!status.ok()) return Fail(ReplyError(status));
    Give(std::move(payload.tensors));
  }

  // Returns INVALID_ARGUMENT unless there is exactly one tensor for each key.
  absl::Status CheckTensors(const WireTensors& tensors) const {
    if (request_.form == RecvForm::kOne) {
      if (tensors.size() == 1 && tensors[0].tensor.IsValid()) {
        return absl::OkStatus();
      }
      return absl::InvalidArgumentError(
          absl::StrCat("it sent ", tensors.size(), " tensors instead of one"));
    }
    const auto& is_dead = response_.is_dead;
    if (tensors.size() != keys_.size() || is_dead.size() != keys_.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it sent ", tensors.size(), " tensors and said of ", is_dead.size(),
          " whether they are dead, instead of ", keys_.size(), " each"));
    }
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (is_dead[i] || tensors[i].tensor.IsValid()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("it sent no tensor for '", keys_[i].text(), "'"));
    }
    return absl::OkStatus();
  }

  // Returns the names of the tensors for messages, such as "'edge_5_w/read' and
  // 3 more".
  std::string What() const {
    std::string what = absl::StrCat("'", keys_.front().tensor_name(), "'");
    if (request_.form == RecvForm::kList) {
      absl::StrAppend(&what, " and ", keys_.size() - 1, " more");
    }
    return what;
  }

  // Returns the error of the receive after a call has failed with `status`, an
  // error of the peer or the transport.
  absl::Status CallError(const absl::Status& status) const {
    if (cancellation_ != nullptr && cancellation_->IsCancelled()) {
      return cancellation_->status();
    }
    if (!IsTransportError(status)) return AsDerived(status);
    const absl::Status error = peer_->NameTransportError(status);
    // CANCELLED means that this task has cancelled the call. No task has
    // failed.
    if (absl::IsCancelled(error)) return AsDerived(error);
    return WithMessage(
        error, absl::StrCat(error.message(), " while receiving ", What()));
  }

  absl::Status ChunkError(const absl::Status& status) const {
    if (!absl::IsNotFound(status) || IsTransportError(status)) {
      return CallError(status);
    }
    // The peer itself began the transfer. If the peer does not know the
    // transfer any more, the step has ended or the peer was restarted.
    return AsDerived(absl::AbortedError(
        absl::StrCat("task ", peer_->task(), " has forgotten ", What(),
                     " while it was fetched: ", status.message())));
  }

  // Returns the error of a reply that cannot be used. INVALID_ARGUMENT means
  // that the peer is at fault. Other errors have other causes. For example,
  // this task may have no memory for the tensors.
  absl::Status ReplyError(const absl::Status& status) const {
    const std::string& task = peer_->task();
    if (!absl::IsInvalidArgument(status)) {
      return WithMessage(
          status, absl::StrCat(status.message(), ", while receiving ", What(),
                               " from task ", task));
    }
    const bool is_one = request_.form != RecvForm::kList;
    return WithMessage(
        status,
        absl::StrCat(
            "task ", task, " answered ", NameOf(request_.form), " of ",
            is_one ? absl::StrCat("'", keys_.front().text(), "'") : What(),
            " wrongly: ", status.message()));
  }

  // Ends the receive with its tensors. `received` may be empty if all tensors
  // are dead.
  void Give(WireTensors received) {
    SentTensors tensors(keys_.size());
    for (size_t i = 0; i < keys_.size(); ++i) {
      tensors[i].is_dead = response_.is_dead[i];
      if (tensors[i].is_dead) continue;
      tensors[i].tensor = std::move(received[i].tensor);
    }
    RecvDones dones = End();
    if (record_ != nullptr) {
      std::move(record_)(keys_, tensors, response_.send_start_us);
    }
    for (size_t i = 0; i < dones.size(); ++i) {
      std::move(dones[i])(absl::OkStatus(), std::move(tensors[i].tensor),
                          tensors[i].is_dead);
    }
  }

  void Fail(const absl::Status& status) {
    for (Rendezvous::Done& done : End()) {
      std::move(done)(status, Tensor(), false);
    }
  }

  // Removes the receive from the list of waiting Recvs. Returns the callbacks,
  // which the caller must call.
  RecvDones End() {
    waiting_.Close();
    RecvDones dones;
    dones.swap(dones_);
    return dones;
  }

  const Settings settings_;
  const Peers::PeerRef peer_;
  RecvRequest request_;
  const absl::Span<const ParsedKey> keys_;  // of the request
  const std::shared_ptr<Allocator> allocator_;
  const std::shared_ptr<Cancellation> cancellation_;
  TensorReceive::Record record_;
  OpenRecvs::Entry waiting_;
  RecvResponse response_;
  RecvDones dones_;  // empty after End
};

void TensorReceiver::Receive(absl::string_view task,
                             TensorReceive receive) const {
  absl::StatusOr<Peers::PeerRef> peer = peers_.Find(task);
  if (!peer.ok()) {
    for (Rendezvous::Done& done : receive.dones) {
      std::move(done)(peer.status(), Tensor(), false);
    }
    return;
  }
  Call::Start(
      std::make_unique<Call>(settings_, *std::move(peer), std::move(receive)));
}

}  // namespace leat
