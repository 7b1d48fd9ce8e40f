// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests requests that arrive twice, after their step has ended, or for a
// process that no longer exists. A served task refuses all of them with ABORTED
// and does nothing else.
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/transport/transport.h"
#include "leat/graph/io/graph_def.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/task_client.h"

namespace leat::late_requests_test {
namespace {

using ::testing::HasSubstr;
using testing::NumSeeds;
using testing::ServedCluster;
using testing::StartedCall;
using testing::TaskClient;
using Code = absl::StatusCode;

const TaskId kPs = {"ps", 0};
constexpr char kDevice[] = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr int kTimes = 50;  // requests of each kind, per seed

// This graph sets a variable to 1 or adds 1 to the variable, and sends the new
// value to the peer that asks for it. $0 is the device, $1 the incarnation of
// the device, and $2 the op that changes the variable.
constexpr char kAdd[] = R"(
  node { name: "v" op: "VarHandleOp" device: "$0"
    attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "shape" value { shape { } } }
    attr { key: "shared_name" value { s: "v" } } }
  node { name: "one" op: "Const" device: "$0"
    attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor {
      dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
  node { name: "$2" op: "$2" input: "v" input: "one" device: "$0"
    attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "read" op: "ReadVariableOp" input: "v" input: "^$2" device: "$0"
    attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "send" op: "_Send" input: "read" device: "$0"
    attr { key: "T" value { type: DT_FLOAT } }
    attr { key: "tensor_name" value { s: "sum" } }
    attr { key: "send_device" value { s: "$0" } }
    attr { key: "send_device_incarnation" value { i: $1 } }
    attr { key: "recv_device" value { s: "$0" } } }
)";

// Provides a task with a variable, and a graph that adds 1 to the variable.
class LateRequestsTest : public ::testing::Test {
 protected:
  void SetUp() override { Prepare(); }

  void Prepare() {
    incarnation_ = client_.Incarnation();
    ASSERT_NE(incarnation_, 0u);
    const std::string assign = Register("AssignVariableOp");
    EXPECT_EQ(Add(assign, NewId()), 1);
    add_ = Register("AssignAddVariableOp");
  }
  std::string GraphText(const std::string& op) const {
    return absl::Substitute(kAdd, kDevice, static_cast<int64_t>(incarnation_),
                            op);
  }
  std::string Register(const std::string& op) {
    const auto handle = client_.Register(
        absl::StrCat("session", ++num_sessions_), GraphText(op));
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.value_or("");
  }
  std::string session() const { return absl::StrCat("session", num_sessions_); }
  int64_t NewId() { return static_cast<int64_t>(random_() >> 8) + 1; }

  pb::RunGraphRequest RunRequest(const std::string& graph, int64_t step) {
    pb::RunGraphRequest request;
    request.set_session_handle(session());
    request.set_create_worker_session_called(true);
    request.set_graph_handle(graph);
    request.set_step_id(step);
    request.set_request_id(NewId());
    return request;
  }
  pb::RecvTensorRequest RecvRequest(int64_t step) {
    pb::RecvTensorRequest request;
    request.set_step_id(step);
    request.set_request_id(NewId());
    request.set_rendezvous_key(RendezvousKey{.send_device = kDevice,
                                             .send_incarnation = incarnation_,
                                             .recv_device = kDevice,
                                             .tensor_name = "sum"}
                                   .ToString());
    return request;
  }
  template <class Request>
  absl::Status Call(const Method& method, const Request& request) {
    return client_.Start(method, request)->Wait().status();
  }
  void Clean(int64_t step) {
    pb::CleanupGraphRequest request;
    request.set_step_id(step);
    EXPECT_TRUE(Call(methods::kCleanupGraph, request).ok());
  }
  // Runs a step of `graph` and returns the new value of the variable, or -1 if
  // there was an error.
  float Add(const std::string& graph, int64_t step) {
    const absl::Status run = Call(methods::kRunGraph, RunRequest(graph, step));
    EXPECT_TRUE(run.ok()) << run;
    auto sum = client_.Start(methods::kRecvTensor, RecvRequest(step))->Wait();
    EXPECT_TRUE(sum.ok()) << sum.status();
    Clean(step);
    if (!sum.ok() ||
        !sum->Materialize(HostAllocator(), nullptr, 1 << 20).ok() ||
        sum->tensors.size() != 1) {
      return -1;
    }
    return sum->tensors[0].tensor.scalar<float>();
  }
  static void ExpectAborted(const absl::Status& status,
                            const std::string& text) {
    EXPECT_EQ(status.code(), Code::kAborted) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }

  ServedCluster cluster_{"ps=1", {"--grace=1"}};
  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  TaskClient client_{*transport_, cluster_.Address(kPs)};
  std::mt19937_64 random_{1};
  uint64_t incarnation_ = 0;
  int num_sessions_ = 0;
  std::string add_;
};

TEST_F(LateRequestsTest, StepsThatHaveEndedDoNotBeginAgain) {
  for (int i = 0; i < NumSeeds() * kTimes && !HasFailure(); ++i) {
    const int64_t ran = NewId();
    EXPECT_EQ(Add(add_, ran), 2 + i);
    ExpectAborted(Call(methods::kRunGraph, RunRequest(add_, ran)),
                  absl::StrCat(ran));
    ExpectAborted(Call(methods::kRecvTensor, RecvRequest(ran)),
                  absl::StrCat(ran));
    // The cleanup of this step arrives before the step's RunGraph request.
    const int64_t never = NewId();
    Clean(never);
    ExpectAborted(Call(methods::kRunGraph, RunRequest(add_, never)),
                  absl::StrCat(never));
  }
}

TEST_F(LateRequestsTest, WhatComesTwiceIsDoneOnce) {
  for (int i = 0; i < NumSeeds() * kTimes && !HasFailure(); ++i) {
    const int64_t step = NewId();
    const pb::RunGraphRequest run = RunRequest(add_, step);
    const auto first = client_.Start(methods::kRunGraph, run);
    const auto second = client_.Start(methods::kRunGraph, run);
    const absl::Status results[] = {first->Wait().status(),
                                    second->Wait().status()};
    EXPECT_EQ(results[0].ok() + results[1].ok(), 1);
    ExpectAborted(results[results[0].ok() ? 1 : 0], "received twice");
    const pb::RecvTensorRequest recv = RecvRequest(step);
    EXPECT_TRUE(Call(methods::kRecvTensor, recv).ok());
    ExpectAborted(Call(methods::kRecvTensor, recv), "received twice");
    Clean(step);
  }
  EXPECT_EQ(Add(add_, NewId()), 2 + NumSeeds() * kTimes);
}

TEST_F(LateRequestsTest, SessionsAndGraphsAreMadeOnce) {
  pb::GraphDef graph;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      GraphText("AssignAddVariableOp"), &graph));
  graph.mutable_versions()->set_producer(kGraphDefVersion);
  for (int i = 0; i < NumSeeds() * kTimes && !HasFailure(); ++i) {
    pb::CreateWorkerSessionRequest create;
    create.set_session_handle(absl::StrCat("other", i));
    create.set_request_id(NewId());
    EXPECT_TRUE(Call(methods::kCreateWorkerSession, create).ok());
    pb::DeleteWorkerSessionRequest remove;
    remove.set_session_handle(create.session_handle());
    pb::RegisterGraphRequest add;
    add.set_session_handle(create.session_handle());
    add.set_create_worker_session_called(true);
    *add.mutable_graph_def() = graph;
    add.set_request_id(NewId());
    EXPECT_TRUE(Call(methods::kRegisterGraph, add).ok());
    ExpectAborted(Call(methods::kRegisterGraph, add), "received twice");
    EXPECT_TRUE(Call(methods::kDeleteWorkerSession, remove).ok());
    // The same CreateWorkerSession request arrives again, too late. It must not
    // create the deleted session again.
    ExpectAborted(Call(methods::kCreateWorkerSession, create),
                  "received twice");
    add.set_request_id(NewId());
    ExpectAborted(Call(methods::kRegisterGraph, add), "is not found");
  }
}

