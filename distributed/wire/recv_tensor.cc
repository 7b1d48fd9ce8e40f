// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/recv_tensor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/partitioner/bundles.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/types.pb.h"
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

absl::StatusOr<Transfer> ReadTransfer(const pb::LeatTransfer& message) {
  const auto wrong = [&message](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("transfer of ", message.total_bytes(), " bytes in chunks ",
                     "of ", message.chunk_bytes(), ": ", what));
  };
  Transfer transfer{.id = message.id(),
                    .total_bytes = message.total_bytes(),
                    .chunk_bytes = message.chunk_bytes()};
  if (transfer.chunk_bytes < kMinChunkBytes ||
      transfer.chunk_bytes > kMaxChunkBytes ||
      transfer.total_bytes <= transfer.chunk_bytes) {
    return wrong("these are no chunks");
  }
  const std::optional<DType> dtype = DTypeFromWire(message.dtype());
  if (!dtype.has_value() || !IsTransferable(*dtype)) {
    return wrong(absl::StrCat("there are none of type ", message.dtype()));
  }
  transfer.dtype = *dtype;
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape, DecodeShape(message.shape()));
  LEAT_ASSIGN_OR_RETURN(transfer.shape, shape.ToShape());
  const int64_t bytes =
      SaturatingMultiply(transfer.shape.num_elements(),
                         static_cast<int64_t>(SizeOf(transfer.dtype)));
  if (bytes == transfer.total_bytes) return transfer;
  return wrong(absl::StrCat("a ", Name(transfer.dtype),
                            transfer.shape.DebugString(), " has ", bytes));
}

}  // namespace

bool IsTransferable(DType dtype) {
  // A bool with another byte than 0 or 1 is undefined behaviour.
  return !IsRef(dtype) && IsPlainBytes(dtype) && dtype != DType::kBool;
}

Payload EncodeRecvTensorRequest(int64_t step_id, absl::string_view key,
                                int64_t request_id, const ChunkWish& wish) {
  pb::RecvTensorRequest request;
  request.set_step_id(step_id);
  request.set_rendezvous_key(key.data(), key.size());
  request.set_dma_ok(true);
  request.set_request_id(request_id);
  if (wish.chunk_bytes > 0) {
    request.mutable_leat()->set_inline_bytes(wish.inline_bytes);
    request.mutable_leat()->set_chunk_bytes(wish.chunk_bytes);
  }
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
  return RecvTensorRequest{
      .step_id = request.step_id(),
      .key = std::move(*request.mutable_rendezvous_key()),
      .request_id = request.request_id(),
      .wish = {
          .inline_bytes = std::max<int64_t>(request.leat().inline_bytes(), 0),
          .chunk_bytes = std::max<int64_t>(request.leat().chunk_bytes(), 0)}};
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

Payload EncodeTransferResponse(const Transfer& transfer, Tensor chunk) {
  pb::RecvTensorResponse response;
  response.set_send_start_micros(MicrosSince1970());
  pb::LeatTransfer& message = *response.mutable_leat();
  message.set_id(transfer.id);
  message.set_total_bytes(transfer.total_bytes);
  message.set_chunk_bytes(transfer.chunk_bytes);
  message.set_dtype(static_cast<pb::DataType>(transfer.dtype));
  EncodeShape(transfer.shape, message.mutable_shape());
  Payload payload;
  payload.header = response.SerializeAsString();
  payload.tensors.push_back({.tensor = std::move(chunk)});
  return payload;
}

absl::StatusOr<RecvTensorResponse> DecodeRecvTensorResponse(
    absl::string_view header) {
  pb::RecvTensorResponse message;
  if (!Parse(header, message)) {
    return absl::InvalidArgumentError("malformed RecvTensorResponse");
  }
  RecvTensorResponse response{.is_dead = message.is_dead(),
                              .send_start_us = message.send_start_micros()};
  if (!message.is_dead() && message.has_leat()) {
    LEAT_ASSIGN_OR_RETURN(response.transfer, ReadTransfer(message.leat()));
  }
  return response;
}

Payload EncodeRecvTensorsRequest(int64_t step_id,
                                 absl::Span<const std::string> keys,
                                 int64_t request_id) {
  pb::RecvTensorsRequest request;
  request.set_step_id(step_id);
  for (const std::string& key : keys) request.add_rendezvous_key(key);
  request.set_request_id(request_id);
  Payload payload;
  payload.header = request.SerializeAsString();
  return payload;
}

absl::StatusOr<RecvTensorsRequest> DecodeRecvTensorsRequest(
    absl::string_view header) {
  pb::RecvTensorsRequest message;
  if (!Parse(header, message)) {
    return absl::InvalidArgumentError("malformed RecvTensorsRequest");
  }
  const auto num_keys = static_cast<size_t>(message.rendezvous_key_size());
  if (num_keys == 0 || num_keys > Bundles::kMaxTensors) {
    return absl::InvalidArgumentError(
        absl::StrCat("RecvTensorsRequest has ", num_keys, " keys; 1 to ",
                     Bundles::kMaxTensors, " may be asked for"));
  }
  RecvTensorsRequest request{.step_id = message.step_id(),
                             .request_id = message.request_id()};
  for (std::string& key : *message.mutable_rendezvous_key()) {
    request.keys.push_back(std::move(key));
  }
  return request;
}

Payload EncodeRecvTensorsResponse(std::vector<SentTensor> tensors) {
  pb::RecvTensorsResponse response;
  response.set_send_start_micros(MicrosSince1970());
  Payload payload;
  for (SentTensor& sent : tensors) {
    response.add_is_dead(sent.is_dead);
    payload.tensors.push_back({.tensor = sent.is_dead
                                             ? Tensor::Vector<float>({})
                                             : std::move(sent.tensor)});
  }
  payload.header = response.SerializeAsString();
  return payload;
}

absl::StatusOr<RecvTensorsResponse> DecodeRecvTensorsResponse(
    absl::string_view header) {
  pb::RecvTensorsResponse message;
  if (!Parse(header, message)) {
    return absl::InvalidArgumentError("malformed RecvTensorsResponse");
  }
  return RecvTensorsResponse{
      .is_dead = {message.is_dead().begin(), message.is_dead().end()},
      .send_start_us = message.send_start_micros()};
}

Payload EncodeFetchChunkRequest(const FetchChunkRequest& request) {
  pb::FetchChunkRequest message;
  message.set_step_id(request.step_id);
  message.set_id(request.id);
  message.set_offset(request.offset);
  message.set_length(request.length);
  Payload payload;
  payload.header = message.SerializeAsString();
  return payload;
}

absl::StatusOr<FetchChunkRequest> DecodeFetchChunkRequest(
    absl::string_view header) {
  pb::FetchChunkRequest message;
  if (!Parse(header, message)) {
    return absl::InvalidArgumentError("malformed FetchChunkRequest");
  }
  return FetchChunkRequest{.step_id = message.step_id(),
                           .id = message.id(),
                           .offset = message.offset(),
                           .length = message.length()};
}

Payload EncodeFetchChunkResponse(Tensor chunk) {
  Payload payload;
  payload.tensors.push_back({.tensor = std::move(chunk)});
  return payload;
}

}  // namespace leat
