// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/receive_room.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/runtime/host_memory.h"

namespace leat {

absl::Status ReceiveRoom::Enter(absl::string_view announced, int64_t& bytes) {
  bytes = 0;
  int64_t wanted = 0;
  if (!absl::SimpleAtoi(announced, &wanted) || wanted < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the size of a request is announced as ", QuotedText(announced)));
  }
  if (wanted > max_message_bytes_) {
    // gRPC says the same of a request whose size was not announced.
    return AsTransportError(absl::ResourceExhaustedError(
        absl::StrCat("Received message larger than max (", wanted, " vs. ",
                     max_message_bytes_, ")")));
  }
  const int64_t others = entered_.fetch_add(wanted, std::memory_order_relaxed);
  bytes = wanted;
  if (wanted > max_bytes_ - others) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "there is no room for a request of ", wanted, " bytes beside ", others,
        " bytes that are being received; together they may have ", max_bytes_,
        " bytes (--max-transport-bytes)"));
  }
  if (!HasFreeMemory(wanted)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "there is no memory for a request of ", wanted, " bytes; ",
        FreeMemoryBytes(),
        " bytes are free (see --memory, --max-transport-bytes and the limits "
        "of the process)"));
  }
  return absl::OkStatus();
}

}  // namespace leat
