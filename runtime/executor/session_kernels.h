// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionKernels makes the kernels of one session and keeps the stateful ones
// by device and node name. A random generator or a counter therefore continues
// from step to step, even if the steps fetch different tensors. Kernels of
// other ops belong to the compiled graph alone.
#ifndef LEAT_RUNTIME_EXECUTOR_SESSION_KERNELS_H_
#define LEAT_RUNTIME_EXECUTOR_SESSION_KERNELS_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/device.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_registry.h"

namespace leat {

// Is thread-safe. Shares the ownership of stateful kernels with the programs
// that use them.
class SessionKernels {
 public:
  // Borrows `registry`, which must outlive this object.
  explicit SessionKernels(const KernelRegistry& registry)
      : registry_(registry) {}

  // Returns a kernel of type `kernel_type` for `node` on `device`.
  // `kernel_type` differs from the device's type if a node on a GPU runs on the
  // host. For a stateful op, returns the kernel that was made for the same node
  // before, if there is one. Otherwise makes a new kernel. Nodes and ops whose
  // names begin with '_' belong to one plan and always get a new kernel.
  //
  // Returns INVALID_ARGUMENT if the earlier kernel was for another op or for
  // another value of an attr that the op declares. Other attrs may differ:
  // planners add them (a TensorFlow master adds `_class`, for example), and may
  // change them from one graph of a session to the next. Fails as
  // KernelRegistry::Create does.
  absl::StatusOr<std::shared_ptr<const Kernel>> Get(
      const NodeDef& node, const Device& device, const DeviceType& kernel_type);

 private:
  // Describes a kernel with the op and the attrs that it was made for.
  struct Stateful {
    std::shared_ptr<const Kernel> kernel = {};
    std::string op = {};
    AttrMap attrs = {};  // those that the op declares
  };

  const KernelRegistry& registry_;
  Mutex mutex_;
  // Holds the kept kernels, by device name and node name.
  absl::flat_hash_map<std::pair<std::string, std::string>, Stateful> stateful_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_SESSION_KERNELS_H_
