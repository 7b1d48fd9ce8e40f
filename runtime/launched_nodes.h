// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchedNodes remembers which nodes of a step have launched work on a GPU
// last. A GPU reports an error later than the launch that causes it, so that
// only these names can say where to look.
#ifndef LEAT_RUNTIME_LAUNCHED_NODES_H_
#define LEAT_RUNTIME_LAUNCHED_NODES_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace leat {

class GpuStream;
struct NodeDef;

// Belongs to one step on one GPU. Thread-safe.
class LaunchedNodes {
 public:
  // The most names that are remembered.
  static constexpr uint32_t kMost = 8;

  // `device` is the name of the GPU.
  explicit LaunchedNodes(std::string device) : device_(std::move(device)) {}

  // Must be called when `node` has launched work. Borrows `node` until the last
  // call of Names. While it is called, Names may have an older node instead.
  void Add(const NodeDef& node) {
    const uint32_t i = count_.fetch_add(1, std::memory_order_relaxed);
    nodes_[i % kMost].store(&node, std::memory_order_release);
  }

  // Returns the names of the last nodes, the latest last, such as "'a', 'b'".
  // Returns "no node" if none was added.
  std::string Names() const;

  bool IsEmpty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // Must be called when the step begins and ends to wait for what it has
  // launched. Several such waits may go on at the same time.
  void BeginWait() { waits_.fetch_add(1, std::memory_order_relaxed); }
  void EndWait() { waits_.fetch_sub(1, std::memory_order_relaxed); }
  bool IsAwaited() const { return waits_.load(std::memory_order_relaxed) > 0; }

  const std::string& device() const { return device_; }

 private:
  const std::string device_;
  std::atomic<int32_t> waits_{0};
  std::atomic<uint32_t> count_{0};
  std::array<std::atomic<const NodeDef*>, kMost> nodes_ = {};
};

// Returns `error` of a step. If the GPU has failed, so that any node may be the
// cause, adds the names of those that launched last. REQUIRES: `error` is not
// OK.
absl::Status WithLaunchedNodes(const absl::Status& error,
                               const LaunchedNodes& launched,
                               const GpuStream& stream);

}  // namespace leat

#endif  // LEAT_RUNTIME_LAUNCHED_NODES_H_
