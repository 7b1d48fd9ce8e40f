// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the rendezvous key of a _Send or _Recv from its attrs. Thread-safe.
#ifndef LEAT_GRAPH_RENDEZVOUS_ATTRS_H_
#define LEAT_GRAPH_RENDEZVOUS_ATTRS_H_

#include "absl/status/statusor.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/graph/attr.h"

namespace leat {

// Outside of loops; not checked. INVALID_ARGUMENT, or NOT_FOUND, naming an attr
// that is of another type or missing.
absl::StatusOr<RendezvousKey> RendezvousKeyOf(const AttrMap& attrs);

}  // namespace leat

#endif  // LEAT_GRAPH_RENDEZVOUS_ATTRS_H_
