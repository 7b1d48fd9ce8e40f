// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionKernels: the stateful kernels of one session, by device and node name,
// so that a random generator or a counter goes on from step to step whatever is
// fetched. Thread-safe.
#ifndef LEAT_RUNTIME_SESSION_KERNELS_H_
#define LEAT_RUNTIME_SESSION_KERNELS_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "leat/core/device.h"
#include "leat/core/mutex.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_registry.h"

namespace leat {

class SessionKernels {
 public:
  // `registry` is borrowed and outlives this.
  explicit SessionKernels(const KernelRegistry& registry)
      : registry_(registry) {}

  // The kernel of a node on a device: a new one, or for a stateful op the one
  // made before. INVALID_ARGUMENT when that was for another op or another value
  // of an attr that the op declares. Others are notes of a planner, and differ
  // from graph to graph of one session: a TensorFlow master's `_class`, say.
  absl::StatusOr<std::shared_ptr<const Kernel>> Get(const NodeDef& node,
                                                    const Device& device);

 private:
  struct Stateful {
    std::shared_ptr<const Kernel> kernel = {};
    std::string op = {};
    AttrMap attrs = {};  // declared ones
  };

  const KernelRegistry& registry_;
  Mutex mutex_;
  absl::flat_hash_map<std::pair<std::string, std::string>, Stateful> stateful_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SESSION_KERNELS_H_
