// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Watchdog ends the program if it hangs in a wait that has no other time limit.
#ifndef LEAT_TESTS_SOAK_WATCHDOG_H_
#define LEAT_TESTS_SOAK_WATCHDOG_H_

#include <string>
#include <thread>

#include "leat/core/threads/mutex.h"

namespace leat::soak {

// If this object still exists after ten minutes, says that `what` hangs, and
// aborts the program.
class Watchdog {
 public:
  explicit Watchdog(std::string what);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Watch();

  const std::string what_;
  Mutex mutex_;
  CondVar changed_;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_WATCHDOG_H_
