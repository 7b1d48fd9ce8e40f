// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the rendezvous key of a _Send or _Recv from its attrs. The functions of
// this header are thread-safe.
#ifndef LEAT_GRAPH_RENDEZVOUS_ATTRS_H_
#define LEAT_GRAPH_RENDEZVOUS_ATTRS_H_

#include "absl/status/statusor.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/graph/attr.h"

namespace leat {

// Returns the key of the tensor that a node with these attrs sends or receives.
// The frame and the iteration in the key are 0, as outside of loops. Does not
// check that the parts of the key are well-formed. Fails with INVALID_ARGUMENT,
// naming the attr, if an attr is missing or of another type.
absl::StatusOr<RendezvousKey> RendezvousKeyOf(const AttrMap& attrs);

}  // namespace leat

#endif  // LEAT_GRAPH_RENDEZVOUS_ATTRS_H_
