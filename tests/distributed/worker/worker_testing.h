// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the tasks of a cluster in one process, for tests of the worker. Each
// task is a Worker with everything that it borrows. TestCluster does what a
// master does with its tasks.
#ifndef LEAT_TESTS_DISTRIBUTED_WORKER_WORKER_TESTING_H_
#define LEAT_TESTS_DISTRIBUTED_WORKER_WORKER_TESTING_H_

#include <google/protobuf/message_lite.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/exchange/open_recvs.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/worker/worker.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/client_terminated.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/tests/testing/in_process_network.h"

namespace leat::testing {

// A DirectCall is a call of a handler, made on the thread of the test. It is
// thread-safe.
class DirectCall {
 public:
  // Returns true if the handler has answered.
  bool is_done() const;
  // Cancels the call, as its caller would.
  void Cancel() {
    context->cancellation.Cancel(absl::CancelledError("by the test"));
  }
  // Waits for the answer. If there is none by the WaitLimit, fails the test and
  // returns UNKNOWN. Must be called once.
  absl::StatusOr<Payload> Wait();

  const std::shared_ptr<CallContext> context = std::make_shared<CallContext>();

 private:
  friend class TestTask;
  mutable Mutex mutex_;
  CondVar answered_;
  std::optional<absl::StatusOr<Payload>> answer_ ABSL_GUARDED_BY(mutex_);
};
using CallRef = std::shared_ptr<DirectCall>;

// Holds the answer to RunGraph. If the response contains an error, `status` is
// that error.
struct RunAnswer {
  absl::Status status = {};
  pb::RunGraphResponse response = {};
  WireTensors tensors = {};
};
// Waits for the answer to a RunGraph call.
RunAnswer WaitForRun(DirectCall& call);

// A TestTask is a task that listens on an in-process network. A test can also
// call the task's handlers directly, on the test's thread. A TestTask owns
// everything that its Worker borrows.
class TestTask {
 public:
  // `costs_folder` is that of DeviceSetOptions.
  TestTask(const TaskId& id, const ClusterSpec& cluster,
           const std::shared_ptr<InProcessNetwork>& network,
           const ServerLimits& limits, const std::string& costs_folder);
  ~TestTask();

  const std::string& name() const { return name_; }
  // Returns the full name of CPU:0 of this task.
  const std::string& device() const { return devices_->devices()[0]->name(); }
  // Returns the incarnation of CPU:0 of this task.
  uint64_t incarnation() const {
    return devices_->devices()[0]->info().incarnation;
  }
  DeviceSet& devices() { return *devices_; }
  StepTable& steps() { return *steps_; }
  Worker& worker() { return *worker_; }
  WorkQueue& blocking() { return *blocking_; }
  // Returns what this task knows about the kind of the task `other`: kUnknown,
  // kLeat or kTensorFlow.
  PeerTraffic::Kind KindOf(const std::string& other) const {
    return peers_->traffic()->Of(other).totals().kind;
  }
  // Returns the receiver of the tensors that this task gets from other tasks.
  const TensorReceiver& receiver() const { return *receiver_; }
  // Returns the tensors for which this task waits, and the tensors of this task
  // for which other tasks wait.
  const OpenRecvs& recvs() const { return peers_->traffic()->recvs(); }

  // Calls the handler of `method`. The handler's reply goes to `call`.
  void Serve(const Method& method, Payload request, const CallRef& call);
  // Both overloads of Start call the handler and return the call. If `timeout`
  // is given, the call has a deadline.
  CallRef Start(const Method& method, Payload request);
  CallRef Start(const Method& method,
                const google::protobuf::MessageLite& request,
                WireTensors tensors = {},
                std::optional<std::chrono::milliseconds> timeout = {});
  // Calls the handler, waits, and parses the header of the answer.
  template <class Response>
  absl::StatusOr<Response> Call(const Method& method,
                                const google::protobuf::MessageLite& request) {
    LEAT_ASSIGN_OR_RETURN(const Payload answer, Start(method, request)->Wait());
    Response response;
    EXPECT_TRUE(response.ParseFromString(answer.header));
    return response;
  }

