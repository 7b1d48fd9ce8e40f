// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReceiveForPeer answers calls of the methods RecvTensor and RecvTensors.
// ChunkForPeer answers calls of FetchChunk. tensor_receiver.h has the code of
// the receiving task. The functions are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_RECV_CALL_H_
#define LEAT_DISTRIBUTED_EXCHANGE_RECV_CALL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/recv_tensor.h"

namespace leat {

// Replies with the tensors when all of them have been produced. If an error
// comes first, such as the error that ends the step (StepOutbox::RecvForPeer),
// replies with that error. If the caller cancels the call first, replies with
// CANCELLED (derived). After an error the tensors are dropped.
//
// `traffic` (not null) lists the Recvs while they wait. After the reply it
// counts the call, with `received_bytes` and the size of the reply, for the
// receiving task that the first key names. REQUIRES: `request` has keys.
void ReceiveForPeer(StepOutbox& outbox, RecvRequest request,
                    int64_t received_bytes, std::shared_ptr<Traffic> traffic,
                    std::shared_ptr<CallContext> context, Reply reply);

// Returns the response to the FetchChunkRequest in `header`. Returns
// INVALID_ARGUMENT for a malformed request, and otherwise fails as
// StepTable::Find and Transfers::Take do.
absl::StatusOr<Payload> ChunkForPeer(const StepTable& steps,
                                     absl::string_view header);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_RECV_CALL_H_
