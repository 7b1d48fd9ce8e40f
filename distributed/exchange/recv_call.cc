// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/recv_call.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/wire/recv_tensor.h"

namespace leat {
namespace {

// A call that waits for tensors. It replies once, with whichever comes first:
// the tensors, an error, or the cancellation by the caller. Callbacks in the
// rendezvous keep it alive, so it holds little once it has replied.
class RecvCall {
 public:
  // REQUIRES: `keys` is not empty, and all keys have the same receiver.
  RecvCall(int64_t step_id, std::vector<std::string> keys,
           int64_t received_bytes, std::shared_ptr<Traffic> traffic,
           std::shared_ptr<CallContext> context, Reply reply)
      : keys_(std::move(keys)),
        received_bytes_(received_bytes),
        traffic_(std::move(traffic)),
        caller_(traffic_->Of(ReceiverOf(keys_.front()))),
        context_(std::move(context)),
        reply_(std::move(reply)) {
    for (const std::string& key : keys_) {
      waiting_.emplace_back(traffic_->recvs(), step_id, key);
    }
  }

  const std::vector<std::string>& keys() const { return keys_; }
  PeerTraffic& caller() { return caller_; }

  // Makes the caller's cancellation end the call. Returns false, after a reply,
  // if the caller is gone already.
  static bool Watch(const std::shared_ptr<RecvCall>& call,
                    CallContext& context) {
    Cancellation::Token token = 0;
    const bool watched = context.cancellation.Register(
        [weak = std::weak_ptr<RecvCall>(call),
         key = QuotedText(call->keys_.front())](const absl::Status& why) {
          if (auto cancelled = weak.lock()) {
            cancelled->Finish(AsDerived(absl::CancelledError(absl::StrCat(
                "RecvTensor of ", key,
                " was cancelled by its caller: ", why.message()))));
          }
        },
        &token);
    if (!watched) {
      call->Finish(AsDerived(
          absl::CancelledError("RecvTensor was cancelled by its caller")));
      return false;
    }
    MutexLock lock(call->mutex_);
    call->token_ = token;
    return true;
  }

  bool HasReplied() {
    MutexLock lock(mutex_);
    return replied_;
  }

  // Keeps the tensor of one of several keys. Returns all tensors when this is
  // the last one.
  std::optional<std::vector<SentTensor>> Gather(size_t index, SentTensor sent) {
    MutexLock lock(mutex_);
    if (replied_) return std::nullopt;
    gathered_.resize(keys_.size());
    gathered_[index] = std::move(sent);
    if (++num_gathered_ < keys_.size()) return std::nullopt;
    return std::move(gathered_);
  }

  // Replies, and returns true, unless it has replied before.
  bool Finish(absl::StatusOr<Payload> response) {
    Reply reply = nullptr;
    std::shared_ptr<CallContext> context;
    std::vector<SentTensor> unsent;
    Cancellation::Token token = kNoToken;
    {
      MutexLock lock(mutex_);
      if (replied_) return false;
      replied_ = true;
      unsent.swap(gathered_);
      std::swap(reply, reply_);
      context.swap(context_);
      token = token_;
    }
    // Without a token either the cancellation itself calls this, or it will
    // never call.
    if (token != kNoToken) context->cancellation.Deregister(token);
    waiting_.clear();
    caller_.CountServed(received_bytes_,
                        response.ok() ? MessageBytes(*response) : 0);
    std::move(reply)(std::move(response));
    return true;
  }

 private:
  static constexpr Cancellation::Token kNoToken = -1;

