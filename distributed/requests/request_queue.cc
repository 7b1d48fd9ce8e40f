// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/requests/request_queue.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "google/protobuf/message.h"
#include "leat/runtime/host_memory.h"

namespace leat {

void RequestQueue::Take(Thread thread, Payload payload, Reply reply,
                        Serve serve) {
  const auto bytes = static_cast<int64_t>(payload.header.size());
  if (thread == Thread::kTransport && bytes <= kMaxInlineHeaderBytes) {
    return std::move(serve)(std::move(payload), std::move(reply));
  }
  auto waiting = waiting_;
  if (waiting->fetch_add(bytes) > max_bytes_ - bytes) {
    waiting->fetch_sub(bytes);
    return std::move(reply)(absl::ResourceExhaustedError(
        absl::StrCat(task_, " has no room for a message of ", bytes,
                     " bytes beside those that it serves; all of them together "
                     "may have ",
                     max_bytes_, " bytes (--max-transport-bytes)")));
  }
  blocking_.Add([bytes, waiting = std::move(waiting), serve = std::move(serve),
                 payload = std::move(payload),
                 reply = std::move(reply)]() mutable {
    std::move(serve)(std::move(payload), std::move(reply));
    waiting->fetch_sub(bytes);
  });
}

absl::Status RequestQueue::Parse(absl::string_view header,
                                 google::protobuf::Message& message) const {
  // What is made of a graph takes about as much memory again.
  const int64_t free_bytes = FreeMemoryBytes() / 3;
  const absl::Status status =
      ParseMessage(header, std::min(max_bytes_, free_bytes), message);
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError(absl::StrCat(
      status.message(), max_bytes_ <= free_bytes
                            ? " (--max-transport-bytes)"
                            : ", a third of the memory that this process may "
                              "still take (see --memory)"));
}

}  // namespace leat
