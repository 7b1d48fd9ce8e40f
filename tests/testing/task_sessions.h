// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Sessions of a task's two services, for tests that call their methods. They
// end with the objects; what fails of it fails the test. Graphs are GraphDefs
// in text form.
#ifndef LEAT_TESTS_TESTING_TASK_SESSIONS_H_
#define LEAT_TESTS_TESTING_TASK_SESSIONS_H_

#include <cstdint>
#include <string>

#include "leat/protos/master.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/testing/task_client.h"

namespace leat::testing {

// In the version that this library writes.
pb::GraphDef GraphDefOf(const std::string& graph);
pb::CreateSessionRequest CreateSessionRequestOf(const std::string& graph);

// Of a client, with the task's master. For one thread.
class ClientSession {
 public:
  // `client` is borrowed and outlives this.
  ClientSession(TaskClient& client, const std::string& graph);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  const std::string& handle() const { return handle_; }

  // Of that fetch; of that feed too unless it is empty.
  int64_t MakeCallable(const std::string& feed, const std::string& fetch);

  pb::RunStepRequest StepRequest(const std::string& fetch) const;
  pb::RunCallableRequest CallableRequest(int64_t callable) const;

 private:
  TaskClient& client_;
  std::string handle_;
};

// Of a master, with the task, and one graph of it. For one thread.
class RegisteredSession {
 public:
  // `client` is borrowed and outlives this.
  RegisteredSession(TaskClient& client, const std::string& graph);
  ~RegisteredSession();
  RegisteredSession(const RegisteredSession&) = delete;
  RegisteredSession& operator=(const RegisteredSession&) = delete;

  // Of a new step each.
  pb::RunGraphRequest StepRequest() const;
  pb::RegisterGraphRequest GraphRequest(const pb::GraphDef& graph) const;

 private:
  TaskClient& client_;
  const std::string handle_;
  const std::string graph_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TASK_SESSIONS_H_
