// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EndlessCalls makes requests that a task never answers. Some are requests of a
// client, and some are requests of a peer. A call with such a request ends only
// when its caller cancels it or is gone. Tests use these calls to fill a task
// with waiting calls.
#ifndef LEAT_TESTS_TESTING_ENDLESS_CALLS_H_
#define LEAT_TESTS_TESTING_ENDLESS_CALLS_H_

#include <cstdint>
#include <string>

#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/tests/testing/task_client.h"
#include "leat/tests/testing/task_sessions.h"

namespace leat::testing {

// Describes a method of a task and the request to call it with.
struct MethodCall {
  Method method = {};
  Payload request = {};
};

// Returns a RecvTensor call to `task` ("/job:ps/replica:0/task:0"). It asks for
// a tensor that the task's CPU:0 never sends, in a step that the task does not
// know. `incarnation` is the incarnation of that device.
MethodCall RecvThatNobodySends(const std::string& task, uint64_t incarnation);

// Holds two sessions on one task that the endless calls use: a client's session
// with a callable, and a master's session with a registered graph. The callable
// and the graph dequeue from queues that stay empty. The object is used by one
// thread. Fails the test if a session cannot be made or ended.
class EndlessCalls {
 public:
  // Creates the sessions on `task`, which listens at `address`. `transport` is
  // borrowed and must outlive this object.
  EndlessCalls(Transport& transport, const std::string& address,
               const std::string& task);

  // Returns a RunStep, RunCallable, RunGraph or RecvTensor call, chosen by `i`
  // modulo 4. The destructor of this object ends the sessions, and so it ends
  // the waiting calls of the first three kinds.
  MethodCall Make(int i) const;

  // Asks the task how many steps run on it and how many RecvTensor calls wait
  // there, and returns the sum. Includes the calls of other callers.
  int64_t NumWaiting();

 private:
  const std::string task_;
  TaskClient client_;
  const uint64_t incarnation_;
  ClientSession of_client_;
  const int64_t callable_;
  RegisteredSession of_master_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_ENDLESS_CALLS_H_
