// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/task_client.h"

#include <google/protobuf/message_lite.h>
#include <google/protobuf/text_format.h>

#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/graph_def.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/testing/wait_limit.h"

namespace leat::testing {

bool StartedCall::is_done() const {
  MutexLock lock(mutex_);
  return answer_.has_value();
}

absl::StatusOr<Payload> StartedCall::Wait() {
  const Clock::time_point limit = WaitLimit();
  MutexLock lock(mutex_);
  while (!answer_.has_value()) {
    if (answered_.WaitUntil(mutex_, limit)) continue;
    ADD_FAILURE() << "a call has no answer";
    return absl::DeadlineExceededError("no answer");
  }
  return *std::move(answer_);
}

std::shared_ptr<StartedCall> TaskClient::Start(
    const Method& method, const google::protobuf::MessageLite& request,
    WireTensors tensors) {
  Payload payload;
  payload.header = request.SerializeAsString();
  payload.tensors = std::move(tensors);
  return Start(method, std::move(payload));
}

std::shared_ptr<StartedCall> TaskClient::Start(const Method& method,
                                               Payload request) {
  auto call = std::make_shared<StartedCall>();
  transport_.Call(address_, method, std::move(request),
                  {.cancellation = call->cancellation_},
                  [call](absl::StatusOr<Payload> answer) {
                    MutexLock lock(call->mutex_);
                    call->answer_ = std::move(answer);
                    call->answered_.NotifyAll();
                  });
  return call;
}

absl::Status TaskClient::Call(const Method& method,
                              const google::protobuf::MessageLite& request,
                              google::protobuf::MessageLite& response) {
  LEAT_ASSIGN_OR_RETURN(const Payload answer, Start(method, request)->Wait());
  EXPECT_TRUE(response.ParseFromString(answer.header));
  return absl::OkStatus();
}

absl::StatusOr<std::string> TaskClient::Register(const std::string& session,
                                                 const std::string& graph) {
  pb::CreateWorkerSessionRequest create;
  create.set_session_handle(session);
  pb::CreateWorkerSessionResponse created;
  LEAT_RETURN_IF_ERROR(Call(methods::kCreateWorkerSession, create, created));
  pb::RegisterGraphRequest request;
  request.set_session_handle(session);
  request.set_create_worker_session_called(true);
  pb::GraphDef& graph_def = *request.mutable_graph_def();
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(graph, &graph_def));
  graph_def.mutable_versions()->set_producer(kGraphDefVersion);
  pb::RegisterGraphResponse response;
  LEAT_RETURN_IF_ERROR(Call(methods::kRegisterGraph, request, response));
  return response.graph_handle();
}

std::shared_ptr<StartedCall> TaskClient::Run(const std::string& session,
                                             const std::string& graph,
                                             int64_t step_id) {
  pb::RunGraphRequest request;
  request.set_session_handle(session);
  request.set_create_worker_session_called(true);
  request.set_graph_handle(graph);
  request.set_step_id(step_id);
  request.set_request_id(RandomStepId());
  return Start(methods::kRunGraph, request);
}

uint64_t TaskClient::Incarnation() {
  pb::GetStatusResponse status;
  const absl::Status called =
      Call(methods::kGetStatus, pb::GetStatusRequest(), status);
  EXPECT_TRUE(called.ok()) << called;
  if (status.device_attributes().empty()) return 0;
  return status.device_attributes(0).incarnation();
}

}  // namespace leat::testing
