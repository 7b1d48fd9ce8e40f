// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ToPayload converts a protobuf message to a payload. ParseMessage and
// ParseSmall parse headers that a peer has sent. They limit the memory that a
// parsed message takes, and the time that parsing takes on a transport's
// thread. The functions are stateless and thread-safe.
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

// Limits the memory, in bytes, that the parsed header of an answer may take.
inline constexpr int64_t kMaxAnswerBytes = int64_t{4} << 30;

// Returns INVALID_ARGUMENT if `header_bytes`, the size of a header, is above
// kMaxInlineHeaderBytes. Callers use this function for messages that are never
// that large. `name` is the name of the message's type, for the error.
absl::Status CheckInlineHeader(absl::string_view name, size_t header_bytes);

// Parses the header of a message that is never large. Returns INVALID_ARGUMENT,
// without parsing, if the header is larger than kMaxInlineHeaderBytes. Also
// returns INVALID_ARGUMENT if the header is not a message of that type.
absl::Status ParseSmall(absl::string_view header,
                        google::protobuf::Message& message);

// Parses `header` into `message`. Returns RESOURCE_EXHAUSTED, without parsing,
// if the header is larger than kMaxInlineHeaderBytes and the parsed message
// would take more than `max_bytes`. Returns INVALID_ARGUMENT if the bytes are
// not a message of that type.
absl::Status ParseMessage(absl::string_view header, int64_t max_bytes,
                          google::protobuf::Message& message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WIRE_MESSAGES_H_
