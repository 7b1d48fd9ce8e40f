// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/requests/request_queue.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/runtime/host_memory.h"

namespace leat {
namespace {

// Until a graph is planned and registered, it takes kMemoryOfGraph times the
// memory of its parsed message.
constexpr int64_t kMemoryOfGraph = 3;
// Limits the estimated size of a parsed message, in bytes.
constexpr int64_t kMostParsedBytes = int64_t{1} << 50;

}  // namespace

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
  const absl::Status status = ParseMessage(header, max_bytes_, message);
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError(
      absl::StrCat(status.message(), " (--max-transport-bytes)"));
}

absl::StatusOr<MemoryReservation> ReserveForGraph(
    absl::string_view header, const google::protobuf::Message& message) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  return MemoryReservation::Take(
      kMemoryOfGraph * ParsedBytes(header, type, kMostParsedBytes),
      absl::StrCat("a ", type.name(), " of ", header.size(), " bytes"));
}

}  // namespace leat
