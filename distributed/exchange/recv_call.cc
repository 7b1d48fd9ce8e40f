// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/recv_call.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/cluster/device_task.h"
#include "leat/distributed/exchange/open_recvs.h"

namespace leat {
namespace {

// A call that waits for tensors. It replies once, with whichever comes first:
// the tensors, an error, or the cancellation by the caller. Callbacks in the
// outbox keep it alive, so it holds little once it has replied.
class RecvCall : public std::enable_shared_from_this<RecvCall> {
 public:
  RecvCall(const StepOutbox& outbox, RecvRequest request,
           int64_t received_bytes, std::shared_ptr<Traffic> traffic,
           std::shared_ptr<CallContext> context, Reply reply)
      : request_(std::move(request)),
        keys_(request_.keys.all()),
        received_bytes_(received_bytes),
        traffic_(std::move(traffic)),
        caller_(traffic_->Of(TaskOfDevice(keys_.front().recv_device()))),
        waiting_(traffic_->recvs(), request_.step_id, keys_),
        transfers_(outbox.transfers()),
        compute_(outbox.compute()),
        gathered_(keys_.size()),
        context_(std::move(context)),
        reply_(std::move(reply)) {}

  // Asks the outbox for the tensors, unless the caller is gone already.
  void Start(StepOutbox& outbox, CallContext& context) {
    if (!Watch(context)) return;
    for (size_t i = 0; i < keys_.size() && !HasReplied(); ++i) {
      outbox.RecvForPeer(keys_[i], [self = shared_from_this(), i](
                                       const absl::Status& status,
                                       Tensor tensor, bool is_dead) {
        if (!status.ok()) {
          self->Finish(status);
        } else if (SentTensors all =
                       self->Gather(i, {std::move(tensor), is_dead});
                   !all.empty()) {
          self->Answer(std::move(all));
        }
      });
    }
  }

 private:
  static constexpr Cancellation::Token kNoToken = -1;

  // Makes the caller's cancellation end the call. Returns false, after a reply,
  // if the caller is gone already.
  bool Watch(CallContext& context) {
    Cancellation::Token token = 0;
    const bool watched = context.cancellation.Register(
        [weak = weak_from_this(),
         key = QuotedText(keys_.front().text())](const absl::Status& why) {
          if (auto cancelled = weak.lock()) {
            cancelled->Finish(AsDerived(absl::CancelledError(absl::StrCat(
                "RecvTensor of ", key,
                " was cancelled by its caller: ", why.message()))));
          }
        },
        &token);
    if (!watched) {
      Finish(AsDerived(
          absl::CancelledError("RecvTensor was cancelled by its caller")));
      return false;
    }
    MutexLock lock(mutex_);
    token_ = token;
    return true;
  }

  bool HasReplied() {
    MutexLock lock(mutex_);
    return replied_;
  }

  // Keeps the tensor of a key. Returns all tensors if it is the last one of a
  // call that has not replied, and none otherwise.
  SentTensors Gather(size_t index, SentTensor sent) {
    SentTensors all;
    MutexLock lock(mutex_);
    if (replied_) return all;
    gathered_[index] = std::move(sent);
    if (++num_gathered_ == keys_.size()) all.swap(gathered_);
    return all;
  }

  // Replies with the tensors.
  void Answer(SentTensors tensors) {
    const SentTensor& first = tensors.front();
    if (request_.form == RecvForm::kList || first.is_dead) {
      Finish(EncodeRecvResponse(request_.form, std::move(tensors)));
    } else if (IsPlainBytes(first.tensor.dtype()) ||
               compute_.IsWorkerThread()) {
      AnswerWithOne(std::move(tensors));
    } else {
      // The transport encodes such a tensor element by element while it sends
      // the reply, which takes too long for the thread that produced it.
      compute_.Add(
          [self = shared_from_this(), tensors = std::move(tensors)]() mutable {
            self->AnswerWithOne(std::move(tensors));
          });
    }
  }

  // Replies with the only tensor, or with the beginning of its transfer.
  void AnswerWithOne(SentTensors tensors) {
    const Tensor& tensor = tensors.front().tensor;
    const absl::StatusOr<std::optional<Transfer>> begun =
        transfers_->Begin(tensor, request_.wish, &caller_);
    if (!begun.ok()) {
      Finish(begun.status());
      return;
    }
    if (!begun->has_value()) {
      Finish(EncodeRecvResponse(request_.form, std::move(tensors)));
      return;
    }
    const Transfer& transfer = **begun;
    absl::StatusOr<Tensor> chunk =
        transfers_->Take(transfer.id, 0, transfer.LengthOf(0));
    const bool is_wanted =
        chunk.ok() ? Finish(EncodeTransferResponse(transfer, *std::move(chunk)))
                   : Finish(chunk.status());
    if (!is_wanted) transfers_->Forget(transfer.id);
  }

  // Replies, and returns true, unless it has replied before.
  bool Finish(absl::StatusOr<Payload> response) {
    Reply reply = nullptr;
    std::shared_ptr<CallContext> context;
    SentTensors unsent;
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
    waiting_.Close();
    caller_.CountServed(received_bytes_,
                        response.ok() ? MessageBytes(*response) : 0);
    std::move(reply)(std::move(response));
    return true;
  }

  const RecvRequest request_;
  const absl::Span<const ParsedKey> keys_;  // of the request
  const int64_t received_bytes_;
  const std::shared_ptr<Traffic> traffic_;
  PeerTraffic& caller_;
  OpenRecvs::Entry waiting_;
  const std::shared_ptr<Transfers> transfers_;
  WorkQueue& compute_;
  Mutex mutex_;
  bool replied_ ABSL_GUARDED_BY(mutex_) = false;
  SentTensors gathered_ ABSL_GUARDED_BY(mutex_);  // by key
  size_t num_gathered_ ABSL_GUARDED_BY(mutex_) = 0;
  Cancellation::Token token_ ABSL_GUARDED_BY(mutex_) = kNoToken;
  std::shared_ptr<CallContext> context_ ABSL_GUARDED_BY(mutex_);
  Reply reply_ ABSL_GUARDED_BY(mutex_);
};

// No header of a FetchChunkRequest comes near this size.
constexpr size_t kMaxChunkRequestBytes = 1024;

}  // namespace

void ReceiveForPeer(StepOutbox& outbox, RecvRequest request,
                    int64_t received_bytes, std::shared_ptr<Traffic> traffic,
                    std::shared_ptr<CallContext> context, Reply reply) {
  const auto call =
      std::make_shared<RecvCall>(outbox, std::move(request), received_bytes,
                                 std::move(traffic), context, std::move(reply));
  call->Start(outbox, *context);
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
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<StepOutbox> outbox,
                        steps.Find(request.step_id));
  LEAT_ASSIGN_OR_RETURN(
      Tensor chunk,
      outbox->transfers()->Take(request.id, request.offset, request.length));
  return EncodeFetchChunkResponse(std::move(chunk));
}

}  // namespace leat
