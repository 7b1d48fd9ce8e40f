// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tasks of a cluster in one process, each a Worker with all it borrows, and
// what a master does with them, for tests of the worker.
#ifndef LEAT_TESTS_DISTRIBUTED_WORKER_TESTING_H_
#define LEAT_TESTS_DISTRIBUTED_WORKER_TESTING_H_

#include <google/protobuf/message_lite.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "leat/core/mutex.h"
#include "leat/core/status_macros.h"
#include "leat/core/timer_queue.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/cluster.h"
#include "leat/distributed/in_process.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/open_recvs.h"
#include "leat/distributed/peers.h"
#include "leat/distributed/step_table.h"
#include "leat/distributed/worker.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/client_terminated.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/device_set.h"

namespace leat::testing {

// A call of a handler, on the thread of the test. Thread-safe.
class DirectCall {
 public:
  bool is_done() const;
  // The caller gives up.
  void Cancel() {
    context->cancellation.Cancel(absl::CancelledError("by the test"));
  }
  // Fails the test, with UNKNOWN, when there is no answer in a minute. To be
  // called once.
  absl::StatusOr<Payload> Wait();

  const std::shared_ptr<CallContext> context = std::make_shared<CallContext>();

 private:
  friend class TestTask;
  mutable Mutex mutex_;
  CondVar answered_;
  std::optional<absl::StatusOr<Payload>> answer_ ABSL_GUARDED_BY(mutex_);
};
using CallRef = std::shared_ptr<DirectCall>;

// What RunGraph has answered, the error in the response as a status.
struct RunAnswer {
  absl::Status status = {};
  pb::RunGraphResponse response = {};
  WireTensors tensors = {};
};
RunAnswer WaitForRun(DirectCall& call);

class TestTask {
 public:
  TestTask(const TaskId& id, const ClusterSpec& cluster,
           const std::shared_ptr<InProcessNetwork>& network,
           const ServerLimits& limits);
  ~TestTask();

  const std::string& name() const { return name_; }
  // "CPU:0" of this task.
  const std::string& device() const { return devices_->devices()[0]->name(); }
  uint64_t incarnation() const {
    return devices_->devices()[0]->info().incarnation;
  }
  DeviceSet& devices() { return *devices_; }
  StepTable& steps() { return *steps_; }
  Worker& worker() { return *worker_; }
  WorkQueue& blocking() { return *blocking_; }
  // What it knows of another task.
  PeerTraffic::Kind KindOf(const std::string& other) const {
    return peers_->traffic()->Of(other).totals().kind;
  }
  // What it waits for, and others from it.
  const OpenRecvs& recvs() const { return peers_->traffic()->recvs(); }

  void Serve(const Method& method, Payload request, const CallRef& call);
  CallRef Start(const Method& method, Payload request);
  CallRef Start(const Method& method,
                const google::protobuf::MessageLite& request,
                WireTensors tensors = {},
                std::optional<std::chrono::milliseconds> timeout = {});
  template <class Response>
  absl::StatusOr<Response> Call(const Method& method,
                                const google::protobuf::MessageLite& request) {
    LEAT_ASSIGN_OR_RETURN(const Payload answer, Start(method, request)->Wait());
    Response response;
    EXPECT_TRUE(response.ParseFromString(answer.header));
    return response;
  }

  absl::Status CreateSession(const std::string& handle, bool isolated = false,
                             const std::string& master_task = "",
                             int64_t master_incarnation = 0);
  absl::Status DeleteSession(const std::string& handle);
  // Session "": the one that is always there.
  absl::StatusOr<std::string> Register(const std::string& session,
                                       const pb::GraphDef& graph);
  absl::Status Deregister(const std::string& session, const std::string& graph);
  absl::Status CleanupGraph(int64_t step_id);

  // The key of what is fed to or fetched from this task.
  std::string Key(const std::string& tensor_name) const;
  // Everything ended: no sessions, graphs, steps, and no memory of tensors once
  // the variables are cleared.
  void ExpectNothingLeft();
  void ClearVariables() { devices_->resources().ClearContainers(); }

 private:
  const std::string name_;
  // As in a server (server.cc).
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<DeviceSet> devices_;
  std::unique_ptr<TimerQueue> timers_;
  std::unique_ptr<WorkQueue> blocking_;  // one thread
  std::unique_ptr<StepTable> steps_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Transport> transport_;
  MethodTable methods_;
  std::unique_ptr<Listener> listener_;
};

// A request for that graph, with a request id of its own and errors in the
// response.
pb::RunGraphRequest RunRequest(const std::string& session,
                               const std::string& graph, int64_t step_id);

// A step, registered with the tasks that take part.
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

// One task of each job.
class TestCluster {
 public:
  explicit TestCluster(const std::vector<std::string>& jobs,
                       const ServerLimits& limits = {});

  TestTask& operator[](size_t i) { return *tasks_[i]; }

  absl::Status CreateSession(const std::string& handle, bool isolated = false);
  void DeleteSession(const std::string& handle);

  // Plans the step as a master does. The session exists in every task.
  absl::StatusOr<RegisteredStep> Register(const std::string& session,
                                          const Graph& graph,
                                          StepSignature signature);
  void Deregister(const RegisteredStep& step);

  // One call a part.
  std::vector<CallRef> Start(const RegisteredStep& step, int64_t step_id,
                             const std::vector<Tensor>& feeds);
  // What was fetched, or the error that is not derived, if there is such a one;
  // gives the other calls up when one fails, and cleans up.
  absl::StatusOr<std::vector<Tensor>> Wait(const RegisteredStep& step,
                                           int64_t step_id,
                                           const std::vector<CallRef>& calls);
  absl::StatusOr<std::vector<Tensor>> Run(const RegisteredStep& step,
                                          int64_t step_id,
                                          const std::vector<Tensor>& feeds);

  void ExpectNothingLeft();

 private:
  std::shared_ptr<InProcessNetwork> network_;
  std::vector<std::unique_ptr<TestTask>> tasks_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_WORKER_TESTING_H_
