// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decodes bytes as a message with tensors. The first byte chooses the type of
// the message. The second byte is the size of the slices into which the message
// is cut. The result must equal what protobuf parses from the whole message,
// and must stay the same when it is encoded and decoded again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/variant.h"
#include "leat/distributed/wire/wire.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/core/variant_decoders.h"
#include "leat/tests/distributed/received_message.h"

namespace {

using leat::Payload;
using leat::TensorField;

constexpr int64_t kMaxBytes = 1 << 20;

// Decodes the message from slices of `step` bytes, or from one slice if `step`
// is 0.
absl::StatusOr<Payload> Receive(absl::string_view bytes, size_t step,
                                TensorField field) {
  std::vector<size_t> cuts;
  for (size_t cut = step; step > 0 && cut < bytes.size(); cut += step) {
    cuts.push_back(cut);
  }
  leat::testing::ReceivedMessage message(bytes, cuts);
  absl::StatusOr<Payload> payload = SplitPayload(message.Take(), field);
  if (!payload.ok()) return payload;
  const absl::Status status = payload->Materialize(
      leat::HostAllocator(), &leat::testing::Decoders(), kMaxBytes);
  LEAT_CHECK(payload->pending == nullptr);
  if (!status.ok()) return status;
  return payload;
}

// Returns whether the tensor takes no more bytes as a message than in memory.
// Variants may share their contents in memory, but a message holds the contents
// once for each variant.
bool IsSmall(const leat::Tensor& tensor) {
  return tensor.dtype() != leat::DType::kVariant ||
         (tensor.num_elements() == 1 && leat::VariantDepth(tensor) <= 1);
}

void CheckSame(const leat::Tensor& a, const leat::Tensor& b) {
  if (a.dtype() != leat::DType::kVariant) {
    LEAT_CHECK(Identical(a, b));
    return;
  }
  LEAT_CHECK(b.dtype() == a.dtype() && a.shape() == b.shape());
}

void CheckAsProtobuf(const leat::WireTensor& wire, const std::string& name,
                     const leat::pb::TensorProto& proto) {
  LEAT_CHECK(wire.name == name);
  const auto tensor = DecodeTensor(proto, leat::HostAllocator(), kMaxBytes,
                                   &leat::testing::Decoders());
  LEAT_CHECK(tensor.ok());
  CheckSame(*tensor, wire.tensor);
}

void CheckRequest(absl::string_view bytes, const Payload& payload) {
  leat::pb::RunGraphRequest whole;
  const bool parsed =
      whole.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  LEAT_CHECK(parsed ==
             leat::pb::RunGraphRequest().ParseFromString(payload.header));
  if (!parsed) return;
  LEAT_CHECK(static_cast<size_t>(whole.send_size()) == payload.tensors.size());
  for (int i = 0; i < whole.send_size(); ++i) {
    CheckAsProtobuf(payload.tensors[i], whole.send(i).name(),
                    whole.send(i).tensor());
  }
}

void CheckResponse(absl::string_view bytes, const Payload& payload) {
  leat::pb::RecvTensorResponse whole;
  if (!whole.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return;
  }
  // protobuf merges the fields of several tensors into one tensor, so only a
  // single tensor can be compared.
  if (payload.tensors.size() != 1) return;
  CheckAsProtobuf(payload.tensors[0], "", whole.tensor());
}

void CheckRoundTrip(const Payload& payload, size_t step, TensorField field) {
  Payload copy;
  copy.header = payload.header;
  copy.tensors = payload.tensors;
  for (const leat::WireTensor& wire : payload.tensors) {
    if (!IsSmall(wire.tensor)) return;
  }
  const auto segments = EncodePayload(std::move(copy), field);
  LEAT_CHECK(segments.ok());
  std::string bytes;
  for (const leat::Segment& segment : *segments) {
    bytes += segment.bytes;
    if (!segment.tensor.IsValid()) continue;
    bytes.append(segment.tensor.raw_data(),
                 static_cast<size_t>(segment.tensor.num_bytes()));
  }
  const absl::StatusOr<Payload> again = Receive(bytes, step, field);
  // A message may have one value that stands for all elements of a tensor. The
  // new message has each element, so decoding it may take more memory than the
  // limit.
  if (absl::IsResourceExhausted(again.status())) return;
  LEAT_CHECK(again.ok());
  LEAT_CHECK(again->header == payload.header);
  LEAT_CHECK(again->tensors.size() == payload.tensors.size());
  for (size_t i = 0; i < payload.tensors.size(); ++i) {
    LEAT_CHECK(again->tensors[i].name == payload.tensors[i].name);
    CheckSame(again->tensors[i].tensor, payload.tensors[i].tensor);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const bool is_request = data[0] % 2 == 0;
  const size_t step = data[1];
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 2,
                                size - 2);
  const TensorField field = is_request ? leat::methods::kRunGraph.request
                                       : leat::methods::kRecvTensor.response;
  const absl::StatusOr<Payload> payload = Receive(bytes, step, field);
  // The status does not depend on the slices.
  LEAT_CHECK(Receive(bytes, 0, field).status() == payload.status());
  if (!payload.ok()) return 0;
  if (is_request) {
    CheckRequest(bytes, *payload);
  } else {
    CheckResponse(bytes, *payload);
  }
  CheckRoundTrip(*payload, step, field);
  return 0;
}
