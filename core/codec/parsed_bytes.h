// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParsedBytes estimates how much memory protobuf would take to parse a message,
// without parsing it. Untrusted messages must be checked with it first, because
// two bytes of a message can become an object of hundreds of bytes. Stateless,
// thread-safe.
#ifndef LEAT_CORE_CODEC_PARSED_BYTES_H_
#define LEAT_CORE_CODEC_PARSED_BYTES_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace leat {

// The bytes that are counted for a message without fields and for the pointers
// to it.
inline constexpr int64_t kParsedMessageBytes = 400;

// Returns roughly how many bytes of memory `bytes`, a serialized message of
// `type`, takes when it is parsed; the estimate tends to be too high. Stops
// when the count exceeds `limit` and returns the count so far. A malformed
// message is counted up to where it is malformed. O(bytes), without recursion.
int64_t ParsedBytes(absl::string_view bytes,
                    const google::protobuf::Descriptor& type, int64_t limit);

}  // namespace leat

#endif  // LEAT_CORE_CODEC_PARSED_BYTES_H_
