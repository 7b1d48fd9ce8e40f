// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Visitor is a client that runs steps on the victim of a fault while the fault
// happens.
#ifndef LEAT_TESTS_SOAK_VISITOR_H_
#define LEAT_TESTS_SOAK_VISITOR_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/tests/soak/faults.h"
#include "leat/train/session.h"

namespace leat::soak {

// Is thread-safe. The destructor closes the session.
class Visitor {
 public:
  // Is the node that the steps feed.
  static constexpr char kFedNode[] = "fed_by_a_visitor";

  // Makes a session whose master is the victim, without a proxy in between. If
  // that fails, makes the test fail.
  explicit Visitor(const Scene& scene);

  // Runs a step that is fed with `bytes` bytes.
  absl::Status Feed(int64_t bytes) const;
  // Expects that a step with a small feed succeeds within 30 seconds. The step
  // may use a new connection or a new session.
  void ExpectStep();
  // Expects that a step with a feed of `bytes` bytes succeeds. The task may
  // have no room for the feed at first.
  void ExpectLargeStep(int64_t bytes);

 private:
  // Makes the session, or returns an error.
  absl::Status Connect();
  // Runs steps with a feed of `bytes` bytes until one succeeds, or fails with
  // an error that does not go away. If `waits_for_room` is true,
  // RESOURCE_EXHAUSTED counts as an error that goes away. Expects that the last
  // step succeeds.
  void ExpectFeed(int64_t bytes, bool waits_for_room);

  Graph graph_{BuiltinOps()};
  const SessionOptions options_;
  std::string x_;
  std::string sum_;
  mutable Mutex mutex_;
  std::shared_ptr<Session> session_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_VISITOR_H_
