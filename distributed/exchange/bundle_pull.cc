// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Peers::RecvTensors: receives the tensors of one bundle by one call.
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/exchange/open_recvs.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/requests/parse_message.h"
#include "leat/distributed/wire/recv_tensor.h"

namespace leat {

// One call of RecvTensors, owned by the callbacks that continue it. Like
// Peers::Pull it calls `done` exactly once, at the latest when it is destroyed.
class Peers::BundlePull {
 public:
  BundlePull(PeerRef peer, int64_t step_id,
             std::shared_ptr<const std::vector<std::string>> keys,
             const Peers& peers, Allocator& allocator,
             std::shared_ptr<Cancellation> cancellation, BundleDone done)
      : peer_(std::move(peer)),
        step_id_(step_id),
        keys_(std::move(keys)),
        compute_(peers.compute_),
        decoders_(peers.decoders_),
        max_message_bytes_(peers.max_message_bytes_),
        allocator_(allocator),
        cancellation_(std::move(cancellation)),
        done_(std::move(done)) {
    for (const std::string& key : *keys_) {
      waiting_.emplace_back(peer_->all_traffic->recvs(), step_id_, key);
    }
  }
  BundlePull(const BundlePull&) = delete;
  BundlePull& operator=(const BundlePull&) = delete;
  ~BundlePull() {
    if (done_ != nullptr) {
      Finish(AsDerived(absl::CancelledError("the call was dropped")));
    }
  }

  // Returns the message to send, with a new request id.
  Payload Request() const {
    return EncodeRecvTensorsRequest(step_id_, *keys_,
                                    static_cast<int64_t>(RandomId()));
  }

  // Handles the reply, which is decoded on `compute` if that takes long.
  static void Receive(std::unique_ptr<BundlePull> pull,
                      absl::StatusOr<Payload> reply) {
    if (!reply.ok()) {
      return pull->Finish(ReceiveError(*pull->peer_, pull->What(),
                                       pull->cancellation_.get(),
                                       reply.status()));
    }
    WorkQueue& compute = pull->compute_;
    DecodeOn(compute, *std::move(reply),
             [pull = std::move(pull)](Payload payload) mutable {
               pull->Decode(std::move(payload));
             });
  }

 private:
  void Decode(Payload payload) {
    absl::StatusOr<ReceivedBundle> bundle = TryDecode(payload);
    if (!bundle.ok()) {
      bundle = WithMessage(
          bundle.status(),
          absl::StrCat("task ", peer_->task, " answered RecvTensors of ",
                       What(), " wrongly: ", bundle.status().message()));
    }
    Finish(std::move(bundle));
  }

  // Returns the tensors in the order of the keys, or INVALID_ARGUMENT if the
  // reply does not have exactly one for each key.
  absl::StatusOr<ReceivedBundle> TryDecode(Payload& payload) const {
    LEAT_RETURN_IF_ERROR(
        CheckInlineHeader("RecvTensorsResponse", payload.header));
    LEAT_ASSIGN_OR_RETURN(const RecvTensorsResponse response,
                          DecodeRecvTensorsResponse(payload.header));
    LEAT_RETURN_IF_ERROR(
        payload.Materialize(allocator_, decoders_, max_message_bytes_));
    if (payload.tensors.size() != keys_->size() ||
        response.is_dead.size() != keys_->size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(payload.tensors.size(), " tensors, of which ",
                       response.is_dead.size(), " are said to be dead or not, ",
                       "instead of ", keys_->size()));
    }
    ReceivedBundle bundle{.send_start_us = response.send_start_us};
    for (size_t i = 0; i < keys_->size(); ++i) {
      SentTensor& sent = bundle.tensors.emplace_back(
          SentTensor{.is_dead = response.is_dead[i]});
      if (!sent.is_dead) sent.tensor = std::move(payload.tensors[i].tensor);
      if (!sent.is_dead && !sent.tensor.IsValid()) {
        return absl::InvalidArgumentError(
            absl::StrCat("no tensor for '", (*keys_)[i], "'"));
      }
    }
    return bundle;
  }

  // Names the tensors for messages: "'edge_5_w/read' and 3 more".
  std::string What() const {
    return absl::StrCat("'", TensorNameOf(keys_->front()), "' and ",
                        keys_->size() - 1, " more");
  }

  void Finish(absl::StatusOr<ReceivedBundle> bundle) {
    waiting_.clear();
    std::move(std::exchange(done_, nullptr))(std::move(bundle));
  }

  const PeerRef peer_;
  const int64_t step_id_;
  const std::shared_ptr<const std::vector<std::string>> keys_;
  std::deque<OpenRecvs::Entry> waiting_;  // what `leat status` shows as waiting
  WorkQueue& compute_;
  const VariantDecoders* const decoders_;
  const int64_t max_message_bytes_;
  Allocator& allocator_;
  const std::shared_ptr<Cancellation> cancellation_;
  BundleDone done_;
};

void Peers::RecvTensors(absl::string_view task, int64_t step_id,
                        std::shared_ptr<const std::vector<std::string>> keys,
                        Allocator& allocator,
                        std::shared_ptr<Cancellation> cancellation,
                        BundleDone done) {
  const PeerRef peer = Find(task);
  if (peer == nullptr) return std::move(done)(NoTaskError(task));
  CallOptions options;
  options.cancellation = cancellation;
  auto pull = std::make_unique<BundlePull>(
      peer, step_id, std::move(keys), *this, allocator, std::move(cancellation),
      std::move(done));
  Payload request = pull->Request();
  CallPeer(transport_, peer, methods::kRecvTensors, std::move(request),
           std::move(options),
           [pull = std::move(pull)](absl::StatusOr<Payload> reply) mutable {
             BundlePull::Receive(std::move(pull), std::move(reply));
           });
}

}  // namespace leat
