// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decodes bytes as a TensorProto. A tensor that decodes must stay the same when
// it is encoded and decoded again.
#include <cstddef>
#include <cstdint>

#include "leat/core/check.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/variant.h"
#include "leat/protos/tensor.pb.h"
#include "leat/tests/core/variant_decoders.h"

namespace {

constexpr int64_t kMaxBytes = 1 << 20;

absl::StatusOr<leat::Tensor> Decode(const leat::pb::TensorProto& proto,
                                    int64_t max_bytes) {
  return leat::DecodeTensor(proto, leat::HostAllocator(), max_bytes,
                            &leat::testing::Decoders());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leat::pb::TensorProto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return 0;
  const auto tensor = Decode(proto, kMaxBytes);
  if (!tensor.ok()) return 0;
  tensor->DebugString();
  const bool is_variant = tensor->dtype() == leat::DType::kVariant;
  // Variants may share their contents in memory, but a message holds the
  // contents once for each variant. The messages of such tensors could become
  // very large, so they are not encoded.
  if (is_variant &&
      (tensor->num_elements() != 1 || leat::VariantDepth(*tensor) > 1)) {
    return 0;
  }
  leat::pb::TensorProto again;
  LEAT_CHECK(leat::EncodeTensor(*tensor, &again).ok());
  const auto decoded = Decode(again, 2 * kMaxBytes);
  LEAT_CHECK(decoded.ok());
  if (!is_variant) {
    LEAT_CHECK(leat::Identical(*tensor, *decoded));
    return 0;
  }
  leat::pb::TensorProto third;
  LEAT_CHECK(leat::EncodeTensor(*decoded, &third).ok());
  LEAT_CHECK(third.SerializeAsString() == again.SerializeAsString());
  return 0;
}
