// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EndlessCalls: calls of a task, by clients and by peers, that wait until they
// are given up. For one thread.
#ifndef LEAT_TESTS_TESTING_ENDLESS_CALLS_H_
#define LEAT_TESTS_TESTING_ENDLESS_CALLS_H_

#include <cstdint>
#include <string>

#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"
#include "leat/distributed/transport.h"
#include "leat/tests/testing/task_client.h"
#include "leat/tests/testing/task_sessions.h"

namespace leat::testing {

struct MethodCall {
  Method method = {};
  Payload request = {};
};

// Of a tensor that the first device of `task` ("/job:ps/replica:0/task:0") has
// never sent, in an unknown step.
MethodCall RecvThatNobodySends(const std::string& task, uint64_t incarnation);

class EndlessCalls {
 public:
  // Of that task at `address`. `transport` is borrowed and outlives this.
  EndlessCalls(Transport& transport, const std::string& address,
               const std::string& task);

  // A step, a callable, a graph and a tensor in turn. Ends with this at the
  // latest.
  MethodCall Make(int i) const;

  // Steps that run on the task, and Recvs that wait there, others' too.
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
