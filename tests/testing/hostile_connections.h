// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what a task does with its connections when the processes at their other
// ends are killed or do not speak gRPC. In both cases nobody receives the
// task's answer.
#ifndef LEAT_TESTS_TESTING_HOSTILE_CONNECTIONS_H_
#define LEAT_TESTS_TESTING_HOSTILE_CONNECTIONS_H_

#include <string>

#include "leat/distributed/transport/transport.h"

namespace leat::testing {

// Makes `count` endless calls (EndlessCalls) to `task`
// ("/job:ps/replica:0/task:0"), which listens at `address`. Each call has its
// own connection. Closes each connection while its call waits. Fails the test
// if a call does not begin, or if a call does not end with its connection.
// `transport` carries the other calls that this function makes to the task.
void LoseConnections(Transport& transport, const std::string& address,
                     const std::string& task, int count);

// Opens `count` connections to `address` and closes each in the middle of a
// gRPC call or of bytes that are not HTTP. Waits for no answer.
void EndConnectionsEarly(const std::string& address, int count);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_HOSTILE_CONNECTIONS_H_
