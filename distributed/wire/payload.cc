// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/payload.h"

#include <utility>

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

}  // namespace leat
