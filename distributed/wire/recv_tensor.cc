// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/recv_tensor.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/quoted_text.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/recv_buf.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/types.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

int64_t MicrosSince1970() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

absl::StatusOr<Transfer> ReadTransfer(const pb::LeatTransfer& message) {
  const auto wrong = [&message](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a transfer of ", message.total_bytes(), " bytes in chunks of ",
        message.chunk_bytes(), " bytes is not possible: ", what));
  };
  Transfer transfer{.id = message.id(),
                    .total_bytes = message.total_bytes(),
                    .chunk_bytes = message.chunk_bytes()};
  if (transfer.chunk_bytes < kMinChunkBytes ||
      transfer.chunk_bytes > kMaxChunkBytes ||
      transfer.total_bytes <= transfer.chunk_bytes) {
    return wrong(absl::StrCat("a chunk has from ", kMinChunkBytes, " to ",
                              kMaxChunkBytes,
                              " bytes, and a transfer more than one chunk"));
  }
  const std::optional<DType> dtype = DTypeFromWire(message.dtype());
  if (!dtype.has_value() || !IsTransferable(*dtype)) {
    return wrong(absl::StrCat("elements of type ", message.dtype(),
                              " cannot be sent in chunks"));
  }
  transfer.dtype = *dtype;
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape, DecodeShape(message.shape()));
  LEAT_ASSIGN_OR_RETURN(transfer.shape, shape.ToShape());
  const int64_t bytes =
      SaturatingMultiply(transfer.shape.num_elements(),
                         static_cast<int64_t>(SizeOf(transfer.dtype)));
  if (bytes == transfer.total_bytes) return transfer;
  return wrong(absl::StrCat("a ", Name(transfer.dtype),
                            transfer.shape.DebugString(), " has ", bytes,
                            " bytes"));
}

absl::Status CheckKey(absl::string_view key) {
  if (key.size() <= kMaxRecvKeyBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("rendezvous key ", QuotedText(key), " has ", key.size(),
                   " bytes, more than ", kMaxRecvKeyBytes));
}

// Returns the request in a RecvTensorRequest.
absl::StatusOr<RecvRequest> DecodeOneKey(absl::string_view header) {
  pb::RecvTensorRequest message;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, message));
  LEAT_RETURN_IF_ERROR(CheckKey(message.rendezvous_key()));
  const pb::LeatRecv& wish = message.leat();
  return RecvRequest{
      .form = RecvForm::kOne,
      .step_id = message.step_id(),
      .keys = RecvKeys(ParsedKey(std::move(*message.mutable_rendezvous_key()))),
      .request_id = message.request_id(),
      .wish = {.inline_bytes = std::max<int64_t>(wish.inline_bytes(), 0),
               .chunk_bytes = std::max<int64_t>(wish.chunk_bytes(), 0)}};
}

// Returns the request in a RecvBufRequest.
absl::StatusOr<RecvRequest> DecodeBufferKey(absl::string_view header) {
  LEAT_ASSIGN_OR_RETURN(RecvBufRequest request, DecodeRecvBufRequest(header));
  LEAT_RETURN_IF_ERROR(CheckKey(request.key.text()));
  if (!request.key.is_well_formed() || !IsBufferKey(request.key)) {
    return absl::InvalidArgumentError(
        "RecvBufRequest names no buffer of a collective");
  }
  return RecvRequest{.form = RecvForm::kBuffer,
                     .step_id = request.step_id,
                     .keys = RecvKeys(std::move(request.key)),
                     .request_id = request.request_id};
}

// Returns the request in a RecvTensorsRequest.
absl::StatusOr<RecvRequest> DecodeKeyList(absl::string_view header) {
  pb::RecvTensorsRequest message;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, message));
  const auto num_keys = static_cast<size_t>(message.rendezvous_key_size());
  if (num_keys == 0 || num_keys > kMaxRecvKeys) {
    return absl::InvalidArgumentError(
        absl::StrCat("RecvTensorsRequest has ", num_keys, " keys; 1 to ",
                     kMaxRecvKeys, " may be asked for"));
  }
  auto keys = std::make_shared<std::vector<ParsedKey>>();
  keys->reserve(num_keys);
  for (std::string& key : *message.mutable_rendezvous_key()) {
    LEAT_RETURN_IF_ERROR(CheckKey(key));
    keys->emplace_back(std::move(key));
  }
  return RecvRequest{.form = RecvForm::kList,
                     .step_id = message.step_id(),
                     .keys = RecvKeys(RecvKeys::Shared(std::move(keys))),
                     .request_id = message.request_id()};
}

}  // namespace

