// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ReceiveForPeer, ReceiveBundleForPeer, ChunkForPeer: what a task answers to
// RecvTensor, RecvTensors and FetchChunk. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_RECV_CALL_H_
#define LEAT_DISTRIBUTED_RECV_CALL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/recv_tensor.h"
#include "leat/distributed/remote_rendezvous.h"
#include "leat/distributed/step_table.h"
#include "leat/distributed/traffic.h"

namespace leat {

// Replies with the tensor as soon as it is there, with the error that ends the
// step, as RemoteRendezvous::RecvForPeer does, or with CANCELLED (derived) once
// the caller has given up: nobody gets the tensor then. `traffic` (not null)
// has the Recv while it waits, and counts it, with so many bytes received, for
// the task that the key says.
void ReceiveForPeer(RemoteRendezvous& rendezvous, RecvTensorRequest request,
                    int64_t received_bytes, std::shared_ptr<Traffic> traffic,
                    std::shared_ptr<CallContext> context, Reply reply);

// The same for the tensors of a bundle: replies when all are there, or with the
// first error.
void ReceiveBundleForPeer(RemoteRendezvous& rendezvous,
                          RecvTensorsRequest request, int64_t received_bytes,
                          std::shared_ptr<Traffic> traffic,
                          std::shared_ptr<CallContext> context, Reply reply);

// The response to the FetchChunkRequest in `header`. INVALID_ARGUMENT for a
// malformed one; else as StepTable::Find and Transfers::Take.
absl::StatusOr<Payload> ChunkForPeer(const StepTable& steps,
                                     absl::string_view header);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_RECV_CALL_H_
