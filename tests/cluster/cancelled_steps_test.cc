// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that steps on two served tasks leave nothing behind when clients cancel
// the steps.
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/ops.h"
#include "leat/protos/master.pb.h"
#include "leat/runtime/session.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/sanitizers.h"
#include "leat/tests/testing/task_client.h"

namespace leat::cancelled_steps_test {
namespace {

using testing::NumSeeds;
using testing::ServedCluster;
using testing::TaskClient;
using Code = absl::StatusCode;

const TaskId kTasks[] = {{"ps", 0}, {"worker", 0}};
constexpr int kWarmUp = 1000;  // steps that fill allocators and tables

struct Sizes {
  int64_t bytes[2] = {};
  int files[2] = {};
};

// Returns true if a task's memory grew by more than a twentieth, or if a task
// has at least two more open files.
bool Grew(const Sizes& before, const Sizes& after) {
  bool grew = false;
  for (int i = 0; i < 2; ++i) {
    std::cout << kTasks[i].ToString() << ": " << (before.bytes[i] >> 10)
              << " KiB, then " << (after.bytes[i] >> 10) << " KiB; files "
              << before.files[i] << ", then " << after.files[i] << "\n";
    grew = grew || after.files[i] > before.files[i] + 1;
    grew = grew || (!testing::kHasSanitizer &&
                    after.bytes[i] > before.bytes[i] + before.bytes[i] / 20);
  }
  return grew;
}

// The test is a client of the worker's master and can cancel its calls.
class CancelledStepsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GraphBuilder b;
    // The worker waits for a tensor from the parameter server. The parameter
    // server waits for an element of a queue.
    {
      const Scope ps = b.OnDevice("/job:ps/task:0");
      const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
      const Output element = op::QueueDequeueV2(queue, {DType::kFloat})[0];
      const Output one = b.Const(1.0f);
      fill_ = op::QueueEnqueueV2(queue, {one}).name();
      const Scope worker = b.OnDevice("/job:worker/task:0");
      wait_ = TensorName(op::Square(element)).text;
    }
    const auto graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    pb::CreateSessionRequest request;
    ASSERT_TRUE(ExportGraphDef(*graph, *request.mutable_graph_def()).ok());
    request.set_request_id(RandomStepId());
    pb::CreateSessionResponse response;
    const absl::Status created =
        client_.Call(methods::kCreateSession, request, response);
    ASSERT_TRUE(created.ok()) << created;
    session_ = response.session_handle();
  }

  pb::RunStepRequest StepRequest() const {
    pb::RunStepRequest request;
    request.set_session_handle(session_);
    request.set_request_id(RandomStepId());
    return request;
  }
  // Starts a step that waits, and cancels it after `after`.
  void Cancel(absl::Duration after) {
    pb::RunStepRequest request = StepRequest();
    request.add_fetch(wait_);
    const auto call = client_.Start(methods::kRunStep, request);
    absl::SleepFor(after);
    call->Cancel();
    EXPECT_EQ(call->Wait().status().code(), Code::kCancelled);
  }
  // Runs two steps at the same time: one waits for an element of the queue, and
  // the other enqueues the element. Expects that both succeed.
  void ExpectStepWorks() {
    pb::RunStepRequest wait = StepRequest();
    wait.add_fetch(wait_);
    pb::RunStepRequest fill = StepRequest();
    fill.add_target(fill_);
    const auto call = client_.Start(methods::kRunStep, wait);
    const auto filled = client_.Start(methods::kRunStep, fill)->Wait();
    EXPECT_TRUE(filled.ok()) << filled.status();
    const auto result = call->Wait();
    EXPECT_TRUE(result.ok()) << result.status();
  }
  // Waits until both tasks have ended the cancelled steps. A cancelled step
  // that still runs could take the element of the queue that is meant for
  // another step.
  void AwaitNoStep() {
    for (const TaskId& task : kTasks) {
      EXPECT_TRUE(testing::Becomes(
          [&] {
            const auto status = cluster_.Status(task);
            return status.steps().running() == 0 &&
                   status.num_open_steps() == 0;
          },
          absl::Seconds(30)));
    }
  }
  Sizes Measure() {
    Sizes sizes;
    for (int i = 0; i < 2; ++i) {
      sizes.bytes[i] = cluster_.process(kTasks[i]).ResidentBytes();
      sizes.files[i] = cluster_.process(kTasks[i]).NumOpenFiles();
    }
    return sizes;
  }

  ServedCluster cluster_{"worker=1,ps=1", {"--grace=1"}};
  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  TaskClient client_{*transport_, cluster_.Address({"worker", 0})};
  std::string session_;
  std::string wait_;
  std::string fill_;
};

TEST_F(CancelledStepsTest, LeaveNothingBehind) {
  const auto cancel = [this](int times, int seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    for (int i = 0; i < times; ++i) {
      Cancel(absl::Microseconds(random() % 2000));
    }
  };
  ExpectStepWorks();
  cancel(kWarmUp, 0);
  AwaitNoStep();
  Sizes base = Measure();
  // Is the number of cancelled steps per seed. A test with more than two seeds
  // is the long version, so it cancels more steps.
  const int cancelled = NumSeeds() > 2 ? 1000 : 500;
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    bool grew = true;
    // A stalled thread can make an allocator grow, but only in one round. A
    // leak makes the memory grow in every round.
    for (int round = 0; grew && round < 3; ++round) {
      cancel(cancelled, seed);
      AwaitNoStep();
      ExpectStepWorks();
      const Sizes sizes = Measure();
      grew = Grew(base, sizes);
      if (grew) base = sizes;
    }
    EXPECT_FALSE(grew);
  }
  pb::CloseSessionRequest close;
  close.set_session_handle(session_);
  pb::CloseSessionResponse closed;
  EXPECT_TRUE(client_.Call(methods::kCloseSession, close, closed).ok());
  cluster_.ExpectIdle();
  cluster_.End();
}

}  // namespace
}  // namespace leat::cancelled_steps_test
