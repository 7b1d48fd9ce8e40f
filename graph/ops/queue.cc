// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that make queues, put elements in and take them out. The
// handle of a queue does not carry the types and shapes of the elements, so
// nothing is known of the shapes of dequeued elements.
#include <optional>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::queue {
namespace {

absl::Status DequeueManyShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> count,
                        ScalarInput(context, 1));
  if (count.has_value() && *count < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input 'n' must be >= 0, but is ", *count));
  }
  return absl::OkStatus();
}

// The ops on queues are not folded, because they have state and may wait.
KernelSignature NotFoldableOnCpu() { return NotFoldable(OnCpu()); }

void AddQueues(OpRegistry& registry) {
  registry.Add({.name = "FIFOQueueV2",
                .doc = "Returns the handle of a queue that gives out elements "
                       "in the order in which they came.",
                .outputs = {"handle: resource"},
                .attrs = {"component_types: list(type) >= 1",
                          "shapes: list(shape) >= 0 = []", "capacity: int = -1",
                          "container: string = ''", "shared_name: string = ''"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldableOnCpu()});

  registry.Add({.name = "RandomShuffleQueueV2",
                .doc = "Returns the handle of a queue that gives out elements "
                       "in random order.",
                .outputs = {"handle: resource"},
                .attrs = {"component_types: list(type) >= 1",
                          "shapes: list(shape) >= 0 = []", "capacity: int = -1",
                          "min_after_dequeue: int = 0", "seed: int = 0",
                          "seed2: int = 0", "container: string = ''",
                          "shared_name: string = ''"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldableOnCpu()});
}

void AddEnqueues(OpRegistry& registry) {
  registry.Add(
      {.name = "QueueEnqueueV2",
       .doc = "Puts an element into a queue, as soon as there is room.",
       .inputs = {"handle: resource", "components: Tcomponents"},
       .attrs = {"Tcomponents: list(type) >= 1", "timeout_ms: int = -1"},
       .stateful = true,
       .shape = shapes::NoOutputs},
      {NotFoldableOnCpu()});

  registry.Add(
      {.name = "QueueEnqueueManyV2",
       .doc = "Puts each row of a batch into a queue as an element, as soon as "
              "there is room.",
       .inputs = {"handle: resource", "components: Tcomponents"},
       .attrs = {"Tcomponents: list(type) >= 1", "timeout_ms: int = -1"},
       .stateful = true,
       .shape = shapes::NoOutputs},
      {NotFoldableOnCpu()});
}

void AddDequeues(OpRegistry& registry) {
  registry.Add(
      {.name = "QueueDequeueV2",
       .doc = "Takes an element out of a queue, as soon as there is one.",
       .inputs = {"handle: resource"},
       .outputs = {"components: component_types"},
       .attrs = {"component_types: list(type) >= 1", "timeout_ms: int = -1"},
       .stateful = true,
       .shape = shapes::Unknown},
      {NotFoldableOnCpu()});

  registry.Add(
      {.name = "QueueDequeueManyV2",
       .doc = "Takes n elements out of a queue, as soon as there are n, and "
              "stacks them.",
       .inputs = {"handle: resource", "n: int32"},
       .outputs = {"components: component_types"},
       .attrs = {"component_types: list(type) >= 1", "timeout_ms: int = -1"},
       .stateful = true,
       .shape = DequeueManyShape},
      {NotFoldableOnCpu()});

  registry.Add(
      {.name = "QueueDequeueUpToV2",
       .doc = "Takes n elements out of a queue, or what is left if it is "
              "closed, and stacks them.",
       .inputs = {"handle: resource", "n: int32"},
       .outputs = {"components: component_types"},
       .attrs = {"component_types: list(type) >= 1", "timeout_ms: int = -1"},
       .stateful = true,
       .shape = shapes::Unknown},
      {NotFoldableOnCpu()});
}

void AddOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "QueueCloseV2",
       .doc = "Closes a queue, so that no more elements can be put in.",
       .inputs = {"handle: resource"},
       .attrs = {"cancel_pending_enqueues: bool = false"},
       .stateful = true,
       .shape = shapes::NoOutputs},
      {NotFoldableOnCpu()});

  registry.Add({.name = "QueueIsClosedV2",
                .doc = "Returns whether a queue is closed.",
                .inputs = {"handle: resource"},
                .outputs = {"is_closed: bool"},
                .stateful = true,
                .shape = shapes::Scalar},
               {NotFoldableOnCpu()});

  registry.Add({.name = "QueueSizeV2",
                .doc = "Returns the number of elements in a queue.",
                .inputs = {"handle: resource"},
                .outputs = {"size: int32"},
                .stateful = true,
                .shape = shapes::Unchanged},
               {NotFoldableOnCpu()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddQueues(registry);
  AddEnqueues(registry);
  AddDequeues(registry);
  AddOthers(registry);
}

}  // namespace leat::ops::queue
