// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParseMessage: parses what a peer has sent, so that no message takes more
// memory, or more of a transport thread's time, than a limit allows. Stateless,
// thread-safe.
#ifndef LEAT_DISTRIBUTED_WIRE_PARSE_MESSAGE_H_
#define LEAT_DISTRIBUTED_WIRE_PARSE_MESSAGE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// A transport's thread does not parse headers that are larger than this.
inline constexpr int64_t kMaxInlineHeaderBytes = int64_t{64} << 10;

// The most memory that the header of an answer may take once it is parsed.
inline constexpr int64_t kMaxAnswerBytes = int64_t{4} << 30;

// Returns INVALID_ARGUMENT if `header` is above kMaxInlineHeaderBytes. For
// messages that are never so large; `name` is the name of the message's type.
absl::Status CheckInlineHeader(absl::string_view name,
                               absl::string_view header);

// Parses `header` into `message`. Returns RESOURCE_EXHAUSTED, without having
// parsed it, if the parsed message would take more than `max_bytes`, and
// INVALID_ARGUMENT if the bytes are not a message of that type.
absl::Status ParseMessage(absl::string_view header, int64_t max_bytes,
                          google::protobuf::Message& message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_PARSE_MESSAGE_H_
