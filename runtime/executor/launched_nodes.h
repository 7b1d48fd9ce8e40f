// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchedNodes remembers the nodes of a step that were the last to launch work
// on a GPU. A GPU reports an error some time after the launch that caused it,
// so these names are the only hint to the node that failed.
#ifndef LEAT_RUNTIME_EXECUTOR_LAUNCHED_NODES_H_
#define LEAT_RUNTIME_EXECUTOR_LAUNCHED_NODES_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

class GpuStream;
struct NodeDef;

// A LaunchedNodes belongs to one step on one GPU. It is thread-safe.
class LaunchedNodes {
 public:
  // Limits the number of nodes that are remembered.
  static constexpr uint32_t kMost = 8;

  // `device` is the name of the GPU. It is borrowed and must outlive the step.
  explicit LaunchedNodes(absl::string_view device) : device_(device) {}

  // Must be called when `node` has launched work. Borrows `node` until the last
  // call of Names. A concurrent call of Names may miss `node`.
  void Add(const NodeDef& node) {
    const uint32_t i = count_.fetch_add(1, std::memory_order_relaxed);
    nodes_[i % kMost].store(&node, std::memory_order_release);
  }

  // Returns the names of the last nodes, the latest last, such as "'a', 'b'".
  // Returns "no node" if none was added.
  std::string Names() const;

  bool IsEmpty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // BeginWait must be called when the step begins to wait for the work that it
  // has launched, and EndWait must be called when that wait ends. IsAwaited
  // returns true during a wait. Several waits can go on at the same time.
  void BeginWait() { waits_.fetch_add(1, std::memory_order_relaxed); }
  void EndWait() { waits_.fetch_sub(1, std::memory_order_relaxed); }
  bool IsAwaited() const { return waits_.load(std::memory_order_relaxed) > 0; }

  absl::string_view device() const { return device_; }

 private:
  const absl::string_view device_;
  std::atomic<int32_t> waits_{0};
  std::atomic<uint32_t> count_{0};
  std::array<std::atomic<const NodeDef*>, kMost> nodes_ = {};
};

// Returns `error`, the error of a step. If the GPU has failed, any node may be
// the cause. The message then also names the nodes that launched work last.
// REQUIRES: `error` is not OK.
absl::Status WithLaunchedNodes(const absl::Status& error,
                               const LaunchedNodes& launched,
                               const GpuStream& stream);

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_LAUNCHED_NODES_H_
