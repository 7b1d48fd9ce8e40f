// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A CollectiveSchedule says what one member of a group does in a collective:
// which parts of its tensor it sends to whom, and what it receives. Each
// algorithm is a function that makes the schedule of a member. A CollectiveRun
// (collective_run.h) carries it out.
//
// The schedules of all members fit each other: for each Send there is one
// receive at the peer, of as many elements and with the same name.
#ifndef LEAT_KERNELS_COLLECTIVES_COLLECTIVE_SCHEDULE_H_
#define LEAT_KERNELS_COLLECTIVES_COLLECTIVE_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "leat/kernels/collective_resolver.h"

namespace leat {

// Describes elements [begin, end) of the flat tensor.
struct ElementRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
};

// Describes one thing that a member does.
struct CollectiveAction {
  enum class Kind {
    kSend,     // offers the range to a peer
    kReceive,  // overwrites the range with what a peer sends
    kMerge,    // combines the range with what a peer sends
    kFinish,   // applies the final operation of a reduction to the range
  };

  Kind kind = Kind::kSend;
  ElementRange range = {};
  int peer = 0;           // the rank of the peer
  std::string name = {};  // of the buffer, unique in the run
};

// A lane is a sequence of actions, each of which begins after the one before
// it. A Send is over when the range has been offered.
using CollectiveLane = std::vector<CollectiveAction>;

// Holds the lanes of a member. They run at the same time.
struct CollectiveSchedule {
  std::vector<CollectiveLane> lanes = {};
};

// Says how a ring divides a tensor. The tensor has one chunk for each member,
// and each chunk has one section for each element of `offsets`. The sections
// travel in rings of their own. An offset rotates the devices within each task;
// below 0, their order is reversed first.
struct RingSections {
  std::vector<int> offsets = {0};
};

// Returns the sections of a tensor of `bytes` bytes that TensorFlow chooses if
// a member may have up to `max_per_device` sections of a chunk. 0 stands for
// TensorFlow's default, and -1 for no division.
RingSections SectionsForBytes(const CollectiveGroup& group, int64_t bytes,
                              int max_per_device);

// Returns the schedule of a reduction: chunks travel around the ring twice. In
// the first round each member merges what it has, in the second the results are
// passed on. This is TensorFlow's RingReduce.
CollectiveSchedule RingReduction(const CollectiveGroup& group, int rank,
                                 int64_t elements, int64_t element_bytes,
                                 const RingSections& sections);

// Returns the schedule of a gather: chunk i is the input of member i. This is
// TensorFlow's RingGather. REQUIRES: `elements` is a multiple of the size of
// the group.
CollectiveSchedule RingGather(const CollectiveGroup& group, int rank,
                              int64_t elements);

// Returns the schedule of a broadcast: first over a tree of tasks, then over a
// tree of each task's devices. This is TensorFlow's HierarchicalTreeBroadcast.
CollectiveSchedule TreeBroadcast(const CollectiveGroup& group, int rank,
                                 int source_rank, int64_t elements);

// Returns the schedule of a reduction by recursive halving and doubling: in
// each round a member and its partner of this round exchange halves of what
// they are responsible for. There are fewer rounds than in a ring, so small
// tensors take less time. TensorFlow does not have it.
CollectiveSchedule HalvingReduction(const CollectiveGroup& group, int rank,
                                    int64_t elements);

}  // namespace leat

#endif  // LEAT_KERNELS_COLLECTIVES_COLLECTIVE_SCHEDULE_H_
