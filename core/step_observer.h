// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepObserver: what watches a step from outside: step stats, traces, metrics.
#ifndef LEAT_CORE_STEP_OBSERVER_H_
#define LEAT_CORE_STEP_OBSERVER_H_

#include <chrono>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/core/tensor.h"

namespace leat {

// One run of one node. Nodes that do not run because they are dead have none.
struct NodeRun {
  absl::string_view node = {};
  absl::string_view op = {};
  Device* device = nullptr;
  std::chrono::steady_clock::time_point scheduled = {};  // became ready
  std::chrono::steady_clock::time_point started = {};
  std::chrono::steady_clock::time_point ended = {};
  // It held no thread while it waited.
  bool is_async = false;
  // Null for an output that is dead or a reference. Empty for nodes that carry
  // a value into, round or out of a loop.
  absl::Span<const Tensor* const> outputs = {};
};

// Called from many threads at once, each time on a thread that ran the node;
// must be thread-safe and quick.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // What `run` points at ends with the call.
  virtual void OnNodeRun(const NodeRun& run) = 0;
};

}  // namespace leat

#endif  // LEAT_CORE_STEP_OBSERVER_H_
