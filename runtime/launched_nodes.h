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

struct NodeDef;

// Belongs to one step on one GPU. Thread-safe.
class LaunchedNodes {
 public:
  // The most names that are remembered.
  static constexpr uint32_t kMost = 8;

  // `device` is the name of the GPU.
  explicit LaunchedNodes(std::string device) : device_(std::move(device)) {}

  // Must be called before the kernel of `node` runs, and may be called several
  // times in a row. Borrows `node` until the last call of Names. Names may miss
  // a node that is added at the same time.
  void Add(const NodeDef& node) {
    const uint32_t count = count_.load(std::memory_order_relaxed);
    if (nodes_[(count - 1) % kMost].load(std::memory_order_relaxed) == &node) {
      return;
    }
    const uint32_t i = count_.fetch_add(1, std::memory_order_relaxed);
    nodes_[i % kMost].store(&node, std::memory_order_release);
  }

  // Returns the names of the last nodes, the latest last, such as "'a', 'b'".
  // Returns "no node" if none was added.
  std::string Names() const;

  const std::string& device() const { return device_; }

 private:
  const std::string device_;
  std::atomic<uint32_t> count_{0};
  std::array<std::atomic<const NodeDef*>, kMost> nodes_ = {};
};

// Returns `error`, which a GPU has reported too late for its cause to be known,
// with the names of the nodes. REQUIRES: `error` is not OK.
absl::Status WithLaunchedNodes(const absl::Status& error,
                               const LaunchedNodes& launched);

}  // namespace leat

#endif  // LEAT_RUNTIME_LAUNCHED_NODES_H_
