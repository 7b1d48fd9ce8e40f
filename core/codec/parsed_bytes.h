// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParsedBytes estimates how much memory a serialized message would take if
// protobuf parsed it. Check an untrusted message with ParsedBytes before you
// parse it, because two bytes of a message can become an object of hundreds of
// bytes. The functions are stateless and thread-safe.
#ifndef LEAT_CORE_CODEC_PARSED_BYTES_H_
#define LEAT_CORE_CODEC_PARSED_BYTES_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace leat {

// ParsedBytes counts this many bytes for a message itself, without its fields,
// and for the pointers to it.
inline constexpr int64_t kParsedMessageBytes = 400;

// Returns roughly how many bytes of memory the serialized message `bytes` of
// type `type` takes when it is parsed. The estimate tends to be too high. When
// the count exceeds `limit`, stops and returns the count so far. A malformed
// message is counted up to where it is malformed. O(bytes), without recursion.
int64_t ParsedBytes(absl::string_view bytes,
                    const google::protobuf::Descriptor& type, int64_t limit);

}  // namespace leat

#endif  // LEAT_CORE_CODEC_PARSED_BYTES_H_
