// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "leat/kernels/collectives/collective_schedule.h"

namespace leat {
namespace {

using Kind = CollectiveAction::Kind;

// Makes the schedule of one member. The members with ranks below the largest
// power of two take part in the rounds. Each of the others gives its tensor to
// one of them first, and gets the result from it at the end.
class Halving {
 public:
  Halving(int size, int rank, int64_t elements)
      : size_(size), rank_(rank), all_{0, elements} {
    while (partners_ * 2 <= size) partners_ *= 2;
  }

  CollectiveLane Lane() {
    if (rank_ >= partners_) {
      Add(Kind::kSend, all_, rank_ - partners_, "before");
      Add(Kind::kReceive, all_, rank_ - partners_, "after");
      return std::move(lane_);
    }
    const int guest = rank_ + partners_;
    if (guest < size_) Add(Kind::kMerge, all_, guest, "before");
    AddRounds(all_, partners_ / 2);
    if (guest < size_) Add(Kind::kSend, all_, guest, "after");
    return std::move(lane_);
  }

 private:
  // Adds the rounds after which `range` has its result. The partner of the
  // first of these rounds has a rank that differs by `distance`, and the same
  // range.
  void AddRounds(ElementRange range, int distance) {
    if (distance == 0) return Add(Kind::kFinish, range, 0, "");
    const int partner = rank_ ^ distance;
    const int64_t middle = range.begin + range.size() / 2;
    ElementRange kept{range.begin, middle};
    ElementRange given{middle, range.end};
    if ((rank_ & distance) != 0) std::swap(kept, given);
    Add(Kind::kSend, given, partner, absl::StrCat("halve", distance));
    Add(Kind::kMerge, kept, partner, absl::StrCat("halve", distance));
    AddRounds(kept, distance / 2);
    Add(Kind::kSend, kept, partner, absl::StrCat("double", distance));
    Add(Kind::kReceive, given, partner, absl::StrCat("double", distance));
  }

  void Add(Kind kind, ElementRange range, int peer, const std::string& round) {
    if (range.size() == 0) return;
    const int sender = kind == Kind::kSend ? rank_ : peer;
    lane_.push_back({.kind = kind,
                     .range = range,
                     .peer = peer,
                     .name = absl::StrCat(round, ":", sender)});
  }

  const int size_;
  const int rank_;
  const ElementRange all_;
  int partners_ = 1;
  CollectiveLane lane_;
};

}  // namespace

CollectiveSchedule HalvingReduction(const CollectiveGroup& group, int rank,
                                    int64_t elements) {
  CollectiveSchedule schedule;
  if (group.size() == 1) return schedule;
  schedule.lanes.push_back(Halving(group.size(), rank, elements).Lane());
  return schedule;
}

}  // namespace leat
