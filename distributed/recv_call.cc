// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/recv_call.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/mutex.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/quoted_text.h"
#include "leat/distributed/recv_tensor.h"

namespace leat {
namespace {

// Replies once, to the first that comes: a tensor, an error, the caller's end.
// What waits in the rendezvous keeps it, so it keeps little once it replied.
class RecvCall {
 public:
  RecvCall(std::shared_ptr<CallContext> context, Reply reply)
      : context_(std::move(context)), reply_(std::move(reply)) {}

  // Returns false, having replied, when the caller is gone.
  static bool Watch(const std::shared_ptr<RecvCall>& call, CallContext& context,
                    std::string shown_key) {
    Cancellation::Token token = 0;
    const bool watched = context.cancellation.Register(
        [weak = std::weak_ptr<RecvCall>(call),
         key = std::move(shown_key)](const absl::Status& why) {
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

  void Finish(absl::StatusOr<Payload> response) {
    Reply reply = nullptr;
    std::shared_ptr<CallContext> context;
    Cancellation::Token token = kNoToken;
    {
      MutexLock lock(mutex_);
      if (replied_) return;
      replied_ = true;
      std::swap(reply, reply_);
      context.swap(context_);
      token = token_;
    }
    // Without a token it is the cancellation that calls, or nobody will.
    if (token != kNoToken) context->cancellation.Deregister(token);
    std::move(reply)(std::move(response));
  }

 private:
  static constexpr Cancellation::Token kNoToken = -1;

  Mutex mutex_;
  bool replied_ ABSL_GUARDED_BY(mutex_) = false;
  Cancellation::Token token_ ABSL_GUARDED_BY(mutex_) = kNoToken;
  std::shared_ptr<CallContext> context_ ABSL_GUARDED_BY(mutex_);
  Reply reply_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

void ReceiveForPeer(RemoteRendezvous& rendezvous, absl::string_view key,
                    std::shared_ptr<CallContext> context, Reply reply) {
  auto call = std::make_shared<RecvCall>(context, std::move(reply));
  if (!RecvCall::Watch(call, *context, QuotedText(key))) return;
  rendezvous.RecvForPeer(
      key, [call = std::move(call)](const absl::Status& status, Tensor tensor,
                                    bool is_dead) {
        if (status.ok()) {
          call->Finish(EncodeRecvTensorResponse(std::move(tensor), is_dead));
        } else {
          call->Finish(status);
        }
      });
}

}  // namespace leat
