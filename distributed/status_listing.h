// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// StatusListing: how much of itself a task lists in its status
// (status_service.h). Beside every list is the number of all.
#ifndef LEAT_DISTRIBUTED_STATUS_LISTING_H_
#define LEAT_DISTRIBUTED_STATUS_LISTING_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace leat {

struct StatusListing {
  // Of steps that run and Recvs that wait; younger ones are not listed.
  std::chrono::nanoseconds min_age = {};
  // Sessions of clients, sessions of masters, steps, Recvs: of each.
  size_t max_listed = 100;
  size_t max_peers = 1000;
};

// Among how many sessions, at most, those that were used last are looked for.
inline constexpr size_t kMaxReportedSessions = 1000;

inline int64_t ToMicros(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_STATUS_LISTING_H_
