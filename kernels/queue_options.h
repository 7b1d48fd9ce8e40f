// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// QueueOptions: what a node says of its queue, checked, and whether it says
// the same as another node of that name.
#ifndef LEAT_KERNELS_QUEUE_OPTIONS_H_
#define LEAT_KERNELS_QUEUE_OPTIONS_H_

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

enum class QueueKind { kFifo, kRandomShuffle };

// The type in TensorFlow's messages: "FIFOQueue", "RandomShuffleQueue".
absl::string_view TypeName(QueueKind kind);

struct QueueOptions {
  // TensorFlow's word for a queue without a capacity.
  static constexpr int64_t kUnbounded = std::numeric_limits<int32_t>::max();
  QueueKind kind = QueueKind::kFifo;
  std::string name = {};
  int64_t capacity = kUnbounded;   // elements
  std::vector<DType> dtypes = {};  // one for each component, at least one
  std::vector<Shape> shapes = {};  // the same, or none: they may vary
  // Random shuffling only.
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;

  // Of all components together (ResourceLimits::max_queue_elements).
  int64_t max_tensors = ResourceLimits().max_queue_elements;
};

// From the attrs of a FIFOQueueV2 or RandomShuffleQueueV2. INVALID_ARGUMENT
// when they contradict one another.
absl::StatusOr<QueueOptions> GetQueueOptions(const NodeDef& node,
                                             QueueKind kind);

// INVALID_ARGUMENT with TensorFlow's text unless a node that asks for `wanted`
// may use the queue that is there.
absl::Status CheckSameQueue(const QueueOptions& there,
                            const QueueOptions& wanted);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_QUEUE_OPTIONS_H_
