// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Settings of gRPC that both ends of a connection agree on. Stateless.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_SETTINGS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_SETTINGS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// A peer that was silent for the first time is pinged, and is given up when it
// does not answer within the second. Together they are less than the five
// seconds within which a dead peer is to be noticed. The second is as long as
// that allows, because a peer that lives may be busy.
inline constexpr int kKeepaliveMs = 1000;
inline constexpr int kKeepaliveTimeoutMs = 3500;
static_assert(kKeepaliveMs + kKeepaliveTimeoutMs < 5000);

// The most bytes that one set of headers may have. TensorFlow's tasks send at
// most 8 KiB.
inline constexpr int kMaxMetadataBytes = 32 << 10;

// A bit set of compression algorithms, in which only the identity is set.
// Messages are tensors, which compression does not make smaller, and a small
// message that becomes a huge one would pass every limit.
inline constexpr int kCompressionAlgorithms = 1;

// The name of a trailing header, which every error has that the callee itself
// said.
inline constexpr char kSaidByCallee[] = "leat-status";

// A deadline that is further away than this is taken for none: its sum with the
// time of day might overflow.
inline constexpr std::chrono::hours kForever(24 * 365);

// Returns the address "unix:/path" with percent escapes, which gRPC decodes.
std::string EscapedUnixAddress(absl::string_view address);

// Returns the argument for gRPC's SetMaxReceiveMessageSize.
int MessageLimit(int64_t max_message_bytes);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_SETTINGS_H_
