// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RunGraphCall: a call of RunGraph on a task, and how it is replied to.
#ifndef LEAT_DISTRIBUTED_WORKER_RUN_GRAPH_CALL_H_
#define LEAT_DISTRIBUTED_WORKER_RUN_GRAPH_CALL_H_

#include <chrono>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/protos/worker.pb.h"

namespace leat {

class PeerTraffic;

// A call of RunGraph, as it was received.
struct RunGraphCall {
  std::shared_ptr<CallContext> context = {};
  pb::RunGraphRequest request = {};  // without feeds
  Payload feeds = {};                // its header is in `request`
  std::chrono::system_clock::time_point received = {};
  Reply reply = {};
  // Counts the reply to the master's task. Borrowed; may be null.
  PeerTraffic* traffic = nullptr;
  int64_t received_bytes = 0;
};

// Replies with the tensors, or with the error, which is in the response if the
// call asked for that. Consumes `call`.
void ReplyToRunGraph(RunGraphCall& call, const absl::Status& status,
                     pb::RunGraphResponse response = {},
                     WireTensors tensors = {});

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_RUN_GRAPH_CALL_H_
