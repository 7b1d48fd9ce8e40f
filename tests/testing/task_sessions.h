// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClientSession and RegisteredSession are sessions of a task's master service
// and of its worker service, for tests that call the methods of these services.
// The sessions end with the objects. The test fails if a session cannot be made
// or ended. Graphs are GraphDefs in text form.
#ifndef LEAT_TESTS_TESTING_TASK_SESSIONS_H_
#define LEAT_TESTS_TESTING_TASK_SESSIONS_H_

#include <cstdint>
#include <string>

#include "leat/protos/master.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/testing/task_client.h"

namespace leat::testing {

// GraphDefOf parses the text `graph`, and sets the version that this library
// writes. CreateSessionRequestOf returns a request to create a session with
// this GraphDef.
pb::GraphDef GraphDefOf(const std::string& graph);
pb::CreateSessionRequest CreateSessionRequestOf(const std::string& graph);

// A ClientSession is a client's session on the master of a task. It is used by
// one thread.
class ClientSession {
 public:
  // Creates the session. `client` is borrowed and must outlive this object.
  ClientSession(TaskClient& client, const std::string& graph);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  const std::string& handle() const { return handle_; }

  // Makes a callable with one fetch, and with one feed unless `feed` is empty.
  // Returns the callable's handle.
  int64_t MakeCallable(const std::string& feed, const std::string& fetch);

  // Both functions return a request for one step, without tensors. The test
  // adds the tensors that it feeds.
  pb::RunStepRequest StepRequest(const std::string& fetch) const;
  pb::RunCallableRequest CallableRequest(int64_t callable) const;

 private:
  TaskClient& client_;
  std::string handle_;
};

// A RegisteredSession is a master's session on a task, with one registered
// graph. It is used by one thread.
class RegisteredSession {
 public:
  // Creates the session and registers `graph` in it. `client` is borrowed and
  // must outlive this object.
  RegisteredSession(TaskClient& client, const std::string& graph);
  ~RegisteredSession();
  RegisteredSession(const RegisteredSession&) = delete;
  RegisteredSession& operator=(const RegisteredSession&) = delete;

  // Returns a request for a new step of the registered graph.
  pb::RunGraphRequest StepRequest() const;
  // Returns a request to register another graph in the session.
  pb::RegisterGraphRequest GraphRequest(const pb::GraphDef& graph) const;

 private:
  TaskClient& client_;
  const std::string handle_;
  const std::string graph_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TASK_SESSIONS_H_
