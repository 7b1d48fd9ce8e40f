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
#include <vector>

#include "absl/status/status.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/transport.h"

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
  // Feeds of steps and of graphs.
  Answers FeedOtherTypesThanPromised(int count);
  // And goes.
  Answers AskForTensorsThatNobodySends(int count);
  // From steps that wait, and from sessions that are being made.
  Answers VanishMidCall(int count);

  struct Attack {
    const char* name = "";
    Answers (HostilePeer::*run)(int count) = nullptr;
  };
  static std::vector<Attack> Attacks();

 private:
  struct Call {
    Method method = {};
    Payload request = {};
  };
  // Some calls at a time; `vanishes`: gives each up a moment later.
  Answers Flood(int count, const std::function<Call(int i)>& make,
                bool vanishes = false);
  // The answer to one, whose failure fails the test.
  Payload Ask(Call call);
  std::string CreateSession(const std::string& graph);
  // The handle of a session of the worker service, and of its graph.
  std::string Register(const std::string& graph, std::string* session);
  void DeleteSession(const std::string& session);
  uint64_t Incarnation();

  Transport& transport_;
  const std::string address_;
  const std::string task_;
  const int64_t max_message_bytes_;
  std::mt19937_64 random_{20161102};
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_HOSTILE_PEER_H_
