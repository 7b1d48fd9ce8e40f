// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ServerIntervals holds the intervals at which a task repeats its own actions,
// and the times for which it waits for other tasks.
//
// `leat serve` has no flags for these times, because the defaults fit every
// cluster that we know. Tests and programs that start a Server may set them.
//
//   ServerOptions options;
//   options.intervals.connection.ping_timeout = std::chrono::seconds(2);
#ifndef LEAT_DISTRIBUTED_INTERVALS_H_
#define LEAT_DISTRIBUTED_INTERVALS_H_

#include <chrono>

namespace leat {

// Holds the shortest and the longest pause between two repetitions of an
// action. Is a value.
struct IntervalRange {
  std::chrono::nanoseconds shortest;
  std::chrono::nanoseconds longest;

  // Returns the pause that follows `pause`. It is twice as long, but at most
  // `longest`.
  std::chrono::nanoseconds After(std::chrono::nanoseconds pause) const {
    return pause > longest / 2 ? longest : 2 * pause;
  }
  // Returns `wanted`. If `wanted` is outside the range, returns the closer end
  // of the range.
  std::chrono::nanoseconds Clamp(std::chrono::nanoseconds wanted) const {
    return wanted < shortest ? shortest : wanted > longest ? longest : wanted;
  }
};

// Holds the times after which a transport pings peers, connects again, and
// closes connections. Is a value; each time is at least 1 ms.
struct ConnectionTimes {
  // If a peer has been silent for `ping_interval`, the transport pings it or
  // calls its health check. If the peer does not answer within `ping_timeout`,
  // the transport considers it dead. A dead peer must be noticed within five
  // seconds, so the sum of the two times is shorter. `ping_timeout` is longer
  // than `ping_interval`, because a live peer may be busy.
  std::chrono::milliseconds ping_interval{1000};
  std::chrono::milliseconds ping_timeout{3500};
  // The pauses between attempts to connect grow from `first_retry` to
  // `longest_retry`.
  std::chrono::milliseconds first_retry{100};
  std::chrono::milliseconds longest_retry{1000};
  // Says how long an attempt to connect waits for an address that does not
  // answer at all. With a shorter time, attempts would fail while the peer is
  // merely busy.
  std::chrono::milliseconds connect_timeout{2000};
  // Says how long a connection stays open if it has no calls and is not pinged.
  std::chrono::milliseconds idle{60'000};
};
static_assert(ConnectionTimes().ping_interval + ConnectionTimes().ping_timeout <
              std::chrono::seconds(5));

// Is a value. Its users copy it.
struct ServerIntervals {
  ConnectionTimes connection = {};

  // These values apply while a session is being created:
  //
  // Is the pause before a task that cannot be reached is called again.
  IntervalRange ask_again = {std::chrono::milliseconds(100),
                             std::chrono::seconds(1)};
  // Says how long the tasks may take to answer, if the client does not set a
  // timeout.
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(60);
  // Is the time that the master keeps for its reply, at most a quarter of the
  // time that is left. It stops waiting for the tasks so much earlier than the
  // client's deadline, so that the client still gets its error.
  std::chrono::nanoseconds time_to_reply = std::chrono::seconds(2);
  // Says how often the master logs the tasks for which the session waits.
  std::chrono::nanoseconds waiting_notice = std::chrono::seconds(10);

  // These values apply during a step:
  //
  // Says how often the tasks of a session are asked whether they are alive,
  // while a step of the session waits (session_watch.h).
  std::chrono::nanoseconds ask_tasks = std::chrono::seconds(1);
  // An error of a task may be only the effect of another task's error
  // (step_errors.h). The master then waits this long for the error of the other
  // task before it cancels the step.
  std::chrono::nanoseconds wait_for_cause = std::chrono::seconds(1);
  // Says how long the master waits for the replies of tasks after it has
  // cancelled the step. A client waits a little longer
  // (RemoteSessionOptions::answer_grace).
  std::chrono::nanoseconds wait_for_replies = std::chrono::seconds(5);
  // Before a traced step begins, the master waits at most this long for
  // TensorFlow's tasks to begin their logs. After the step, it waits at most
  // this long for the logs.
  std::chrono::nanoseconds wait_for_logs = std::chrono::seconds(2);

  // These values apply after the end of a step or a session (end_notices.h):
  //
  // The master adds the notice of a step's end to the next RunGraph to the same
  // task. If there is no RunGraph within this time, the master sends the notice
  // alone.
  std::chrono::nanoseconds step_notice = std::chrono::milliseconds(10);
  // Holds the pauses between attempts to delete a session.
  IntervalRange deletion = {std::chrono::milliseconds(100),
                            std::chrono::minutes(1)};

  // A master pauses for a quarter of ServerLimits::session_idle before it looks
  // again for idle sessions. This pause is clamped to `look_for_idle`. A worker
  // pauses for a quarter of ServerLimits::master_silence before it asks the
  // masters of idle sessions again. That pause is clamped to `ask_masters`.
  IntervalRange look_for_idle = {std::chrono::seconds(1),
                                 std::chrono::minutes(1)};
  IntervalRange ask_masters = {std::chrono::milliseconds(10),
                               std::chrono::minutes(1)};

  // Says how long memory stays unused before it is given back to the system
  // (memory_sweeper.h).
  std::chrono::nanoseconds unused_memory = std::chrono::seconds(10);

  // This value and the next one apply while the server stops:
  //
  // Is the pause between attempts to end the steps that are left.
  std::chrono::nanoseconds end_steps_again = std::chrono::milliseconds(20);
  // Says how long replies may take to reach their callers after all steps have
  // ended.
  std::chrono::nanoseconds reply_grace = std::chrono::seconds(1);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_INTERVALS_H_
