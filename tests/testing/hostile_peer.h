// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HostilePeer calls a task in ways that a correct client or peer never uses.
// Every attack waits until all of its calls have an answer, and fails the test
// if a call gets none.
#ifndef LEAT_TESTS_TESTING_HOSTILE_PEER_H_
#define LEAT_TESTS_TESTING_HOSTILE_PEER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tests/testing/endless_calls.h"
#include "leat/tests/testing/task_client.h"

namespace leat::testing {

// Is used by one thread. Attacks send the same bytes in every run, because the
// random numbers have a fixed seed.
class HostilePeer {
 public:
  // Maps each status code, including kOk, to the number of calls that were
  // answered with this code.
  using Answers = std::map<absl::StatusCode, int>;

  // `transport` is borrowed and must outlive this object. `task`
  // ("/job:ps/replica:0/task:0") is the task that listens at `address`, and
  // `max_message_bytes` is the size of the largest message that it accepts.
  HostilePeer(Transport& transport, std::string address, std::string task,
              int64_t max_message_bytes);

  // Each attack makes `count` calls. SendGarbage sends random bytes to every
  // method in turn. The bytes are hardly ever a valid message.
  Answers SendGarbage(int count);
  // Uses sessions, graphs, callables, steps and transfers that do not exist.
  Answers UseUnknownHandles(int count);
  // Sends graphs whose nodes are on devices of a task that does not exist.
  Answers SendGraphsForAbsentDevices(int count);
  // Sends headers that are one byte larger than `max_message_bytes`, and
  // tensors that are slightly larger than `max_message_bytes`.
  Answers SendOversizedMessages(int count);
  // Is the number of nodes of the graphs that SendOversizedGraphs sends. The
  // limit of the task must be lower.
  static constexpr int kOversizedGraphNodes = 1000;
  Answers SendOversizedGraphs(int count);
  // Feeds int32 tensors to steps, callables and registered graphs that expect
  // float.
  Answers FeedOtherTypesThanPromised(int count);
  // Calls RecvTensor for tensors that are never sent, and cancels the calls.
  Answers AskForTensorsThatNobodySends(int count);
  // Makes calls and cancels them. One call in ten is a CreateSession call. The
  // other calls are endless calls (EndlessCalls).
  Answers VanishMidCall(int count);

 private:
  // Makes the calls that `make` returns for 0 to `count` - 1, at most 32 at a
  // time, and counts the answers. If `vanishes` is true, cancels each call a
  // moment after it was made.
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
