// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckAnnouncedRequest decides, before a large request is received, whether
// there is memory for it. Tasks and clients of Leat announce the size of a
// large request in a header (kRequestBytes). gRPC makes no such decision. It
// receives a message until its quota is used up, and then ends the call without
// a reason.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_ANNOUNCED_REQUEST_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_ANNOUNCED_REQUEST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Holds the limits of a listener, in bytes. Is a value.
struct RequestLimits {
  int64_t max_message_bytes = 0;
  int64_t max_transport_bytes = 0;
};

// Checks a request whose size is announced as `announced`. Reserves nothing, so
// a peer that announces much and sends little takes nothing from others.
// Returns RESOURCE_EXHAUSTED, naming the flag of the limit, if the request
// needs more than `max_transport_bytes` or more memory than is free. Returns
// gRPC's error, a transport error, if the request exceeds `max_message_bytes`.
// Returns INVALID_ARGUMENT if `announced` is not a number of bytes.
absl::Status CheckAnnouncedRequest(absl::string_view announced,
                                   const RequestLimits& limits);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_ANNOUNCED_REQUEST_H_
