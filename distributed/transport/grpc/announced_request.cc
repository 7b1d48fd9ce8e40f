// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/announced_request.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/runtime/host_memory.h"

namespace leat {
namespace {

// The free memory is not looked up for smaller requests, because they come too
// often.
constexpr int64_t kLarge = int64_t{1} << 20;

}  // namespace

absl::Status CheckAnnouncedRequest(absl::string_view announced,
                                   const RequestLimits& limits) {
  int64_t bytes = 0;
  if (!absl::SimpleAtoi(announced, &bytes) || bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the size of a request is announced as ", QuotedText(announced)));
  }
  if (bytes > limits.max_message_bytes) {
    // gRPC reports the same error for a request whose size was not announced.
    return AsTransportError(absl::ResourceExhaustedError(
        absl::StrCat("Received message larger than max (", bytes, " vs. ",
                     limits.max_message_bytes, ")")));
  }
  if (bytes > limits.max_transport_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "there is no room for a request of ", bytes,
        " bytes; all messages that are being received may have ",
        limits.max_transport_bytes, " bytes (--max-transport-bytes)"));
  }
  if (bytes >= kLarge && !HasFreeMemory(bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "there is no memory for a request of ", bytes, " bytes; ",
        FreeMemoryBytes(),
        " bytes are free (see --memory, --max-transport-bytes and the limits "
        "of the process)"));
  }
  return absl::OkStatus();
}

}  // namespace leat
