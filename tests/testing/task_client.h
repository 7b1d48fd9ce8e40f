// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TaskClient: calls a task's methods, for tests that wait for what it says.
#ifndef LEAT_TESTS_TESTING_TASK_CLIENT_H_
#define LEAT_TESTS_TESTING_TASK_CLIENT_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"
#include "leat/distributed/transport.h"

namespace google::protobuf {
class MessageLite;
}  // namespace google::protobuf

namespace leat::testing {

// A call under way. Thread-safe.
class StartedCall {
 public:
  bool is_done() const;
  void Cancel() { cancellation_->Cancel(absl::CancelledError("by the test")); }

  // The answer. Fails the test, with DEADLINE_EXCEEDED, when there is none in a
  // minute. To be called once.
  absl::StatusOr<Payload> Wait();

 private:
  friend class TaskClient;

  const std::shared_ptr<Cancellation> cancellation_ =
      std::make_shared<Cancellation>();
  mutable Mutex mutex_;
  CondVar answered_;
  std::optional<absl::StatusOr<Payload>> answer_ ABSL_GUARDED_BY(mutex_);
};

// Thread-safe.
class TaskClient {
 public:
  // `transport` is borrowed and outlives this.
  TaskClient(Transport& transport, std::string address)
      : transport_(transport), address_(std::move(address)) {}

  std::shared_ptr<StartedCall> Start(
      const Method& method, const google::protobuf::MessageLite& request,
      WireTensors tensors = {});

  // Waits. `response` gets the fields that are no tensors.
  absl::Status Call(const Method& method,
                    const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite& response);

  // Creates the session, registers the graph in it (text format of a GraphDef)
  // and gives the graph's handle.
  absl::StatusOr<std::string> Register(const std::string& session,
                                       const std::string& graph);
  std::shared_ptr<StartedCall> Run(const std::string& session,
                                   const std::string& graph, int64_t step_id);
  // Of the task's first device.
  uint64_t Incarnation();

 private:
  Transport& transport_;
  const std::string address_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TASK_CLIENT_H_
