// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Functions that tell how much memory this process uses, and how much it may
// use: the least of the machine's memory, the limit of its control groups (of a
// container) and the limit of its address space (ulimit -v). Thread-safe.
//
// The memory that a task may use is shared out. The devices may take seven
// tenths for tensors, and messages that are being received two tenths. The last
// tenth is left for graphs and for the program itself.
#ifndef LEAT_RUNTIME_HOST_MEMORY_H_
#define LEAT_RUNTIME_HOST_MEMORY_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/runtime/control_group.h"

namespace leat {

// Returns how many bytes this process may use, or kNoMemoryLimit if the number
// is unknown.
int64_t HostMemoryBytes();

// Returns how many bytes this process may still take from the system, or
// kNoMemoryLimit if the number is unknown. Takes a few microseconds, or some
// tens of them in a container, where the memory of its other processes counts
// too.
int64_t FreeMemoryBytes();

// Returns true if the address space of this process is limited (ulimit -v).
bool IsAddressSpaceLimited();

// Returns true if this process may still take `bytes` from the system, and
// afterwards has enough left for small allocations, whose failure would end the
// process.
bool HasFreeMemory(int64_t bytes);

// Memory that work is about to take piece by piece, such as what is made of a
// graph. Work at the same time on other threads leaves it alone. Movable; the
// destructor ends the reservation.
//
//   LEAT_ASSIGN_OR_RETURN(const MemoryReservation memory,
//                         MemoryReservation::Take(bytes, "a graph"));
class MemoryReservation {
 public:
  // Returns RESOURCE_EXHAUSTED, saying that `what` needs the memory, unless
  // this process can take `bytes` beside all that is reserved (HasFreeMemory).
  static absl::StatusOr<MemoryReservation> Take(int64_t bytes,
                                                absl::string_view what);
  // Makes a reservation of nothing.
  MemoryReservation() = default;
  MemoryReservation(MemoryReservation&& other) noexcept
      : bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryReservation& operator=(MemoryReservation&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryReservation();

 private:
  explicit MemoryReservation(int64_t bytes) : bytes_(bytes) {}

  int64_t bytes_ = 0;
};

// Return the shares of the devices and of the messages that are being received,
// in bytes. They are computed when they are first asked for, from the memory
// that is free then. The address space that is in use then holds the program,
// which takes no part in the shares.
int64_t DefaultDeviceBytes();
int64_t DefaultTransportBytes();

// Returns RESOURCE_EXHAUSTED, with the limit that would be enough, if this
// process may not take the memory that a task needs to live: the stacks of
// `num_threads` threads and a few MiB of heap.
absl::Status CheckMemoryToStart(int num_threads);

// If the address space of this process is limited, gives threads that start
// from now on a small stack, so that the stacks do not take most of it.
void LimitThreadStacks();

// Returns how many free bytes malloc keeps in whole pages, or 0 if this malloc
// does not say that.
int64_t FreeHeapBytes();

// Gives up to `bytes` of these pages back to the system.
void ReleaseFreeHeap(int64_t bytes);

// Returns how many bytes of memory this process occupies now (its resident
// set), or 0 if the number is unknown.
int64_t ResidentBytes();

}  // namespace leat

#endif  // LEAT_RUNTIME_HOST_MEMORY_H_
