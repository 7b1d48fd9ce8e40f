// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/run_graph_call.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat {
namespace {

// Writes the status to the response, with its payloads in a field of Leat's,
// since TensorFlow has none for them.
void SetStatus(const absl::Status& status, pb::RunGraphResponse& response) {
  response.set_status_code(static_cast<int>(status.code()));
  response.set_status_error_message(std::string(status.message()));
  std::string payloads = EncodePayloads(status);
  if (payloads.empty()) return;
  response.mutable_leat()->set_payloads(std::move(payloads));
}

}  // namespace

void ReplyToRunGraph(RunGraphCall& call, const absl::Status& status,
                     pb::RunGraphResponse response, WireTensors tensors) {
  const bool in_response = call.request.store_errors_in_response_body();
  PeerTraffic* const traffic = std::exchange(call.traffic, nullptr);
  Reply reply = std::move(call.reply);
  if (!status.ok() && !in_response) {
    if (traffic != nullptr) traffic->CountServed(call.received_bytes, 0);
    return std::move(reply)(status);
  }
  Payload payload;
  if (status.ok()) {
    payload.tensors = std::move(tensors);
  } else {
    SetStatus(AsCalleeError(status), response);
  }
  if (!response.SerializeToString(&payload.header)) {
    return std::move(reply)(absl::ResourceExhaustedError(absl::StrCat(
        "The response to RunGraph of step ", call.request.step_id(), " takes ",
        response.ByteSizeLong(), " bytes, more than a message may have")));
  }
  if (traffic != nullptr) {
    traffic->CountServed(call.received_bytes, MessageBytes(payload));
  }
  std::move(reply)(std::move(payload));
}

}  // namespace leat
