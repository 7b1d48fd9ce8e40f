// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Kernel: runs one op on one type of device. A kernel belongs to its compiled
// graph and is used by many steps at once, so Compute is const: state that
// outlives a step is in the ResourceStore, or guarded inside a stateful kernel.
#ifndef LEAT_KERNELS_KERNEL_H_
#define LEAT_KERNELS_KERNEL_H_

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"

namespace leat {

class AsyncKernel;
class KernelContext;

class Kernel {
 public:
  Kernel() = default;
  virtual ~Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Sets every output, or returns why not; the executor adds node, op and
  // device to the message. Never blocks. Thread-safe.
  virtual absl::Status Compute(KernelContext& context) const = 0;

  // Of an op of CostClass::kQuick: false where these inputs make it take
  // longer.
  virtual bool IsQuick(KernelContext& context) const {
    static_cast<void>(context);
    return true;
  }

  // Null for a synchronous kernel.
  virtual const AsyncKernel* AsAsync() const { return nullptr; }
};

// A kernel that waits for something (a tensor, a queue) without a thread.
class AsyncKernel : public Kernel {
 public:
  using Done = absl::AnyInvocable<void(absl::Status) &&>;

  // Calls `done` exactly once, now or later, on any thread. `context` stays
  // valid until then.
  virtual void ComputeAsync(KernelContext& context, Done done) const = 0;

  absl::Status Compute(KernelContext&) const final {
    return absl::InternalError("an async kernel was run synchronously");
  }
  const AsyncKernel* AsAsync() const final { return this; }
};

}  // namespace leat

#endif  // LEAT_KERNELS_KERNEL_H_
