// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What people are shown of session handles, step ids and text that peers have
// written. Whoever knows a whole handle can use the session, and whoever knows
// a step's id can take its tensors and end it. So only a piece is shown, which
// is enough to tell two of them apart. Stateless, thread-safe.
//
//   ShownHandle("12ab34cd56ef7890")  // "12ab34cd"
#ifndef LEAT_DISTRIBUTED_SHOWN_IDS_H_
#define LEAT_DISTRIBUTED_SHOWN_IDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace leat {

// Returns the first `max_bytes` of `text`, with '?' for each byte that is not
// printable ASCII, so that a terminal can show what a peer has written.
inline std::string ShownText(absl::string_view text, size_t max_bytes) {
  std::string shown(text.substr(0, max_bytes));
  for (char& c : shown) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return shown;
}

// Returns the first 8 characters, but at most half of a short handle.
inline std::string ShownHandle(absl::string_view handle) {
  return ShownText(handle, std::min<size_t>(8, handle.size() / 2));
}

// Returns the last 16 of the 57 bits that a master has drawn at random.
inline uint32_t ShownStep(int64_t step_id) {
  return static_cast<uint32_t>(static_cast<uint64_t>(step_id) & 0xffff);
}

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SHOWN_IDS_H_
