// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HostilePeer: calls a task as no client or peer should. Every attack waits
// until each of its calls has an answer, and fails the test when one has none.
#ifndef LEAT_TESTS_TESTING_HOSTILE_PEER_H_
#define LEAT_TESTS_TESTING_HOSTILE_PEER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "leat/distributed/transport.h"
#include "leat/tests/testing/endless_calls.h"
#include "leat/tests/testing/task_client.h"

namespace leat::testing {

// For one thread.
class HostilePeer {
 public:
  // How often each code was the answer.
  using Answers = std::map<absl::StatusCode, int>;

  // `transport` is borrowed. `task`, "/job:ps/replica:0/task:0", is the one at
  // `address`. `max_message_bytes`: that it takes.
  HostilePeer(Transport& transport, std::string address, std::string task,
              int64_t max_message_bytes);

  // Each of so many calls. Bytes that may be no message, to every method.
  Answers SendGarbage(int count);
  // Sessions, graphs, callables, steps and transfers that there are not.
  Answers UseUnknownHandles(int count);
  // Graphs with nodes on devices that are not the task's, or nobody's.
  Answers SendGraphsForAbsentDevices(int count);
  Answers SendOversizedMessages(int count);
  // Of so many nodes, of which the task is to take fewer.
  static constexpr int kOversizedGraphNodes = 1000;
  Answers SendOversizedGraphs(int count);
  // Feeds of steps, of callables and of graphs.
  Answers FeedOtherTypesThanPromised(int count);
  // And goes.
  Answers AskForTensorsThatNobodySends(int count);
  // From calls that wait, and from sessions that are being made.
  Answers VanishMidCall(int count);

 private:
  // Some calls at a time; `vanishes`: gives each up a moment later.
  Answers Flood(int count, const std::function<MethodCall(int i)>& make,
                bool vanishes = false);

  Transport& transport_;
  const std::string address_;
  const std::string task_;
  const int64_t max_message_bytes_;
  TaskClient client_;
  std::mt19937_64 random_{20161102};
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_HOSTILE_PEER_H_
