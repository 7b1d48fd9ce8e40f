// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/rendezvous_attrs.h"

#include "leat/core/status_macros.h"

namespace leat {

absl::StatusOr<RendezvousKey> RendezvousKeyOf(const AttrMap& attrs) {
  RendezvousKey key;
  LEAT_ASSIGN_OR_RETURN(key.send_device, attrs.Get<std::string>("send_device"));
  LEAT_ASSIGN_OR_RETURN(key.recv_device, attrs.Get<std::string>("recv_device"));
  LEAT_ASSIGN_OR_RETURN(key.tensor_name, attrs.Get<std::string>("tensor_name"));
  LEAT_ASSIGN_OR_RETURN(const int64_t incarnation,
                        attrs.Get<int64_t>("send_device_incarnation"));
  key.send_incarnation = static_cast<uint64_t>(incarnation);
  return key;
}

}  // namespace leat
