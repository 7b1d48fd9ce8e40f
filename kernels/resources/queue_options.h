// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// QueueOptions holds the options of a queue. They are read from the attrs of a
// FIFOQueueV2 or RandomShuffleQueueV2 node and checked. CheckSameQueue decides
// whether a node may use an existing queue of the same name.
#ifndef LEAT_KERNELS_RESOURCES_QUEUE_OPTIONS_H_
#define LEAT_KERNELS_RESOURCES_QUEUE_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/shape.h"
#include "leat/kernels/resource_store.h"

namespace leat {
struct NodeDef;
}  // namespace leat

namespace leat::kernels {

// Says in which order elements leave a queue.
enum class QueueKind { kFifo, kRandomShuffle };

// Returns the name in TensorFlow's messages: "FIFOQueue" or
// "RandomShuffleQueue".
absl::string_view TypeName(QueueKind kind);

// Is a value type.
struct QueueOptions {
  // Is TensorFlow's value for a queue of unlimited capacity.
  static constexpr int64_t kUnbounded = std::numeric_limits<int32_t>::max();
  QueueKind kind = QueueKind::kFifo;
  std::string name = {};           // name of the resource, for messages
  int64_t capacity = kUnbounded;   // in elements
  std::vector<DType> dtypes = {};  // one per component, at least one
  std::vector<Shape> shapes = {};  // one per component; if empty, any shapes
  // These options are for kRandomShuffle only. min_after_dequeue is the number
  // of elements that a dequeue leaves in an open queue. `seed` and `seed2` seed
  // the random generator. If both seeds are 0, the order is not deterministic.
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;

  // Limits the number of tensors in the queue, counted over all elements and
  // all components (ResourceLimits::max_queue_elements).
  int64_t max_tensors = ResourceLimits().max_queue_elements;
};

// Reads the options from the attrs of `node`. Returns INVALID_ARGUMENT if attrs
// contradict one another or a number does not fit an int32. A negative capacity
// means kUnbounded.
absl::StatusOr<QueueOptions> GetQueueOptions(const NodeDef& node,
                                             QueueKind kind);

// Returns OK if a node may use an existing queue of the same name. Otherwise
// returns INVALID_ARGUMENT with TensorFlow's text. `there` has the options of
// the existing queue, and `wanted` has the options that the node asks for.
absl::Status CheckSameQueue(const QueueOptions& there,
                            const QueueOptions& wanted);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_RESOURCES_QUEUE_OPTIONS_H_
