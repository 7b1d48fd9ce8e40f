// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RequestQueue chooses the thread on which a service of a task handles a
// message. Small messages are served on the thread that receives them, others
// on the blocking queue. If too many bytes wait in the blocking queue, the
// RequestQueue refuses further messages.
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
#include "leat/runtime/host_memory.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// Is thread-safe. The blocking queue owns the messages that wait, and their
// replies.
class RequestQueue {
 public:
  // Says on which thread a small message is served. Larger messages are always
  // served on the blocking queue.
  enum class Thread { kTransport, kBlocking };
  // Serves one message, and calls the reply once.
  using Serve = absl::AnyInvocable<void(Payload, Reply) &&>;

  // `task` names this task in error messages. `blocking` is borrowed and must
  // outlive this. Messages that were added to `blocking` may be served after
  // this is destroyed. `max_bytes` bounds the bytes of all headers that wait in
  // `blocking`, and the memory of each parsed message.
  RequestQueue(std::string task, WorkQueue& blocking, int64_t max_bytes)
      : task_(std::move(task)), blocking_(blocking), max_bytes_(max_bytes) {}

  // Calls serve(payload, reply), either now or later on the blocking queue. If
  // too many bytes wait already, replies with RESOURCE_EXHAUSTED instead. The
  // bytes of a header count as waiting until its message has been served.
  void Take(Thread thread, Payload payload, Reply reply, Serve serve);

  // Parses a message as ParseMessage does, with the limit `max_bytes`, and
  // fails as ParseMessage does.
  absl::Status Parse(absl::string_view header,
                     google::protobuf::Message& message) const;

 private:
  const std::string task_;
  WorkQueue& blocking_;
  const int64_t max_bytes_;
  // Is the number of bytes of the headers that wait. The closures in the
  // blocking queue share this counter, because they may run after the
  // RequestQueue is destroyed.
  const std::shared_ptr<std::atomic<int64_t>> waiting_ =
      std::make_shared<std::atomic<int64_t>>(0);
};

// Is true for the types of messages that have a graph.
template <class Request>
inline constexpr bool kHasGraph = requires(const Request& request) {
  request.graph_def();
};

// Reserves the memory that the graph in `header` will take after parsing.
// `message` gives only the type of the message in `header`. Fails as
// MemoryReservation::Take does. This function takes as much time as parsing
// does.
absl::StatusOr<MemoryReservation> ReserveForGraph(
    absl::string_view header, const google::protobuf::Message& message);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REQUESTS_REQUEST_QUEUE_H_
