// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// RequestQueue: how the services of a task take messages: small ones where they
// come, others on the blocking queue, no more at once than there is room for.
// Thread-safe.
#ifndef LEAT_DISTRIBUTED_REQUEST_QUEUE_H_
#define LEAT_DISTRIBUTED_REQUEST_QUEUE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/parse_message.h"
#include "leat/distributed/payload.h"

namespace google::protobuf {
class Message;
class MessageLite;
}  // namespace google::protobuf

namespace leat {

class RequestQueue {
 public:
  // Where a message that is small enough is served.
  enum class Thread { kTransport, kBlocking };
  using Serve = absl::AnyInvocable<void(Payload, Reply) &&>;

  // `task`: for messages. `blocking` is borrowed and outlives this; what it
  // has been given may run when this is gone. `max_bytes`: of the headers that
  // wait there together, and of one once it is parsed.
  RequestQueue(std::string task, WorkQueue& blocking, int64_t max_bytes)
      : task_(std::move(task)), blocking_(blocking), max_bytes_(max_bytes) {}

  // Calls serve(payload, reply), or replies RESOURCE_EXHAUSTED when too much
  // waits already: a header counts until it has been served.
  void Take(Thread thread, Payload payload, Reply reply, Serve serve);

  // As ParseMessage, with the room that there is.
  absl::Status Parse(absl::string_view header,
                     google::protobuf::Message& message) const;

 private:
  const std::string task_;
  WorkQueue& blocking_;
  const int64_t max_bytes_;
  const std::shared_ptr<std::atomic<int64_t>> waiting_ =
      std::make_shared<std::atomic<int64_t>>(0);
};

// A message without tensors.
Payload ToPayload(const google::protobuf::MessageLite& message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REQUEST_QUEUE_H_
