// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RequestQueue: how the services of a task take messages. Small messages are
// served on the thread that receives them, others on the blocking queue. If too
// many bytes wait there, messages are refused.
#ifndef LEAT_DISTRIBUTED_REQUESTS_REQUEST_QUEUE_H_
#define LEAT_DISTRIBUTED_REQUESTS_REQUEST_QUEUE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// Thread-safe. Replies and messages that wait belong to the blocking queue.
class RequestQueue {
 public:
  // Where a message that is small enough is served. Larger ones are always
  // served on the blocking queue.
  enum class Thread { kTransport, kBlocking };
  // Serves one message, and calls the reply once.
  using Serve = absl::AnyInvocable<void(Payload, Reply) &&>;

  // `task` names this task in error messages. `blocking` is borrowed and must
  // outlive this. Closures that it was given may run after this is gone.
  // `max_bytes` bounds the bytes of all headers that wait there, and the memory
  // of each parsed message.
  RequestQueue(std::string task, WorkQueue& blocking, int64_t max_bytes)
      : task_(std::move(task)), blocking_(blocking), max_bytes_(max_bytes) {}

  // Calls serve(payload, reply), now or on the blocking queue. Replies
  // RESOURCE_EXHAUSTED instead if too many bytes wait already. A header counts
  // until it has been served.
  void Take(Thread thread, Payload payload, Reply reply, Serve serve);

  // Parses a message as ParseMessage does, with the limit `max_bytes`, and
  // fails as it does.
  absl::Status Parse(absl::string_view header,
                     google::protobuf::Message& message) const;

 private:
  const std::string task_;
  WorkQueue& blocking_;
  const int64_t max_bytes_;
  // The bytes of the headers that wait. Shared with the closures in the
  // blocking queue, which may run after this is gone.
  const std::shared_ptr<std::atomic<int64_t>> waiting_ =
      std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REQUESTS_REQUEST_QUEUE_H_
