// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParsedBytes: how much memory protobuf would take to parse a message, without
// parsing it: two bytes of an untrusted message can become an object of
// hundreds. Thread-safe.
#ifndef LEAT_CORE_PARSED_BYTES_H_
#define LEAT_CORE_PARSED_BYTES_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace leat {

// What a message without any fields counts for, with what points at it.
inline constexpr int64_t kParsedMessageBytes = 400;

// About what `bytes`, a message of this type, takes when it is parsed, rather
// more than less; once that is above `limit`, what has been counted. Bytes that
// are malformed count up to where they are. O(bytes), without recursion.
int64_t ParsedBytes(absl::string_view bytes,
                    const google::protobuf::Descriptor& type, int64_t limit);

}  // namespace leat

#endif  // LEAT_CORE_PARSED_BYTES_H_
