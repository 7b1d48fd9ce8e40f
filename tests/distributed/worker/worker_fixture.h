// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkerTest is the fixture for tests of the worker service. It has two tasks,
// the ps and the worker, and makes calls to the ps.
#ifndef LEAT_TESTS_DISTRIBUTED_WORKER_WORKER_FIXTURE_H_
#define LEAT_TESTS_DISTRIBUTED_WORKER_WORKER_FIXTURE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/random_id.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"
#include "leat/tests/distributed/recv_messages.h"
#include "leat/tests/distributed/worker/worker_testing.h"
#include "leat/tests/testing/graph_text.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::testing {

// Calls go to handlers directly, on the thread of the test, in simulated time.
// TearDown expects that no task holds a session, a graph, a step or memory of
// tensors any more.
class WorkerTest : public ::testing::Test {
 protected:
  // Both tasks have `limits`.
  explicit WorkerTest(const ServerLimits& limits = {})
      : cluster({"ps", "worker"}, limits), task(cluster[0]) {}

  void TearDown() override { cluster.ExpectNothingLeft(); }

  // Registers the step y = x * 2, of floats, on the ps.
  RegisteredStep Doubles(const std::string& session) {
    GraphBuilder b;
    const Scope ps = b.OnDevice("/job:ps/cpu:0");
    const Output x = b.Placeholder<float>("x");
    const Output y = x * 2.0f;
    return Register(session, b, {.feeds = {"x"}, .fetches = {y.name()}});
  }
  // Builds the graph, plans a step of the graph and registers the parts of the
  // step in `session`. Fails the test if that does not succeed.
  RegisteredStep Register(const std::string& session, GraphBuilder& b,
                          StepSignature signature) {
    const auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto step = cluster.Register(session, *graph, std::move(signature));
    EXPECT_TRUE(step.ok()) << step.status();
    return *std::move(step);
  }

  // Returns a RunGraph request for the first part of `step`, without feeds and
  // fetches, in a new step.
  static pb::RunGraphRequest Request(const RegisteredStep& step) {
    return RunRequest(step.session, step.parts[0].graph, RandomStepId());
  }
  // Runs the part on the ps, waits for the answer, and cleans the step up.
  RunAnswer Run(const pb::RunGraphRequest& request, WireTensors feeds = {}) {
    RunAnswer answer =
        WaitForRun(*task.Start(methods::kRunGraph, request, std::move(feeds)));
    EXPECT_TRUE(task.CleanupGraph(request.step_id()).ok());
    return answer;
  }

  // Registers a graph in text form on the ps and returns the status.
  absl::Status RegisterText(const std::string& text) {
    return task.Register("", ParseGraph(text)).status();
  }
  // Returns the text that puts a node on the device of the ps.
  std::string OnPs() const {
    return absl::StrCat("device: \"", task.device(), "\" ");
  }

  // Asks the ps for one tensor, as a peer does.
  CallRef Recv(const std::string& key, int64_t step_id,
               int64_t request_id = 0) {
    return task.Start(methods::kRecvTensor,
                      RequestOne(step_id, key, request_id));
  }
  // Asks the ps for several tensors with one call.
  CallRef RecvAll(const std::vector<std::string>& keys, int64_t step_id,
                  int64_t request_id = 0) {
    return task.Start(methods::kRecvTensors,
                      RequestList(step_id, keys, request_id));
  }
  // Returns the key of a tensor that the ps sends to the worker.
  std::string KeyForWorker(const std::string& tensor_name) {
    return RendezvousKey{.send_device = task.device(),
                         .send_incarnation = task.incarnation(),
                         .recv_device = cluster[1].device(),
                         .tensor_name = tensor_name}
        .ToString();
  }

  SimulatedClock clock;
  TestCluster cluster;
  TestTask& task;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_WORKER_WORKER_FIXTURE_H_
