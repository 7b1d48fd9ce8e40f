// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReceiveRoom: decides, before a large request is received, whether there is
// memory for it. Callers that are Leat's announce the size of a large request
// in a header (kRequestBytes). gRPC has no such decision: it receives a message
// until its quota is used up, and then ends the call without a reason.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_RECEIVE_ROOM_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_RECEIVE_ROOM_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Thread-safe.
class ReceiveRoom {
 public:
  // `max_message_bytes` limits each request, and `max_bytes` limits the
  // announced requests that are being received at a time.
  ReceiveRoom(int64_t max_message_bytes, int64_t max_bytes)
      : max_message_bytes_(max_message_bytes), max_bytes_(max_bytes) {}

  // Reserves room for a request of `announced` bytes, the text of the header.
  // Sets `bytes` to what the caller must give back with Leave, also after an
  // error. Returns RESOURCE_EXHAUSTED, naming the limit's flag, if there is no
  // room. Returns gRPC's error, a transport error, if the request is larger
  // than a message may be. Returns INVALID_ARGUMENT if the text is no number of
  // bytes.
  absl::Status Enter(absl::string_view announced, int64_t& bytes);
  void Leave(int64_t bytes) {
    entered_.fetch_sub(bytes, std::memory_order_relaxed);
  }

 private:
  const int64_t max_message_bytes_;
  const int64_t max_bytes_;
  std::atomic<int64_t> entered_{0};
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_RECEIVE_ROOM_H_
