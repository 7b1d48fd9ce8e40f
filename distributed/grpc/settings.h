// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// What both ends of a connection agree about. Stateless.
#ifndef LEAT_DISTRIBUTED_GRPC_SETTINGS_H_
#define LEAT_DISTRIBUTED_GRPC_SETTINGS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// A silent peer is pinged after the first time, and given up after the second,
// together less than the five seconds in which a dead one is to be noticed. The
// second is as long as that allows: a live one may be busy.
inline constexpr int kKeepaliveMs = 1000;
inline constexpr int kKeepaliveTimeoutMs = 3500;
static_assert(kKeepaliveMs + kKeepaliveTimeoutMs < 5000);

// Of one set of headers. TensorFlow's tasks send at most 8 KiB.
inline constexpr int kMaxMetadataBytes = 32 << 10;

// A bit set of algorithms: none but the identity. Messages are tensors, which
// do not get smaller, and a small message that becomes a huge one would pass
// every limit.
inline constexpr int kCompressionAlgorithms = 1;

// Among the trailing headers of every error that the callee itself has said.
inline constexpr char kSaidByCallee[] = "leat-status";

// A deadline that is further away than this is none: a sum of it and the time
// of day might overflow.
inline constexpr std::chrono::hours kForever(24 * 365);

// "unix:/path" as the text in which gRPC decodes "%20".
std::string EscapedUnixAddress(absl::string_view address);

// Of SetMaxReceiveMessageSize.
int MessageLimit(int64_t max_message_bytes);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_SETTINGS_H_
