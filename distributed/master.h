// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Master: what a task does for clients, TensorFlow's MasterService: keeps their
// sessions and answers for them. Thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_H_
#define LEAT_DISTRIBUTED_MASTER_H_

#include <cstddef>
#include <memory>

#include "leat/distributed/master_session.h"
#include "leat/distributed/methods.h"

namespace leat {

class Master {
 public:
  explicit Master(MasterEnvironment environment);
  // REQUIRES: Stop was called, or no session ever made.
  ~Master();

  // Every method of the service; they borrow this.
  void AddMethods(MethodTable& methods);

  // Closes every session and waits until nothing of them is under way; calls
  // that come later are UNAVAILABLE. Not to be called on a thread that runs
  // calls. Idempotent.
  void Stop();

  size_t num_sessions() const;

 private:
  class Implementation;
  const std::shared_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_H_
