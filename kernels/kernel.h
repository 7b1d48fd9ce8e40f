// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Kernel is the code that runs one op on one type of device. A kernel object
// is made for one node of a graph, and many steps use it at the same time. So
// Compute is const. State that outlives a step is kept in the ResourceStore, or
// is guarded by a lock inside a stateful kernel.
//
// docs/adding.md shows how to write and register a kernel.
#ifndef LEAT_KERNELS_KERNEL_H_
#define LEAT_KERNELS_KERNEL_H_

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"

namespace leat {

class AsyncKernel;
class KernelContext;

// Is the base class of all kernels. Is thread-safe: Compute is called by
// several steps at once. The compiled graphs that run the kernel share its
// ownership. A session also keeps its stateful kernels, so that their state
// lasts from step to step.
class Kernel {
 public:
  Kernel() = default;
  virtual ~Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Computes all outputs of one run of the node, or returns an error. The
  // executor adds the node, the op and the device to the error's message. Must
  // not block: a kernel that has to wait derives from AsyncKernel instead.
  virtual absl::Status Compute(KernelContext& context) const = 0;

  // Returns false if a run with the inputs in `context` would take long
  // although the op's signature says CostClass::kQuick. The executor calls
  // IsQuick only for ops of CostClass::kQuick.
  virtual bool IsQuick(KernelContext& context) const {
    static_cast<void>(context);
    return true;
  }

  // Returns this kernel as an AsyncKernel, or null if it is synchronous.
  virtual const AsyncKernel* AsAsync() const { return nullptr; }
};

// An AsyncKernel can wait for something, such as a tensor of another device or
// an element of a queue, without holding a thread while it waits. It is
// thread-safe.
class AsyncKernel : public Kernel {
 public:
  // Receives the status of the run. The kernel must set all outputs before it
  // calls Done with OK.
  using Done = absl::AnyInvocable<void(absl::Status) &&>;

  // Starts the run. Calls `done` exactly once, on any thread, before or after
  // ComputeAsync returns. `context` stays valid until `done` is called.
  virtual void ComputeAsync(KernelContext& context, Done done) const = 0;

  // Returns INTERNAL. The executor calls ComputeAsync instead.
  absl::Status Compute(KernelContext&) const final {
    return absl::InternalError("an async kernel was run synchronously");
  }
  const AsyncKernel* AsAsync() const final { return this; }
};

}  // namespace leat

#endif  // LEAT_KERNELS_KERNEL_H_
