// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/recv_buf.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/wire/messages.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/protos/transport_options.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// Is the type of RecvBufRespExtra in TensorFlow's messages.
constexpr char kExtraType[] = "type.googleapis.com/tensorflow.RecvBufRespExtra";
// A protobuf message has at most INT32_MAX bytes. Some of them are for what the
// message says besides the buffer.
constexpr int64_t kMaxBufferBytes = INT32_MAX - 1024;

}  // namespace

Payload EncodeRecvBufRequest(const RecvBufRequest& request) {
  const RendezvousKey key = request.key.Parts();
  pb::RecvBufRequest message;
  message.set_step_id(request.step_id);
  message.set_buf_rendezvous_key(std::string(BufferOf(request.key)));
  message.set_src_device(key.send_device);
  message.set_src_incarnation(key.send_incarnation);
  message.set_dst_device(key.recv_device);
  message.set_request_id(request.request_id);
  return ToPayload(message);
}

absl::StatusOr<RecvBufRequest> DecodeRecvBufRequest(absl::string_view header) {
  pb::RecvBufRequest message;
  LEAT_RETURN_IF_ERROR(ParseSmall(header, message));
  return RecvBufRequest{
      .step_id = message.step_id(),
      .key = BufferKey(message.src_device(), message.src_incarnation(),
                       message.dst_device(), message.buf_rendezvous_key()),
      .request_id = message.request_id()};
}

absl::StatusOr<Payload> EncodeRecvBufResponse(const Tensor& tensor) {
  if (tensor.num_bytes() > kMaxBufferBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a RecvBufResponse cannot hold ", tensor.num_bytes(),
                     " bytes; it holds at most ", kMaxBufferBytes));
  }
  pb::RecvBufResponse message;
  message.set_num_bytes(tensor.num_bytes());
  message.mutable_transport_options()->set_type_url(kExtraType);
  {
    pb::RecvBufRespExtra extra;  // freed here, because it is large
    extra.add_tensor_content(tensor.raw_data(),
                             static_cast<size_t>(tensor.num_bytes()));
    extra.SerializeToString(
        message.mutable_transport_options()->mutable_value());
  }
  return ToPayload(message);
}

absl::StatusOr<Tensor> DecodeRecvBufResponse(absl::string_view header,
                                             Allocator& allocator,
                                             int64_t max_bytes) {
  pb::RecvBufRespExtra extra;
  {
    pb::RecvBufResponse message;  // freed here, because it is large
    LEAT_RETURN_IF_ERROR(ParseMessage(header, max_bytes, message));
    if (message.transport_options().type_url() != kExtraType) {
      return absl::InvalidArgumentError("the RecvBufResponse has no bytes");
    }
    LEAT_RETURN_IF_ERROR(
        ParseMessage(message.transport_options().value(), max_bytes, extra));
  }
  int64_t bytes = 0;
  for (const std::string& piece : extra.tensor_content()) {
    bytes += static_cast<int64_t>(piece.size());
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor, Tensor::Allocate(allocator, DType::kUint8, Shape{bytes}));
  char* to = tensor.mutable_raw_data();
  for (const std::string& piece : extra.tensor_content()) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  }
  return tensor;
}

}  // namespace leat
