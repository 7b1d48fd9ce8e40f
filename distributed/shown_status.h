// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Declares functions and limits for the status of a task (status_service.h) and
// for messages, both of which people read. Handles and ids are not shown in
// full. Anybody with a session handle can use the session, and anybody with a
// step's id can take the step's tensors or end the step. The part that is shown
// is enough to tell two handles or ids apart. Text that peers have written is
// cut and cleaned. The functions are stateless and thread-safe.
//
//   ShownHandle("12ab34cd56ef7890")  // "12ab34cd"
#ifndef LEAT_DISTRIBUTED_SHOWN_STATUS_H_
#define LEAT_DISTRIBUTED_SHOWN_STATUS_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace leat {

// Holds the limits of the lists in a status. The status also has the total
// number of entries for each list. A StatusListing is a value.
struct StatusListing {
  // A running step or a waiting Recv is listed only if it is at least this old.
  std::chrono::nanoseconds min_age = {};
  // Limits the number of entries in each of these lists: sessions of clients,
  // sessions of masters, steps, Recvs.
  size_t max_listed = 100;
  size_t max_peers = 1000;
};

// A status examines at most this many sessions to find the sessions that were
// used last.
inline constexpr size_t kMaxReportedSessions = 1000;

// Keeps the `max` sessions that were used most recently, sorted, the most
// recent one first. Each session is paired with the time since its last use.
template <class Session>
void KeepLastUsed(
    size_t max,
    std::vector<std::pair<std::chrono::nanoseconds, Session>>& sessions) {
  const auto end =
      sessions.begin() + static_cast<ptrdiff_t>(std::min(max, sessions.size()));
  std::partial_sort(
      sessions.begin(), end, sessions.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  sessions.erase(end, sessions.end());
}

// Returns `time` in microseconds, rounded towards zero.
inline int64_t ToMicros(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

// Returns the first `max_bytes` bytes of `text`. Replaces each byte that is not
// printable ASCII with '?', so that a terminal can show text from a peer.
inline std::string ShownText(absl::string_view text, size_t max_bytes) {
  std::string shown(text.substr(0, max_bytes));
  for (char& c : shown) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return shown;
}

// Returns the first half of `handle`, but at most 8 characters.
inline std::string ShownHandle(absl::string_view handle) {
  return ShownText(handle, std::min<size_t>(8, handle.size() / 2));
}

// Returns the last 16 bits of `step_id`. These bits are random, because a
// master draws the last 56 bits of an id at random (RandomStepId).
inline uint32_t ShownStep(int64_t step_id) {
  return static_cast<uint32_t>(static_cast<uint64_t>(step_id) & 0xffff);
}

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SHOWN_STATUS_H_