  // CreateSession, DeleteSession, Register, Deregister and CleanupGraph each
  // call the worker's method with this purpose, as a master does, and wait for
  // the answer.
  absl::Status CreateSession(const std::string& handle, bool isolated = false,
                             const std::string& master_task = "",
                             int64_t master_incarnation = 0);
  absl::Status DeleteSession(const std::string& handle);
  // Registers the graph and returns its handle. The session "" always exists.
  absl::StatusOr<std::string> Register(const std::string& session,
                                       const pb::GraphDef& graph);
  absl::Status Deregister(const std::string& session, const std::string& graph);
  absl::Status CleanupGraph(int64_t step_id);

  // Returns the rendezvous key of a tensor that is fed to or fetched from this
  // task.
  std::string Key(const std::string& tensor_name) const;
  // Expects that the task has no sessions, graphs or steps. Then clears the
  // variables, and expects that no memory of tensors is in use.
  void ExpectNothingLeft();
  void ClearVariables() { devices_->resources().ClearContainers(); }

 private:
  const std::string name_;
  // The members have the order that they have in a server (server.cc).
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<TensorReceiver> receiver_;
  std::unique_ptr<DeviceSet> devices_;
  std::unique_ptr<TimerQueue> timers_;
  std::unique_ptr<WorkQueue> blocking_;  // one thread
  std::unique_ptr<StepTable> steps_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Transport> transport_;
  MethodTable methods_;
  std::unique_ptr<Listener> listener_;
};

// Returns a RunGraph request with a new request id. The request asks for errors
// in the response rather than in the status of the call.
pb::RunGraphRequest RunRequest(const std::string& session,
                               const std::string& graph, int64_t step_id);

// Describes a step whose parts are registered with the tasks that take part.
struct RegisteredStep {
  struct Part {
    TestTask* task = nullptr;
    std::string graph = {};
    Boundary boundary = {};
  };
  std::string session = {};
  std::vector<Part> parts = {};
  size_t num_fetches = 0;
};

// A TestCluster is a cluster with one task of each job. The tasks reach each
// other over an in-process network. A TestCluster owns the tasks.
class TestCluster {
 public:
  explicit TestCluster(const std::vector<std::string>& jobs,
                       const ServerLimits& limits = {},
                       const std::string& costs_folder = "");

  // Returns the task of the i-th job.
  TestTask& operator[](size_t i) { return *tasks_[i]; }

  // Creates the session on every task. Returns the first error.
  absl::Status CreateSession(const std::string& handle, bool isolated = false);
  void DeleteSession(const std::string& handle);

  // Plans the step and registers its parts, as a master does. REQUIRES: the
  // session exists on every task.
  absl::StatusOr<RegisteredStep> Register(const std::string& session,
                                          const Graph& graph,
                                          StepSignature signature);
  void Deregister(const RegisteredStep& step);

  // Calls RunGraph for each part and returns the calls, in the order of the
  // parts. `feeds` are in the order of the signature.
  std::vector<CallRef> Start(const RegisteredStep& step, int64_t step_id,
                             const std::vector<Tensor>& feeds);
  // Waits for the calls and returns the fetched tensors. When a call fails,
  // cancels the other calls and returns an error. Prefers an error that is not
  // marked as derived (IsDerived). Cleans the step up on the tasks that take
  // part.
  absl::StatusOr<std::vector<Tensor>> Wait(const RegisteredStep& step,
                                           int64_t step_id,
                                           const std::vector<CallRef>& calls);
  // Starts the step and waits for it.
  absl::StatusOr<std::vector<Tensor>> Run(const RegisteredStep& step,
                                          int64_t step_id,
                                          const std::vector<Tensor>& feeds);

  // Clears all variables and calls TestTask::ExpectNothingLeft for each task.
  void ExpectNothingLeft();

 private:
  std::shared_ptr<InProcessNetwork> network_;
  std::vector<std::unique_ptr<TestTask>> tasks_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_WORKER_WORKER_TESTING_H_
