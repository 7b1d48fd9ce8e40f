// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TensorReceiver receives tensors of steps from the other tasks of the cluster.
// recv_call.h has the code of the sending task.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_TENSOR_RECEIVER_H_
#define LEAT_DISTRIBUTED_EXCHANGE_TENSOR_RECEIVER_H_

#include <cstdint>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/work_queue.h"
#include "leat/core/variant_codec.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/wire/recv_tensor.h"

namespace leat {

// Holds the callbacks of one receive, in the order of its keys.
using RecvDones = absl::InlinedVector<Rendezvous::Done, 1>;

// Describes one receive. All of its tensors belong to the same step, and the
// same task sends them together.
struct TensorReceive {
  // Is called before the callbacks if the receive has succeeded.
  // `send_start_us` is the time at which the peer began to send, as in
  // RecvResponse.
  using Record = absl::AnyInvocable<void(absl::Span<const ParsedKey> keys,
                                         absl::Span<const SentTensor> tensors,
                                         int64_t send_start_us) &&>;

  int64_t step_id = 0;
  RecvKeys keys = {};  // several only if they come from a task of Leat
  // Allocates the host memory for the tensors. Is not null. The receive keeps
  // the allocator until the callbacks have been called.
  std::shared_ptr<Allocator> allocator = {};
  std::shared_ptr<Cancellation> cancellation = {};  // may be null
  RecvDones dones = {};                             // one for each key
  Record record = nullptr;                          // may be null
};

// Is thread-safe.
class TensorReceiver {
 public:
  // References and pointers are borrowed. They must outlive the receives that
  // are begun here. A receive may outlive this. Large tensors are decoded on
  // `compute`. `decoders`, the decoders of received variants, may be null.
  // `max_message_bytes` bounds the memory of a decoded message, and of a
  // transfer.
  TensorReceiver(const Peers& peers, WorkQueue& compute,
                 const VariantDecoders* decoders, int64_t max_message_bytes,
                 const ChunkOptions& chunks = {})
      : peers_(peers),
        settings_{compute, decoders, max_message_bytes, chunks} {}

  // Receives tensors that `task` produces. Calls each callback exactly once, on
  // a thread of the transport or, if decoding takes a long time
  // (Payload::IsQuick), on a thread of `compute`. If `task` is not in the
  // cluster, calls the callbacks in this call, with NOT_FOUND.
  //
  // An error that the peer reports is marked as derived
  // (core/status_payloads.h), because it comes from the peer's own failure. A
  // transport error is not derived: "task /job:ps/replica:0/task:0
  // (127.0.0.1:7001) cannot be reached: ... while receiving 'edge_5_w/read'".
  // After the cancellation, the error is the status of the cancellation. If the
  // response lacks the tensors, the error is INVALID_ARGUMENT and names the
  // first key and the task. If this task has no memory for the tensors, or does
  // not accept that many bytes, the error is RESOURCE_EXHAUSTED.
  //
  // A large tensor that is received alone comes in chunks, if the peer has
  // reported in GetStatus that it sends chunks. If nothing is known about the
  // peer, the tensor comes in one piece. This task then calls Peer::Meet, so
  // that later tensors can come in chunks. Before it receives the buffer of a
  // collective, it asks an unknown peer for its status. If the peer is another
  // version of Leat, the error is FAILED_PRECONDITION.
  void Receive(absl::string_view task, TensorReceive receive) const;

 private:
  // A Call is one receive that is under way.
  class Call;

  // Holds the settings that all receives share.
  struct Settings {
    WorkQueue& compute;
    const VariantDecoders* decoders;
    int64_t max_message_bytes;
    ChunkOptions chunks;
  };

  const Peers& peers_;
  const Settings settings_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_TENSOR_RECEIVER_H_
