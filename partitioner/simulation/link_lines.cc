// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/simulation/link_lines.h"

#include <utility>

#include "absl/container/inlined_vector.h"

namespace leat {

LinkLines::Slot LinkLines::Reserve(int link, int from_device, int to_device,
                                   double ready, double seconds,
                                   int32_t transfer) {
  const DeviceModel& from = cluster_.devices()[from_device];
  const DeviceModel& to = cluster_.devices()[to_device];
  // Two hosts are the ends of a link between hosts. Inside of a host two tasks
  // are the ends, and each host has lines of its own.
  const bool is_inside = from.host == to.host;
  const int from_end = is_inside ? from.task : from.host;
  const int to_end = is_inside ? to.task : to.host;
  constexpr int kAny = -1;
  absl::InlinedVector<Key, 2> keys;
  switch (cluster_.links()[link].sharing) {
    case LinkSharing::kPair:
      keys = {Key(link, from_end, to_end)};
      break;
    case LinkSharing::kEnd:
      keys = {Key(link, from_end, kAny), Key(link, kAny, to_end)};
      break;
    case LinkSharing::kAll:
      keys = {Key(link, is_inside ? from.host : kAny, kAny)};
      break;
  }
  Slot slot{.begin = ready};
  for (const Key& key : keys) {
    const Line& line = lines_[key];
    if (line.free <= slot.begin) continue;
    slot = {.begin = line.free, .previous = line.last};
  }
  for (const Key& key : keys) {
    lines_[key] = {.free = slot.begin + seconds, .last = transfer};
  }
  return slot;
}

}  // namespace leat
