// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReceiveForPeer, ReceiveBundleForPeer, ChunkForPeer: how a task answers the
// methods RecvTensor, RecvTensors and FetchChunk. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_RECV_CALL_H_
#define LEAT_DISTRIBUTED_EXCHANGE_RECV_CALL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/exchange/remote_rendezvous.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/recv_tensor.h"

namespace leat {

// Replies with the tensor as soon as it has been produced, with the error that
// ends the step, as RemoteRendezvous::RecvForPeer does, or with CANCELLED
// (derived) once the caller has given up; nobody gets the tensor then.
//
// `traffic` (not null) lists the Recv while it waits. It then counts the call,
// with `received_bytes` and the size of the reply, for the receiving task in
// the key.
void ReceiveForPeer(RemoteRendezvous& rendezvous, RecvTensorRequest request,
                    int64_t received_bytes, std::shared_ptr<Traffic> traffic,
                    std::shared_ptr<CallContext> context, Reply reply);

// Does the same for the tensors of a bundle: replies when all have been
// produced, or with the first error. REQUIRES: `request` has keys.
void ReceiveBundleForPeer(RemoteRendezvous& rendezvous,
                          RecvTensorsRequest request, int64_t received_bytes,
                          std::shared_ptr<Traffic> traffic,
                          std::shared_ptr<CallContext> context, Reply reply);

// Returns the response to the FetchChunkRequest in `header`. Returns
// INVALID_ARGUMENT for a malformed request, and otherwise fails as
// StepTable::Find and Transfers::Take do.
absl::StatusOr<Payload> ChunkForPeer(const StepTable& steps,
                                     absl::string_view header);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_RECV_CALL_H_
