// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepObserver is the interface of objects that observe every node that a step
// runs. For example, a StepObserver collects the step stats from which traces
// are made (runtime/step_stats.h).
#ifndef LEAT_CORE_DEVICES_STEP_OBSERVER_H_
#define LEAT_CORE_DEVICES_STEP_OBSERVER_H_

#include <chrono>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"

namespace leat {

// Describes one run of a node. A dead node does not run. All pointers, views
// and spans are borrowed, and are valid during the call of OnNodeRun only.
struct NodeRun {
  // Is the name of the node. All runs of a node show the same characters in
  // memory.
  absl::string_view node = {};
  absl::string_view op = {};
  Device* device = nullptr;
  // Are the times at which the node became ready, began to run, and had
  // computed its outputs.
  std::chrono::steady_clock::time_point scheduled = {};
  std::chrono::steady_clock::time_point started = {};
  std::chrono::steady_clock::time_point ended = {};
  // Is true if the kernel is asynchronous and held no thread while it waited.
  bool is_async = false;
  // Has the outputs. The pointer to an output that is dead or a reference is
  // null. The span is empty for Enter, NextIteration and Exit, which carry a
  // value into, around or out of a loop.
  absl::Span<const Tensor* const> outputs = {};
  // Has the shapes of all inputs. It is empty if the observer does not want
  // them, or if the kernel is asynchronous, got dead inputs, or does not exist.
  // A variable that has no value yet counts as a scalar.
  absl::Span<const Shape> input_shapes = {};
};

// Observes one step. The threads that run the nodes call it, many of them at
// once, so it must be thread-safe and quick. It must outlive the step.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // Is called after each run of a node.
  virtual void OnNodeRun(const NodeRun& run) = 0;
  // Returns true if runs must have their input_shapes, which take time. Must
  // always return the same.
  virtual bool WantsInputShapes() const { return false; }
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_STEP_OBSERVER_H_
