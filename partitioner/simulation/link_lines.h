// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LinkLines says when a message can begin to travel: when the line that it
// needs is free. Lines are in the order in which messages ask for them.
#ifndef LEAT_PARTITIONER_SIMULATION_LINK_LINES_H_
#define LEAT_PARTITIONER_SIMULATION_LINK_LINES_H_

#include <cstdint>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "leat/partitioner/costs/cluster_model.h"

namespace leat {

// Is not thread-safe. Borrows the model.
class LinkLines {
 public:
  explicit LinkLines(const ClusterModel& cluster) : cluster_(cluster) {}

  // Describes when a message has its line, and which message had it before.
  struct Slot {
    double begin = 0;
    int32_t previous = -1;  // -1 if the message does not wait for another
  };

  // Reserves the line between two devices for `seconds`, not before `ready`.
  // `transfer` is the number of the message.
  Slot Reserve(int link, int from_device, int to_device, double ready,
               double seconds, int32_t transfer);

 private:
  struct Line {
    double free = 0;
    int32_t last = -1;
  };
  // Holds the link and the two ends; -1 for an end that does not matter.
  using Key = std::tuple<int, int, int>;

  const ClusterModel& cluster_;
  absl::flat_hash_map<Key, Line> lines_;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_SIMULATION_LINK_LINES_H_
