// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/payload.h"

#include <utility>

#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"

namespace leat {

absl::Status Payload::Materialize(Allocator& allocator,
                                  const VariantDecoders* variants,
                                  int64_t max_bytes) {
  if (pending == nullptr) return absl::OkStatus();
  const std::unique_ptr<PendingTensors> received = std::move(pending);
  LEAT_ASSIGN_OR_RETURN(tensors,
                        received->Decode(allocator, variants, max_bytes));
  return absl::OkStatus();
}

int64_t MessageBytes(const Payload& payload) {
  auto bytes = static_cast<int64_t>(payload.header.size());
  for (const WireTensor& wire : payload.tensors) {
    bytes = SaturatingAdd(bytes, wire.tensor.num_bytes());
  }
  if (payload.pending == nullptr) return bytes;
  return SaturatingAdd(bytes, payload.pending->bytes());
}

}  // namespace leat
