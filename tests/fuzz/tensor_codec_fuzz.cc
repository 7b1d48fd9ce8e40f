// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Bytes as a TensorProto: what decodes must encode and decode to the same.
#include <cstddef>
#include <cstdint>

#include "leat/core/check.h"
#include "leat/core/tensor_codec.h"
#include "leat/protos/tensor.pb.h"

namespace {
constexpr int64_t kMaxBytes = 1 << 20;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leat::pb::TensorProto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return 0;
  const auto tensor =
      leat::DecodeTensor(proto, leat::HostAllocator(), kMaxBytes);
  if (!tensor.ok()) return 0;
  tensor->DebugString();
  leat::pb::TensorProto again;
  LEAT_CHECK(leat::EncodeTensor(*tensor, &again).ok());
  const auto decoded =
      leat::DecodeTensor(again, leat::HostAllocator(), kMaxBytes);
  LEAT_CHECK(decoded.ok());
  LEAT_CHECK(leat::Identical(*tensor, *decoded));
  return 0;
}
