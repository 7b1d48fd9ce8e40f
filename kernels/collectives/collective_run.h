// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CollectiveRun carries out the schedule of one member of a collective. The
// members exchange their buffers through the rendezvous of the step.
#ifndef LEAT_KERNELS_COLLECTIVES_COLLECTIVE_RUN_H_
#define LEAT_KERNELS_COLLECTIVES_COLLECTIVE_RUN_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"
#include "leat/kernels/collective_resolver.h"
#include "leat/kernels/collectives/collective_schedule.h"
#include "leat/kernels/collectives/reduction_ops.h"

namespace leat {

// Is thread-safe. What it waits for shares its ownership. No thread waits.
class CollectiveRun : public std::enable_shared_from_this<CollectiveRun> {
 public:
  using Done = absl::AnyInvocable<void(absl::Status) &&>;

  // Says what a run works on.
  struct Options {
    std::shared_ptr<const CollectiveGroup> group = {};
    int rank = 0;  // of the member
    // Is RunOfCollective for this run.
    std::string name = {};
    // Holds the input of the member, and the result after the run. It is flat,
    // has plain bytes in memory of the host, and nobody else uses the bytes.
    Tensor data = {};
    kernels::ReductionOps ops = {};  // if the schedule reduces
    // The rendezvous and the queue are borrowed until the run has ended.
    Rendezvous* rendezvous = nullptr;
    WorkQueue* compute = nullptr;
  };

  CollectiveRun(Options options, CollectiveSchedule schedule, Done done);

  // Starts the run. Calls the callback once, on any thread, when the schedule
  // is done and the peers have taken everything. The callback gets
  // - the error of the rendezvous, if a buffer cannot be received;
  // - INTERNAL if a peer sends another number of bytes;
  // - the status of Fail.
  void Start();

  // Ends the run with `why` (not OK), unless it has ended.
  void Fail(const absl::Status& why);

 private:
  // Describes a lane and its next action.
  struct Lane {
    CollectiveLane actions = {};
    size_t next = 0;
  };

  // A lane does not touch what the options borrow unless it has entered the
  // run. Enter returns false if the run has failed. Leave ends the run if it
  // has failed or nothing is left to do.
  bool Enter();
  void Leave(const absl::Status& status = absl::OkStatus());
  // Carries out the lane's actions until it has to wait. REQUIRES: the lane has
  // entered.
  void Advance(Lane& lane);
  // Offers the range of an action to the peer.
  absl::Status Send(const CollectiveAction& action);
  // Receives the buffer of the lane's next action, then goes on with the lane.
  void Receive(Lane& lane);
  // Goes on with a lane whose buffer has come, on a thread that may compute.
  void Resume(Lane& lane, const absl::Status& status, Tensor received);
  // Uses a received buffer as the action says.
  absl::Status Take(const CollectiveAction& action, const Tensor& received);
  // Divides the elements of the range by the number of members.
  void Finish(ElementRange range);
  // Is called when a peer has taken a buffer.
  void BufferWasTaken();

  char* At(int64_t element) {
    return options_.data.mutable_raw_data() + element * element_bytes_;
  }
  Tensor Slice(ElementRange range) const {
    return options_.data.Slice(range.begin, range.end);
  }

  Options options_;
  const int64_t element_bytes_;
  std::vector<Lane> lanes_;

  Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  // Is the number of lanes that have entered, and of calls of Start and Fail.
  // The first one is that of Start, so nothing ends the run before Start.
  size_t inside_ ABSL_GUARDED_BY(mutex_) = 1;
  size_t left_ ABSL_GUARDED_BY(mutex_);         // lanes that are not done
  size_t offered_ ABSL_GUARDED_BY(mutex_) = 0;  // buffers that nobody has taken
  Done done_ ABSL_GUARDED_BY(mutex_);           // null when the run has ended
};

}  // namespace leat

#endif  // LEAT_KERNELS_COLLECTIVES_COLLECTIVE_RUN_H_
