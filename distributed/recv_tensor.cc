// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/recv_tensor.h"

#include <chrono>
#include <utility>

#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

template <class Message>
bool Parse(absl::string_view header, Message& message) {
  return header.size() <= INT32_MAX &&
         message.ParseFromArray(header.data(), static_cast<int>(header.size()));
}

int64_t MicrosSince1970() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Payload EncodeRecvTensorRequest(int64_t step_id, absl::string_view key,
                                int64_t request_id) {
  pb::RecvTensorRequest request;
  request.set_step_id(step_id);
  request.set_rendezvous_key(key.data(), key.size());
  request.set_dma_ok(true);
  request.set_request_id(request_id);
  Payload payload;
  payload.header = request.SerializeAsString();
  return payload;
}

absl::StatusOr<RecvTensorRequest> DecodeRecvTensorRequest(
    absl::string_view header) {
  pb::RecvTensorRequest request;
  if (!Parse(header, request)) {
    return absl::InvalidArgumentError("malformed RecvTensorRequest");
  }
  return RecvTensorRequest{.step_id = request.step_id(),
                           .key = std::move(*request.mutable_rendezvous_key()),
                           .request_id = request.request_id()};
}

Payload EncodeRecvTensorResponse(Tensor tensor, bool is_dead) {
  pb::RecvTensorResponse response;
  response.set_is_dead(is_dead);
  response.set_send_start_micros(MicrosSince1970());
  Payload payload;
  payload.header = response.SerializeAsString();
  payload.tensors.push_back(
      {.tensor = is_dead ? Tensor::Vector<float>({}) : std::move(tensor)});
  return payload;
}

absl::StatusOr<bool> DecodeRecvTensorResponse(absl::string_view header) {
  pb::RecvTensorResponse response;
  if (!Parse(header, response)) {
    return absl::InvalidArgumentError("malformed RecvTensorResponse");
  }
  return response.is_dead();
}

}  // namespace leat
