// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/recv_call.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/exchange/open_recvs.h"
#include "leat/distributed/wire/recv_buf.h"

namespace leat {
namespace {

// A RecvCall is a call that waits for tensors. It replies once, with whichever
// comes first: the tensors, an error, or the cancellation by the caller.
// Callbacks in the outbox keep the call alive until the step ends. So the call
// drops the request and the tensors when it has replied.
class RecvCall : public std::enable_shared_from_this<RecvCall> {
 public:
  // REQUIRES: `request` is not null and has keys.
  RecvCall(const StepOutbox& outbox, std::shared_ptr<const RecvRequest> request,
           int64_t received_bytes, std::shared_ptr<Traffic> traffic,
           std::shared_ptr<CallContext> context, Reply reply)
      : form_(request->form),
        wish_(request->wish),
        received_bytes_(received_bytes),
        traffic_(std::move(traffic)),
        caller_(traffic_->Of(TaskOfDevice(FirstKey(*request).recv_device()))),
        transfers_(outbox.transfers()),
        compute_(outbox.compute()),
        request_(std::move(request)),
        waiting_(traffic_->recvs(), request_->step_id, request_->keys.all()),
        gathered_(request_->keys.all().size()),
        context_(std::move(context)),
        reply_(std::move(reply)) {}

