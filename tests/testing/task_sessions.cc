// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/task_sessions.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/distributed/wire/methods.h"
#include "leat/graph/io/graph_def.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::testing {
namespace {

void Ask(TaskClient& client, const Method& method,
         const google::protobuf::MessageLite& request,
         google::protobuf::MessageLite& response) {
  const absl::Status called = client.Call(method, request, response);
  EXPECT_TRUE(called.ok()) << method.path << ": " << called;
}

std::string Registered(TaskClient& client, const std::string& session,
                       const std::string& graph) {
  const absl::StatusOr<std::string> handle = client.Register(session, graph);
  EXPECT_TRUE(handle.ok()) << handle.status();
  return handle.value_or("");
}

}  // namespace

pb::GraphDef GraphDefOf(const std::string& graph) {
  pb::GraphDef graph_def = ParseGraph(graph);
  graph_def.mutable_versions()->set_producer(kGraphDefVersion);
  return graph_def;
}

pb::CreateSessionRequest CreateSessionRequestOf(const std::string& graph) {
  pb::CreateSessionRequest request;
  *request.mutable_graph_def() = GraphDefOf(graph);
  return request;
}

ClientSession::ClientSession(TaskClient& client, const std::string& graph)
    : client_(client) {
  pb::CreateSessionResponse response;
  Ask(client_, methods::kCreateSession, CreateSessionRequestOf(graph),
      response);
  handle_ = response.session_handle();
}

ClientSession::~ClientSession() {
  pb::CloseSessionRequest request;
  request.set_session_handle(handle_);
  pb::CloseSessionResponse response;
  Ask(client_, methods::kCloseSession, request, response);
}

int64_t ClientSession::MakeCallable(const std::string& feed,
                                    const std::string& fetch) {
  pb::MakeCallableRequest request;
  request.set_session_handle(handle_);
  if (!feed.empty()) request.mutable_options()->add_feed(feed);
  request.mutable_options()->add_fetch(fetch);
  pb::MakeCallableResponse response;
  Ask(client_, methods::kMakeCallable, request, response);
  return response.handle();
}

pb::RunStepRequest ClientSession::StepRequest(const std::string& fetch) const {
  pb::RunStepRequest request;
  request.set_session_handle(handle_);
  request.add_fetch(fetch);
  return request;
}

pb::RunCallableRequest ClientSession::CallableRequest(int64_t callable) const {
  pb::RunCallableRequest request;
  request.set_session_handle(handle_);
  request.set_handle(callable);
  return request;
}

RegisteredSession::RegisteredSession(TaskClient& client,
                                     const std::string& graph)
    : client_(client),
      handle_(RandomHandle()),
      graph_(Registered(client_, handle_, graph)) {}

RegisteredSession::~RegisteredSession() {
  pb::DeleteWorkerSessionRequest request;
  request.set_session_handle(handle_);
  pb::DeleteWorkerSessionResponse response;
  Ask(client_, methods::kDeleteWorkerSession, request, response);
}

pb::RunGraphRequest RegisteredSession::StepRequest() const {
  pb::RunGraphRequest request;
  request.set_session_handle(handle_);
  request.set_create_worker_session_called(true);
  request.set_graph_handle(graph_);
  request.set_step_id(RandomStepId());
  return request;
}

pb::RegisterGraphRequest RegisteredSession::GraphRequest(
    const pb::GraphDef& graph) const {
  pb::RegisterGraphRequest request;
  request.set_session_handle(handle_);
  request.set_create_worker_session_called(true);
  *request.mutable_graph_def() = graph;
  return request;
}

}  // namespace leat::testing