  const std::vector<std::string> keys_;
  const int64_t received_bytes_;
  const std::shared_ptr<Traffic> traffic_;
  PeerTraffic& caller_;
  std::deque<OpenRecvs::Entry> waiting_;
  Mutex mutex_;
  bool replied_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<SentTensor> gathered_ ABSL_GUARDED_BY(mutex_);  // by key
  size_t num_gathered_ ABSL_GUARDED_BY(mutex_) = 0;
  Cancellation::Token token_ ABSL_GUARDED_BY(mutex_) = kNoToken;
  std::shared_ptr<CallContext> context_ ABSL_GUARDED_BY(mutex_);
  Reply reply_ ABSL_GUARDED_BY(mutex_);
};

// No header of a FetchChunkRequest comes near this size.
constexpr size_t kMaxChunkRequestBytes = 1024;

// Replies with the tensor, or with the beginning of its transfer.
void FinishWithTensor(RecvCall& call, Transfers& transfers,
                      const ChunkWish& wish, Tensor tensor) {
  absl::StatusOr<std::optional<Transfer>> begun =
      transfers.Begin(tensor, wish, &call.caller());
  if (!begun.ok()) {
    call.Finish(begun.status());
    return;
  }
  if (!begun->has_value()) {
    call.Finish(EncodeRecvTensorResponse(std::move(tensor), false));
    return;
  }
  const Transfer& transfer = **begun;
  absl::StatusOr<Tensor> chunk =
      transfers.Take(transfer.id, 0, transfer.LengthOf(0));
  const bool is_wanted =
      chunk.ok()
          ? call.Finish(EncodeTransferResponse(transfer, *std::move(chunk)))
          : call.Finish(chunk.status());
  if (!is_wanted) transfers.Forget(transfer.id);
}

}  // namespace

void ReceiveForPeer(RemoteRendezvous& rendezvous, RecvTensorRequest request,
                    int64_t received_bytes, std::shared_ptr<Traffic> traffic,
                    std::shared_ptr<CallContext> context, Reply reply) {
  const auto call = std::make_shared<RecvCall>(
      request.step_id, std::vector<std::string>{std::move(request.key)},
      received_bytes, std::move(traffic), context, std::move(reply));
  if (!RecvCall::Watch(call, *context)) return;
  rendezvous.RecvForPeer(
      call->keys().front(),
      [call, transfers = rendezvous.transfers(), wish = request.wish,
       &compute = rendezvous.compute()](const absl::Status& status,
                                        Tensor tensor, bool is_dead) {
        if (!status.ok()) {
          call->Finish(status);
        } else if (is_dead) {
          call->Finish(EncodeRecvTensorResponse(std::move(tensor), true));
        } else if (IsPlainBytes(tensor.dtype()) || compute.IsWorkerThread()) {
          FinishWithTensor(*call, *transfers, wish, std::move(tensor));
        } else {
          // The transport encodes such a tensor element by element while it
          // sends the reply, which takes too long for the thread that produced
          // it.
          compute.Add([call, transfers, wish, tensor = std::move(tensor)] {
            FinishWithTensor(*call, *transfers, wish, tensor);
          });
        }
      });
}

void ReceiveBundleForPeer(RemoteRendezvous& rendezvous,
                          RecvTensorsRequest request, int64_t received_bytes,
                          std::shared_ptr<Traffic> traffic,
                          std::shared_ptr<CallContext> context, Reply reply) {
  const auto call = std::make_shared<RecvCall>(
      request.step_id, std::move(request.keys), received_bytes,
      std::move(traffic), context, std::move(reply));
  if (!RecvCall::Watch(call, *context)) return;
  for (size_t i = 0; i < call->keys().size() && !call->HasReplied(); ++i) {
    rendezvous.RecvForPeer(
        call->keys()[i],
        [call, i](const absl::Status& status, Tensor tensor, bool is_dead) {
          if (!status.ok()) {
            call->Finish(status);
          } else if (auto all = call->Gather(i, {std::move(tensor), is_dead});
                     all.has_value()) {
            call->Finish(EncodeRecvTensorsResponse(*std::move(all)));
          }
        });
  }
}

absl::StatusOr<Payload> ChunkForPeer(const StepTable& steps,
                                     absl::string_view header) {
  if (header.size() > kMaxChunkRequestBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("FetchChunkRequest has ", header.size(),
                     " bytes, more than ", kMaxChunkRequestBytes));
  }
  LEAT_ASSIGN_OR_RETURN(const FetchChunkRequest request,
                        DecodeFetchChunkRequest(header));
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<RemoteRendezvous> rendezvous,
                        steps.Find(request.step_id));
  LEAT_ASSIGN_OR_RETURN(
      Tensor chunk, rendezvous->transfers()->Take(request.id, request.offset,
                                                  request.length));
  return EncodeFetchChunkResponse(std::move(chunk));
}

}  // namespace leat
