// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RunCollective takes part in a collective, for the kernels of the collectives:
// it finds the other members, makes the schedule of this member and runs it.
#ifndef LEAT_KERNELS_COLLECTIVES_COLLECTIVE_KERNEL_H_
#define LEAT_KERNELS_COLLECTIVES_COLLECTIVE_KERNEL_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"
#include "leat/kernels/collective_resolver.h"
#include "leat/kernels/collectives/collective_schedule.h"
#include "leat/kernels/collectives/reduction_ops.h"
#include "leat/kernels/kernel.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Holds what a node says of the collective in its attrs. The ops of the first
// version have the group and the key of the collective in attrs, too.
struct CollectiveAttrs {
  std::string name = {};  // for messages, such as "sum: Reduce(Add,Id)"
  CollectiveType type = CollectiveType::kReduction;
  bool is_source = false;
  // Is true for an op of the first version. The next three members are then
  // known before the op runs.
  bool has_group = false;
  int32_t group_size = 0;
  int32_t group_key = 0;
  int32_t instance_key = 0;
  float timeout_seconds = 0;
};

// Reads the attrs of a node. Returns INVALID_ARGUMENT if the size of the group
// is not above 0.
absl::StatusOr<CollectiveAttrs> ReadCollectiveAttrs(const NodeDef& node,
                                                    CollectiveType type,
                                                    bool has_group);

// Returns the request of a run whose output has the shape `shape`. The inputs
// from number `first_input` on are the size and the key of the group and the
// key of the collective, unless the attrs have them. Returns INVALID_ARGUMENT
// for inputs that are no scalars, and for a size that is not above 0.
absl::StatusOr<CollectiveRequest> RequestOf(const CollectiveAttrs& attrs,
                                            const KernelContext& context,
                                            int first_input);

// Describes a run.
struct CollectiveCall {
  CollectiveRequest request = {};
  float timeout_seconds = 0;  // 0 stands for none
  // Is the output of the kernel. It has plain bytes in memory of the host, and
  // nobody else uses the bytes.
  Tensor output = {};
  ReductionOps ops = {};  // if the schedule reduces
  // Makes the schedule when the members are known. Is called once. `data` is
  // the output as a flat tensor, which must hold the input of the member
  // afterwards.
  std::function<absl::StatusOr<CollectiveSchedule>(
      const ResolvedCollective& member, Tensor& data)>
      schedule = {};
};

// Gives output 0 the value of input 0, in bytes that the kernel may change.
// Returns the output. Returns RESOURCE_EXHAUSTED if there is no memory.
absl::StatusOr<Tensor> CopyInputToOutput(KernelContext& context);

// Takes part in a collective. Calls `done` exactly once, on any thread, when
// the output is complete and the other members have taken what they need.
// `done` gets the errors of CollectiveResolver::Resolve and of CollectiveRun.
// It gets DEADLINE_EXCEEDED if the members are not complete by the timeout, or
// if the run takes longer. It gets INTERNAL if the step cannot run collectives.
void RunCollective(CollectiveCall call, KernelContext& context,
                   AsyncKernel::Done done);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_COLLECTIVES_COLLECTIVE_KERNEL_H_
