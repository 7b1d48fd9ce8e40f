// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/kernels/collectives/collective_schedule.h"

namespace leat {
namespace {

using Kind = CollectiveAction::Kind;

// Each section of a chunk should have at most this many bytes.
constexpr int64_t kMaxSectionBytes = int64_t{4} << 20;
constexpr int kDefaultSectionsPerDevice = 2;

// Describes the place of a member in one of the rings.
struct RingPlace {
  int position = 0;  // of the member in the ring
  int previous = 0;  // the rank of the member before it
  int next = 0;      // the rank of the member after it
};

// Returns the ranks in the order of the ring with that offset.
std::vector<int> RingOrder(const CollectiveGroup& group, int offset) {
  std::vector<int> order;
  const auto shift = static_cast<size_t>(std::abs(int64_t{offset}));
  for (size_t begin = 0; begin < group.members.size();) {
    size_t end = begin + 1;
    while (end < group.members.size() &&
           group.members[end].task == group.members[begin].task) {
      ++end;
    }
    const size_t devices = end - begin;
    for (size_t i = 0; i < devices; ++i) {
      const size_t rotated = (i + shift) % devices;
      order.push_back(static_cast<int>(
          begin + (offset < 0 ? devices - 1 - rotated : rotated)));
    }
    begin = end;
  }
  return order;
}

RingPlace PlaceIn(const CollectiveGroup& group, int rank, int offset) {
  const std::vector<int> order = RingOrder(group, offset);
  const auto size = order.size();
  const auto position = static_cast<size_t>(
      std::find(order.begin(), order.end(), rank) - order.begin());
  return {.position = static_cast<int>(position),
          .previous = order[(position + size - 1) % size],
          .next = order[(position + 1) % size]};
}

// Returns the name of what the member at `position` sends.
std::string NameOf(int pass, int field, int position) {
  return absl::StrCat(pass, ":", field, ":", position);
}

// Returns how many elements a field has: an equal share, rounded up as
// TensorFlow does, to a multiple of the alignment. A share that is a multiple
// already gets 64 bytes more.
int64_t FieldElements(int64_t elements, int64_t element_bytes, int64_t fields) {
  constexpr auto kAlignment = static_cast<int64_t>(kBufferAlignment);
  const int64_t share = elements / fields + (elements % fields != 0);
  const int64_t bytes = share * element_bytes;
  const int64_t missing = kAlignment - bytes % kAlignment;
  return share + missing / element_bytes;
}

// Adds the actions that pass field `field` through the member's place once. The
// field starts after the member at position `start`, which receives nothing.
// The last member is the one before `start`, which sends nothing.
void AddPass(int pass, int field, int start, Kind receive, ElementRange range,
             const RingPlace& place, int size, CollectiveLane& lane) {
  const int before = (place.position + size - 1) % size;
  const bool is_last = (place.position + 1) % size == start;
  if (place.position != start) {
    lane.push_back({.kind = receive,
                    .range = range,
                    .peer = place.previous,
                    .name = NameOf(pass, field, before)});
  }
  if (receive == Kind::kMerge && is_last) {
    lane.push_back({.kind = Kind::kFinish, .range = range});
  }
  if (!is_last) {
    lane.push_back({.kind = Kind::kSend,
                    .range = range,
                    .peer = place.next,
                    .name = NameOf(pass, field, place.position)});
  }
}

}  // namespace

RingSections SectionsForBytes(const CollectiveGroup& group, int64_t bytes,
                              int max_per_device) {
  if (max_per_device < 0) return {};
  const int devices = group.size() / group.num_tasks();
  const int most = devices * (max_per_device > 0 ? max_per_device
                                                 : kDefaultSectionsPerDevice);
  int count = 1;
  while (count < most &&
         bytes / (int64_t{group.size()} * count) > kMaxSectionBytes) {
    ++count;
  }
  const int stride = std::max(devices / count, 1);
  RingSections sections{.offsets = {}};
  for (int i = 0; i < count; ++i) {
    sections.offsets.push_back(i % 2 == 1 ? -stride * i : stride * i);
  }
  return sections;
}

CollectiveSchedule RingReduction(const CollectiveGroup& group, int rank,
                                 int64_t elements, int64_t element_bytes,
                                 const RingSections& sections) {
  CollectiveSchedule schedule;
  const int size = group.size();
  if (size == 1 || elements == 0) return schedule;
  const int count = static_cast<int>(sections.offsets.size());
  std::vector<RingPlace> places;
  for (const int offset : sections.offsets) {
    places.push_back(PlaceIn(group, rank, offset));
  }
  const int64_t length =
      FieldElements(elements, element_bytes, int64_t{size} * count);
  for (int chunk = 0; chunk < size; ++chunk) {
    for (int section = 0; section < count; ++section) {
      const int field = chunk * count + section;
      const int64_t begin = std::min(elements, field * length);
      const ElementRange range{begin, std::min(elements, begin + length)};
      if (range.size() == 0) continue;
      const RingPlace& place = places[static_cast<size_t>(section)];
      CollectiveLane lane;
      AddPass(0, field, chunk, Kind::kMerge, range, place, size, lane);
      AddPass(1, field, (chunk + size - 1) % size, Kind::kReceive, range, place,
              size, lane);
      schedule.lanes.push_back(std::move(lane));
    }
  }
  return schedule;
}

CollectiveSchedule RingGather(const CollectiveGroup& group, int rank,
                              int64_t elements) {
  CollectiveSchedule schedule;
  const int size = group.size();
  if (size == 1 || elements == 0) return schedule;
  const RingPlace place = PlaceIn(group, rank, /*offset=*/0);
  const int64_t length = elements / size;
  for (int chunk = 0; chunk < size; ++chunk) {
    CollectiveLane lane;
    AddPass(0, chunk, chunk, Kind::kReceive,
            {chunk * length, (chunk + 1) * length}, place, size, lane);
    schedule.lanes.push_back(std::move(lane));
  }
  return schedule;
}

}  // namespace leat
