// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TaskClient calls the methods of one task, for tests that wait for the
// answers.
//
//   TaskClient client(*transport, address);
//   pb::GetStatusResponse status;
//   absl::Status called =
//       client.Call(methods::kGetStatus, pb::GetStatusRequest(), status);
#ifndef LEAT_TESTS_TESTING_TASK_CLIENT_H_
#define LEAT_TESTS_TESTING_TASK_CLIENT_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace google::protobuf {
class MessageLite;
}  // namespace google::protobuf

namespace leat::testing {

// A StartedCall is a call in progress. It is thread-safe.
class StartedCall {
 public:
  // Returns whether the answer has arrived.
  bool is_done() const;
  // Cancels the call. The answer is then CANCELLED, unless another answer has
  // already arrived.
  void Cancel() { cancellation_->Cancel(absl::CancelledError("by the test")); }

  // Waits for the answer and returns it. If there is no answer by the
  // WaitLimit, fails the test and returns DEADLINE_EXCEEDED. Must be called
  // only once.
  absl::StatusOr<Payload> Wait();

 private:
  friend class TaskClient;

  const std::shared_ptr<Cancellation> cancellation_ =
      std::make_shared<Cancellation>();
  mutable Mutex mutex_;
  CondVar answered_;
  std::optional<absl::StatusOr<Payload>> answer_ ABSL_GUARDED_BY(mutex_);
};

// Is thread-safe.
class TaskClient {
 public:
  // `transport` is borrowed and must outlive this object and its calls.
  TaskClient(Transport& transport, std::string address)
      : transport_(transport), address_(std::move(address)) {}

  // Starts a call and returns without waiting.
  std::shared_ptr<StartedCall> Start(
      const Method& method, const google::protobuf::MessageLite& request,
      WireTensors tensors = {});

  // Starts a call with a request that is already serialized. The bytes need not
  // be a valid message.
  std::shared_ptr<StartedCall> Start(const Method& method, Payload request);

  // Makes a call and waits for the answer. `response` gets the fields that are
  // not tensors. Returns the status of the call.
  absl::Status Call(const Method& method,
                    const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite& response);

  // Creates the worker session `session` and registers `graph`, a GraphDef in
  // text form, in the session. Returns the handle of the graph.
  absl::StatusOr<std::string> Register(const std::string& session,
                                       const std::string& graph);
  // Starts a RunGraph call for a registered graph, without feeds and fetches.
  std::shared_ptr<StartedCall> Run(const std::string& session,
                                   const std::string& graph, int64_t step_id);
  // Returns the incarnation of the task's first device, or 0 if it has none.
  uint64_t Incarnation();

 private:
  Transport& transport_;
  const std::string address_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TASK_CLIENT_H_
