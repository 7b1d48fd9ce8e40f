// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StatusListing: how much a task lists in its status (status_service.h). Beside
// each list the status has the number of all.
#ifndef LEAT_DISTRIBUTED_STATUS_LISTING_H_
#define LEAT_DISTRIBUTED_STATUS_LISTING_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace leat {

// The limits of the lists in a status. A value.
struct StatusListing {
  // The least age of the running steps and waiting Recvs that are listed.
  std::chrono::nanoseconds min_age = {};
  // The most that are listed of each kind: sessions of clients, sessions of
  // masters, steps, Recvs.
  size_t max_listed = 100;
  size_t max_peers = 1000;
};

// The most sessions among which those that were used last are looked for.
inline constexpr size_t kMaxReportedSessions = 1000;

// Returns `time` in microseconds, rounded towards zero.
inline int64_t ToMicros(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_STATUS_LISTING_H_
