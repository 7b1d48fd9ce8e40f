// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Allocators ask AllocationGate before each allocation of tensor memory whether
// the allocation may succeed. A test installs a gate to see what happens when
// memory runs out at a certain moment
// (leat/tests/testing/failing_allocations.h). Outside of tests there is no
// gate, and the check for one costs one load of a pointer.
#ifndef LEAT_CORE_ALLOCATION_GATE_H_
#define LEAT_CORE_ALLOCATION_GATE_H_

#include <atomic>

namespace leat {

// Is the interface of a gate. Implementations are thread-safe. At most one gate
// is active in the process. This class does not own the active gate.
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
