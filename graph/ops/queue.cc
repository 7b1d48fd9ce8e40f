// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that make queues, put elements in and take them out. All ops
// have two forms. In the first form, the handle is a reference to two strings:
// the container and the name. In the second form, V2, the handle is a resource.
// It does not carry the types and shapes of the elements, so nothing is known
// of the shapes of dequeued elements.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops/both_forms.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::queue {
namespace {

// The form with references does not check the number of elements, as in
// TensorFlow.
absl::Status DequeueManyShape(InferenceContext& context) {
  if (IsReference(context, 0)) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> count,
                        ScalarInput(context, 1));
  if (count.has_value() && *count < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input 'n' must be >= 0, but is ", *count));
  }
  return absl::OkStatus();
}

absl::Status CloseShape(InferenceContext& context) {
  return CheckReference(context, 0);
}

// The size is a scalar if the handle is a reference. Otherwise it has the shape
// of the handle, as in TensorFlow.
absl::Status SizeShape(InferenceContext& context) {
  if (!IsReference(context, 0)) return shapes::Unchanged(context);
  LEAT_RETURN_IF_ERROR(CheckReference(context, 0));
  return shapes::Scalar(context);
}

void AddQueues(OpRegistry& registry) {
  AddBothForms({.name = "FIFOQueue",
                .outputs = {"handle: Handle"},
                .attrs = {"component_types: list(type) >= 1",
                          "shapes: list(shape) >= 0 = []", "capacity: int = -1",
                          "container: string = ''", "shared_name: string = ''"},
                .stateful = true,
                .shape = NewHandleShape},
               {"Returns a reference to a queue that gives out elements in the "
                "order in which they came.",
                "Returns the handle of a queue that gives out elements in the "
                "order in which they came."},
               registry);
  AddBothForms(
      {.name = "RandomShuffleQueue",
       .outputs = {"handle: Handle"},
       .attrs = {"component_types: list(type) >= 1",
                 "shapes: list(shape) >= 0 = []", "capacity: int = -1",
                 "min_after_dequeue: int = 0", "seed: int = 0",
                 "seed2: int = 0", "container: string = ''",
                 "shared_name: string = ''"},
       .stateful = true,
       .shape = NewHandleShape},
      {"Returns a reference to a queue that gives out elements in random "
       "order.",
       "Returns the handle of a queue that gives out elements in random "
       "order."},
      registry);
}

void AddEnqueues(OpRegistry& registry) {
  AddBothForms(
      {.name = "QueueEnqueue",
       .inputs = {"handle: Handle", "components: Tcomponents"},
       .attrs = {"Tcomponents: list(type) >= 1", "timeout_ms: int = -1"},
       .shape = shapes::NoOutputs,
       .work = works::Nothing},
      {"Puts an element into a queue, which is a reference.",
       "Puts an element into a queue, as soon as there is room."},
      registry);
  AddBothForms(
      {.name = "QueueEnqueueMany",
       .inputs = {"handle: Handle", "components: Tcomponents"},
       .attrs = {"Tcomponents: list(type) >= 1", "timeout_ms: int = -1"},
       .shape = shapes::NoOutputs,
       .work = works::Nothing},
      {"Puts each row of a batch into a queue, which is a reference.",
       "Puts each row of a batch into a queue as an element, as soon as "
       "there is room."},
      registry);
}

void AddDequeues(OpRegistry& registry) {
  const std::vector<std::string> outputs = {"components: component_types"};
  const std::vector<std::string> attrs = {"component_types: list(type) >= 1",
                                          "timeout_ms: int = -1"};
  AddBothForms({.name = "QueueDequeue",
                .inputs = {"handle: Handle"},
                .outputs = outputs,
                .attrs = attrs,
                .shape = shapes::Unknown,
                .work = works::Nothing},
               {"Takes an element out of a queue, which is a reference.",
                "Takes an element out of a queue, as soon as there is one."},
               registry);
  AddBothForms({.name = "QueueDequeueMany",
                .inputs = {"handle: Handle", "n: int32"},
                .outputs = outputs,
                .attrs = attrs,
                .shape = DequeueManyShape,
                .work = works::Take},
               {"Takes n elements out of a queue, which is a reference, and "
                "stacks them.",
                "Takes n elements out of a queue, as soon as there are n, and "
                "stacks them."},
               registry);
  AddBothForms({.name = "QueueDequeueUpTo",
                .inputs = {"handle: Handle", "n: int32"},
                .outputs = outputs,
                .attrs = attrs,
                .shape = shapes::Unknown,
                .work = works::Take},
               {"Takes up to n elements out of a queue, which is a reference, "
                "and stacks them.",
                "Takes n elements out of a queue, or what is left if it is "
                "closed, and stacks them."},
               registry);
}

void AddOthers(OpRegistry& registry) {
  AddBothForms({.name = "QueueClose",
                .inputs = {"handle: Handle"},
                .attrs = {"cancel_pending_enqueues: bool = false"},
                .shape = CloseShape},
               {"Closes a queue, which is a reference.",
                "Closes a queue, so that no more elements can be put in."},
               registry);
  AddBothForms({.name = "QueueIsClosed",
                .inputs = {"handle: Handle"},
                .outputs = {"is_closed: bool"},
                .shape = shapes::Scalar},
               {"Returns whether a queue, which is a reference, is closed.",
                "Returns whether a queue is closed."},
               registry);
  AddBothForms({.name = "QueueSize",
                .inputs = {"handle: Handle"},
                .outputs = {"size: int32"},
                .shape = SizeShape},
               {"Returns how many elements a queue has, which is a reference.",
                "Returns the number of elements in a queue."},
               registry);
}

}  // namespace

void Register(OpRegistry& registry) {
  AddQueues(registry);
  AddEnqueues(registry);
  AddDequeues(registry);
  AddOthers(registry);
}

}  // namespace leat::ops::queue
