// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CollectiveResolver finds out, for a kernel that takes part in a collective,
// who the other members of the group are, and whether all members want the same
// collective. The kernels exchange their tensors through the rendezvous of the
// step (kernels/collectives/).
#ifndef LEAT_KERNELS_COLLECTIVE_RESOLVER_H_
#define LEAT_KERNELS_COLLECTIVE_RESOLVER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/device.h"
#include "leat/core/dtype.h"
#include "leat/core/shape.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/timer_queue.h"

namespace leat {

// Describes a device that takes part in collectives, and its task, such as
// "/job:worker/replica:0/task:0".
struct CollectiveMember {
  DeviceInfo device = {};
  std::string task = {};
};

// Describes a group whose members are all known. Does not change.
struct CollectiveGroup {
  int32_t key = 0;
  // Is random. A group that forms anew has another id.
  std::string id = {};
  // Holds the members by their ranks. The members of one task are neighbours.
  std::vector<CollectiveMember> members = {};
  // Is true if the tasks of all members are known to be tasks of Leat. They may
  // then use algorithms that tasks of TensorFlow do not have.
  bool is_all_leat = false;

  int size() const { return static_cast<int>(members.size()); }
  // Returns the rank of the member with that device, or nullopt.
  std::optional<int> RankOf(absl::string_view device) const;
  // Returns how many tasks have the members.
  int num_tasks() const;
};

// The numbers are those of TensorFlow's messages.
enum class CollectiveType { kReduction = 0, kBroadcast = 1, kGather = 2 };

// Says which collective a member wants to take part in.
struct CollectiveRequest {
  std::string name = {};  // of the node, for messages
  CollectiveType type = CollectiveType::kReduction;
  int32_t group_key = 0;
  int32_t group_size = 0;
  int32_t instance_key = 0;
  DType dtype = DType::kInvalid;
  Shape shape = {};        // of the output
  bool is_source = false;  // true for the sender of a broadcast
  // If true, the shape may be another one each time, as long as all members
  // have the same.
  bool shape_may_change = false;
  DeviceInfo device = {};  // of the member
};

// Says how a member takes part.
struct ResolvedCollective {
  std::shared_ptr<const CollectiveGroup> group = {};
  int rank = 0;         // of the member
  int source_rank = 0;  // of the sender, in a broadcast
};

// Is thread-safe.
class CollectiveResolver {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<ResolvedCollective>) &&>;

  virtual ~CollectiveResolver() = default;

  // Calls `done` exactly once, before or after Resolve returns, on any thread,
  // as soon as the group has all of its members. `cancellation` ends the wait.
  // `done` gets, with TensorFlow's texts,
  // - INTERNAL if the members disagree about the size of the group or about the
  //   type of the collective;
  // - INVALID_ARGUMENT if they disagree about the shape;
  // - the error of `cancellation`, and errors of calls to other tasks.
  virtual void Resolve(const CollectiveRequest& request,
                       std::shared_ptr<Cancellation> cancellation,
                       Done done) = 0;

  // Watches the tasks of the members of `group` until the result is destroyed.
  // Calls `on_lost` at most once, with an error that names the task, if the
  // process of a member is gone. May return null.
  virtual std::shared_ptr<void> Watch(
      std::shared_ptr<const CollectiveGroup> group,
      absl::AnyInvocable<void(const absl::Status&) &&> on_lost) = 0;

  // Returns the timers for the timeouts of collectives.
  virtual TimerQueue& timers() = 0;
};

// Returns the name of a task, such as "/job:worker/replica:0/task:0", from the
// full name of one of its devices.
std::string TaskOfMember(absl::string_view device);

}  // namespace leat

#endif  // LEAT_KERNELS_COLLECTIVE_RESOLVER_H_
