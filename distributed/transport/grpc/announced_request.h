// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckAnnouncedRequest: decides, before a large request is received, whether
// there is memory for it. Callers that are Leat's announce the size of a large
// request in a header (kRequestBytes). gRPC has no such decision: it receives a
// message until its quota is used up, and then ends the call without a reason.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_ANNOUNCED_REQUEST_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_ANNOUNCED_REQUEST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// The limits of a listener, in bytes. A value.
struct RequestLimits {
  int64_t max_message_bytes = 0;
  int64_t max_transport_bytes = 0;
};

// Checks a request whose size is announced as `announced`. Reserves nothing, so
// a peer that announces much and sends little takes nothing from others.
// Returns RESOURCE_EXHAUSTED, naming the limit's flag, if the request has no
// room at all. Returns gRPC's error, a transport error, if the request is
// larger than a message may be. Returns INVALID_ARGUMENT if the text is no
// number of bytes.
absl::Status CheckAnnouncedRequest(absl::string_view announced,
                                   const RequestLimits& limits);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_ANNOUNCED_REQUEST_H_
