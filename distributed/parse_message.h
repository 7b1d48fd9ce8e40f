// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ParseMessage: how what a peer has sent is parsed, so that no message takes
// more memory, or more of a transport's time, than there is a limit for.
#ifndef LEAT_DISTRIBUTED_PARSE_MESSAGE_H_
#define LEAT_DISTRIBUTED_PARSE_MESSAGE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// Larger headers are not parsed on a thread of the transport.
inline constexpr int64_t kMaxInlineHeaderBytes = int64_t{64} << 10;

// That the header of an answer may take once it is parsed.
inline constexpr int64_t kMaxAnswerBytes = int64_t{4} << 30;

// INVALID_ARGUMENT for the header of a message, of that name, which is never so
// large.
absl::Status CheckInlineHeader(absl::string_view name,
                               absl::string_view header);

// INVALID_ARGUMENT for bytes that are no such message; RESOURCE_EXHAUSTED,
// before it is parsed, for one that would take more than `max_bytes`.
absl::Status ParseMessage(absl::string_view header, int64_t max_bytes,
                          google::protobuf::Message& message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_PARSE_MESSAGE_H_
