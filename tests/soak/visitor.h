// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Visitor is a client that comes to the victim of a fault while it happens.
#ifndef LEAT_TESTS_SOAK_VISITOR_H_
#define LEAT_TESTS_SOAK_VISITOR_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "leat/runtime/session.h"
#include "leat/tests/soak/faults.h"

namespace leat::soak {

// Thread-safe. The destructor closes the session.
class Visitor {
 public:
  // Makes a session whose master is the victim, without a network in between.
  // Fails the test if it cannot be made.
  explicit Visitor(const Scene& scene);

  // Runs a step that is fed with so many bytes.
  absl::Status Feed(int64_t bytes) const;
  // Expects that a step with a small feed succeeds, if needed over a new
  // connection.
  void ExpectStep() const;

 private:
  std::string x_;
  std::string sum_;
  std::shared_ptr<Session> session_;
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_VISITOR_H_
