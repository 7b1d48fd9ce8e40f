// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ReceiveForPeer: what a task answers to RecvTensor. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_RECV_CALL_H_
#define LEAT_DISTRIBUTED_RECV_CALL_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/remote_rendezvous.h"

namespace leat {

// Replies with the tensor as soon as it is there, with the error that ends the
// step, as RemoteRendezvous::RecvForPeer does, or with CANCELLED (derived) once
// the caller has given up: nobody gets the tensor then.
void ReceiveForPeer(RemoteRendezvous& rendezvous, absl::string_view key,
                    std::shared_ptr<CallContext> context, Reply reply);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_RECV_CALL_H_