  // Asks the outbox for the tensors. Does not ask if the caller has already
  // cancelled the call.
  void Start(StepOutbox& outbox, const RecvRequest& request,
             CallContext& context) {
    if (!Watch(context)) return;
    const absl::Span<const ParsedKey> keys = request.keys.all();
    for (size_t i = 0; i < keys.size() && !HasReplied(); ++i) {
      outbox.RecvForPeer(
          keys[i], [self = shared_from_this(), i](const absl::Status& status,
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

  static const ParsedKey& FirstKey(const RecvRequest& request) {
    return request.keys.all().front();
  }

  // Makes the caller's cancellation end the call. If the caller has cancelled
  // the call already, replies and returns false.
  bool Watch(CallContext& context) {
    Cancellation::Token token = 0;
    const bool watched = context.cancellation.Register(
        [weak = weak_from_this()](const absl::Status& why) {
          if (auto cancelled = weak.lock()) {
            cancelled->Finish(cancelled->GivenUp(why));
          }
        },
        &token);
    if (!watched) {
      Finish(GivenUp(context.cancellation.status()));
      return false;
    }
    MutexLock lock(mutex_);
    token_ = token;
    return true;
  }

  // Returns CANCELLED (derived). `why` is the reason for which the caller
  // cancelled the call.
  absl::Status GivenUp(const absl::Status& why) {
    std::string key;
    {
      MutexLock lock(mutex_);
      // After the reply, `request_` is null. The error then needs no key,
      // because it is not sent.
      if (request_ != nullptr) key = QuotedText(FirstKey(*request_).text());
    }
    return AsDerived(absl::CancelledError(
        absl::StrCat(NameOf(form_), " of ", key,
                     " was cancelled by its caller: ", why.message())));
  }

  bool HasReplied() {
    MutexLock lock(mutex_);
    return reply_ == nullptr;
  }

  // Keeps the tensor of a key. Returns all tensors if this tensor was the last
  // missing one and the call has not replied. Otherwise returns none.
  SentTensors Gather(size_t index, SentTensor sent) {
    SentTensors all;
    MutexLock lock(mutex_);
    if (reply_ == nullptr) return all;
    gathered_[index] = std::move(sent);
    if (++num_gathered_ == gathered_.size()) all.swap(gathered_);
    return all;
  }

  // Replies with the tensors, on a thread that may encode them.
  void Answer(SentTensors tensors) {
    if (IsQuickToEncode(tensors) || compute_.IsWorkerThread()) {
      return AnswerNow(std::move(tensors));
    }
    compute_.Add(
        [self = shared_from_this(), tensors = std::move(tensors)]() mutable {
          self->AnswerNow(std::move(tensors));
        });
  }

  // Returns false if the transport must encode a tensor element by element when
  // it sends the reply. That takes too long for the thread that produced the
  // tensor.
  static bool IsQuickToEncode(const SentTensors& tensors) {
    return std::all_of(
        tensors.begin(), tensors.end(), [](const SentTensor& sent) {
          return sent.is_dead || IsPlainBytes(sent.tensor.dtype());
        });
  }

  // Returns the response for a buffer of a collective.
  static absl::StatusOr<Payload> EncodeBuffer(const SentTensor& sent) {
    const Tensor& tensor = sent.tensor;
    if (sent.is_dead || tensor.IsOnGpu() || !IsPlainBytes(tensor.dtype())) {
      return absl::InvalidArgumentError(
          "RecvBuf needs a live tensor of plain bytes on the host");
    }
    return EncodeRecvBufResponse(tensor);
  }

  // Replies with the tensors or, for a single large tensor, with the beginning
  // of its transfer.
  void AnswerNow(SentTensors tensors) {
    const SentTensor& first = tensors.front();
    if (form_ == RecvForm::kBuffer) {
      Finish(EncodeBuffer(first));
      return;
    }
    if (form_ == RecvForm::kList || first.is_dead) {
      Finish(EncodeRecvResponse(form_, std::move(tensors)));
      return;
    }
    const absl::StatusOr<std::optional<Transfer>> begun =
        transfers_->Begin(first.tensor, wish_, caller_);
    if (!begun.ok()) {
      Finish(begun.status());
      return;
    }
    if (!begun->has_value()) {
      Finish(EncodeRecvResponse(form_, std::move(tensors)));
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

  // Replies and returns true. Does nothing and returns false if the call has
  // replied before.
  bool Finish(absl::StatusOr<Payload> response) {
    Reply reply = nullptr;
    // The request is dropped at the end, because `waiting_` refers to the keys
    // of the request until `waiting_` is closed.
    std::shared_ptr<const RecvRequest> request;
    std::shared_ptr<CallContext> context;
    SentTensors unsent;
    Cancellation::Token token = kNoToken;
    {
      MutexLock lock(mutex_);
      if (reply_ == nullptr) return false;
      unsent.swap(gathered_);
      std::swap(reply, reply_);
      request.swap(request_);
      context.swap(context_);
      token = token_;
    }
    // If there is no token, either the cancellation is calling this function,
    // or no callback was registered.
    if (token != kNoToken) context->cancellation.Deregister(token);
    waiting_.Close();
    caller_.CountServed(received_bytes_,
                        response.ok() ? MessageBytes(*response) : 0);
    std::move(reply)(std::move(response));
    return true;
  }

  const RecvForm form_;
  const ChunkWish wish_;
  const int64_t received_bytes_;
  const std::shared_ptr<Traffic> traffic_;
  PeerTraffic& caller_;
  const std::shared_ptr<Transfers> transfers_;
  WorkQueue& compute_;
  Mutex mutex_;
  // Is the request. It is null after the reply.
  std::shared_ptr<const RecvRequest> request_ ABSL_GUARDED_BY(mutex_);
  OpenRecvs::Entry waiting_;  // refers to the keys of the request
  SentTensors gathered_ ABSL_GUARDED_BY(mutex_);  // by key
  size_t num_gathered_ ABSL_GUARDED_BY(mutex_) = 0;
  Cancellation::Token token_ ABSL_GUARDED_BY(mutex_) = kNoToken;
  // `context_` and `reply_` are null after the reply.
  std::shared_ptr<CallContext> context_ ABSL_GUARDED_BY(mutex_);
  Reply reply_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

void ReceiveForPeer(StepOutbox& outbox, RecvRequest request,
                    int64_t received_bytes, std::shared_ptr<Traffic> traffic,
                    std::shared_ptr<CallContext> context, Reply reply) {
  const auto shared = std::make_shared<const RecvRequest>(std::move(request));
  const auto call =
      std::make_shared<RecvCall>(outbox, shared, received_bytes,
                                 std::move(traffic), context, std::move(reply));
  call->Start(outbox, *shared, *context);
}

absl::StatusOr<Payload> ChunkForPeer(const StepTable& steps,
                                     absl::string_view header) {
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
