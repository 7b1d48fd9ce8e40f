// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the settings of gRPC that both ends of a connection agree on. The
// functions are stateless.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_SETTINGS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_SETTINGS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Limits the size of one set of headers, in bytes. TensorFlow's tasks send at
// most 8 KiB.
inline constexpr int kMaxMetadataBytes = 32 << 10;

// Is a bit set of compression algorithms. Only the bit for no compression is
// set. Messages consist of tensors, which compression does not make smaller.
// Besides, a small compressed message could become a huge one after all limits
// were checked.
inline constexpr int kCompressionAlgorithms = 1;

// Is the name of a trailing header that marks the errors that the callee itself
// reported.
inline constexpr char kSaidByCallee[] = "leat-status";

// Is the name of a header with the size of a request, in bytes. A caller sends
// the header with each request of at least kAnnouncedBytes.
inline constexpr char kRequestBytes[] = "leat-request-bytes";
inline constexpr size_t kAnnouncedBytes = size_t{1} << 16;
// Is the name of a header with the size of a response, in bytes. The callee
// sends it with its first headers. If the caller has no room for the response
// now, the caller compares this size with its limit to find out whether the
// response can ever fit.
inline constexpr char kResponseBytes[] = "leat-response-bytes";

// A deadline that is further away than this is treated as no deadline, because
// its sum with the time of day might overflow.
inline constexpr std::chrono::hours kForever(24 * 365);

// Returns the address "unix:/path" with percent escapes, which gRPC decodes.
std::string EscapedUnixAddress(absl::string_view address);

// Returns the argument for gRPC's SetMaxReceiveMessageSize.
int MessageLimit(int64_t max_message_bytes);

// Returns `time` in milliseconds as an argument of gRPC, from 1 to INT32_MAX.
int Milliseconds(std::chrono::milliseconds time);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_SETTINGS_H_