bool IsTransferable(DType dtype) {
  // Reading a bool whose byte is neither 0 nor 1 is undefined behaviour.
  return !IsRef(dtype) && IsPlainBytes(dtype) && dtype != DType::kBool;
}

Payload EncodeRecvRequest(const RecvRequest& request) {
  const absl::Span<const ParsedKey> keys = request.keys.all();
  if (request.form == RecvForm::kBuffer) {
    return EncodeRecvBufRequest({.step_id = request.step_id,
                                 .key = keys.front(),
                                 .request_id = request.request_id});
  }
  if (request.form == RecvForm::kList) {
    pb::RecvTensorsRequest message;
    message.set_step_id(request.step_id);
    for (const ParsedKey& key : keys) message.add_rendezvous_key(key.text());
    message.set_request_id(request.request_id);
    return ToPayload(message);
  }
  pb::RecvTensorRequest message;
  message.set_step_id(request.step_id);
  message.set_rendezvous_key(keys.front().text());
  message.set_dma_ok(true);
  message.set_request_id(request.request_id);
  if (request.wish.chunk_bytes > 0) {
    message.mutable_leat()->set_inline_bytes(request.wish.inline_bytes);
    message.mutable_leat()->set_chunk_bytes(request.wish.chunk_bytes);
  }
  return ToPayload(message);
}

absl::StatusOr<RecvRequest> DecodeRecvRequest(RecvForm form,
                                              absl::string_view header) {
  if (form == RecvForm::kBuffer) return DecodeBufferKey(header);
  return form == RecvForm::kOne ? DecodeOneKey(header) : DecodeKeyList(header);
}

Payload EncodeRecvResponse(RecvForm form, SentTensors tensors) {
  Payload payload;
  if (form == RecvForm::kOne) {
    pb::RecvTensorResponse response;
    response.set_is_dead(tensors.front().is_dead);
    response.set_send_start_micros(MicrosSince1970());
    payload = ToPayload(response);
  } else {
    pb::RecvTensorsResponse response;
    response.set_send_start_micros(MicrosSince1970());
    for (const SentTensor& sent : tensors) response.add_is_dead(sent.is_dead);
    payload = ToPayload(response);
  }
  for (SentTensor& sent : tensors) {
    payload.tensors.push_back({.tensor = sent.is_dead
                                             ? Tensor::Vector<float>({})
                                             : std::move(sent.tensor)});
  }
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
  Payload payload = ToPayload(response);
  payload.tensors.push_back({.tensor = std::move(chunk)});
  return payload;
}

absl::StatusOr<RecvResponse> DecodeRecvResponse(RecvForm form,
                                                absl::string_view header) {
  if (form == RecvForm::kBuffer) return RecvResponse{.is_dead = {false}};
  if (form == RecvForm::kList) {
    pb::RecvTensorsResponse message;
    LEAT_RETURN_IF_ERROR(ParseSmall(header, message));
    return RecvResponse{
        .is_dead = {message.is_dead().begin(), message.is_dead().end()},
        .send_start_us = message.send_start_micros()};
  }
  pb::RecvTensorResponse message;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, message));
  RecvResponse response{.is_dead = {message.is_dead()},
                        .send_start_us = message.send_start_micros()};
  if (!message.is_dead() && message.has_leat()) {
    LEAT_ASSIGN_OR_RETURN(response.transfer, ReadTransfer(message.leat()));
  }
  return response;
}

Payload EncodeFetchChunkRequest(const FetchChunkRequest& request) {
  pb::FetchChunkRequest message;
  message.set_step_id(request.step_id);
  message.set_id(request.id);
  message.set_offset(request.offset);
  message.set_length(request.length);
  return ToPayload(message);
}

absl::StatusOr<FetchChunkRequest> DecodeFetchChunkRequest(
    absl::string_view header) {
  pb::FetchChunkRequest message;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, message));
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
