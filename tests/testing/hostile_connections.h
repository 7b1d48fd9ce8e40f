// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What becomes of a task's connections when the processes at their other ends
// are killed, or speak no gRPC. Nobody is there to be answered.
#ifndef LEAT_TESTS_TESTING_HOSTILE_CONNECTIONS_H_
#define LEAT_TESTS_TESTING_HOSTILE_CONNECTIONS_H_

#include <string>

#include "leat/distributed/transport.h"

namespace leat::testing {

// Makes so many calls of `task` ("/job:ps/replica:0/task:0", at `address`) that
// wait for ever, each on a connection of its own, which is lost while the call
// waits. Fails the test when calls do not begin, or do not end with their
// connections. `transport` is for what else is asked of the task.
void LoseConnections(Transport& transport, const std::string& address,
                     const std::string& task, int count);

// Connections that end in the middle of a message, or of what is no HTTP.
void EndConnectionsEarly(const std::string& address, int count);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_HOSTILE_CONNECTIONS_H_
