// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ToPayload makes a payload of a message of protobuf. ParseMessage and
// ParseSmall parse what a peer has sent, so that no message takes more memory,
// or more of a transport thread's time, than a limit allows. Stateless,
// thread-safe.
#ifndef LEAT_DISTRIBUTED_WIRE_MESSAGES_H_
#define LEAT_DISTRIBUTED_WIRE_MESSAGES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/distributed/wire/payload.h"

namespace google::protobuf {
class Message;
class MessageLite;
}  // namespace google::protobuf

namespace leat {

// Returns `message` as a payload without tensors.
Payload ToPayload(const google::protobuf::MessageLite& message);

// A transport's thread does not parse headers that are larger than this.
inline constexpr int64_t kMaxInlineHeaderBytes = int64_t{64} << 10;

// The most memory that the header of an answer may take once it is parsed.
inline constexpr int64_t kMaxAnswerBytes = int64_t{4} << 30;

// Returns INVALID_ARGUMENT if `header_bytes`, the size of a header, is above
// kMaxInlineHeaderBytes. For messages that are never so large; `name` is the
// name of the message's type.
absl::Status CheckInlineHeader(absl::string_view name, size_t header_bytes);

// Parses the header of a message that is never large. Returns INVALID_ARGUMENT,
// without having parsed it, if it is above kMaxInlineHeaderBytes, and also if
// the bytes are not a message of that type.
absl::Status ParseSmall(absl::string_view header,
                        google::protobuf::Message& message);

// Parses `header` into `message`. Returns RESOURCE_EXHAUSTED, without having
// parsed it, if the parsed message would take more than `max_bytes`, and
// INVALID_ARGUMENT if the bytes are not a message of that type.
absl::Status ParseMessage(absl::string_view header, int64_t max_bytes,
                          google::protobuf::Message& message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_MESSAGES_H_
