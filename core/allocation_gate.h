// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AllocationGate is asked before each allocation of tensor memory whether it
// may succeed. A test opens one to see what happens when memory runs out at a
// certain moment (leat/tests/testing/failing_allocations.h). Outside of tests
// there is none, and the question costs one load of a pointer.
#ifndef LEAT_CORE_ALLOCATION_GATE_H_
#define LEAT_CORE_ALLOCATION_GATE_H_

#include <atomic>

namespace leat {

// The interface of a gate. Implementations are thread-safe. At most one is
// active in the process, and it is not owned by this class.
class AllocationGate {
 public:
  // Returns false if the allocation that comes next must fail as if no memory
  // were left.
  static bool Admits() {
    AllocationGate* const gate = active_.load(std::memory_order_acquire);
    return gate == nullptr || gate->AdmitOne();
  }

 protected:
  ~AllocationGate() = default;
  virtual bool AdmitOne() = 0;

  static inline std::atomic<AllocationGate*> active_ = nullptr;
};

}  // namespace leat

#endif  // LEAT_CORE_ALLOCATION_GATE_H_