TEST_F(LateRequestsTest, ARestartedTaskIsAnother) {
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    SCOPED_TRACE(seed);
    const int64_t step = NewId();
    const pb::RecvTensorRequest recv = RecvRequest(step);
    const std::string session_before = session();
    const std::string graph_before = add_;
    cluster_.Kill(kPs);
    cluster_.Start(kPs);
    const uint64_t incarnation = incarnation_;
    // Waits until the task can be reached again.
    pb::GetStatusResponse status;
    ASSERT_TRUE(testing::Becomes(
        [&] { return Call(methods::kGetStatus, pb::GetStatusRequest()).ok(); },
        absl::Seconds(10)));
    pb::RunGraphRequest run = RunRequest(graph_before, step);
    for (int i = 0; i < kTimes && !HasFailure(); ++i) {
      pb::RecvTensorRequest old = recv;
      old.set_request_id(NewId());
      old.set_step_id(NewId());
      ExpectAborted(Call(methods::kRecvTensor, old), "was probably restarted");
      run.set_request_id(NewId());
      run.set_step_id(NewId());
      ExpectAborted(Call(methods::kRunGraph, run), "restarted");
    }
    Prepare();
    EXPECT_NE(incarnation_, incarnation);
    EXPECT_EQ(Add(add_, NewId()), 2);
  }
}

}  // namespace
}  // namespace leat::late_requests_test
