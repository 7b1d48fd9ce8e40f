// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions tell how much memory this process uses and how much it may
// use. It may use no more than the memory of the machine, no more than its
// control groups allow (as in a container), and no more than its limit of
// address space (ulimit -v). The functions are thread-safe.
//
// The memory that a task may use is divided. The devices may take seven tenths
// of it for tensors. Messages that are being received may take two tenths. The
// last tenth is left for graphs and for the program itself.
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
// kNoMemoryLimit if the number is unknown. A call takes a few microseconds. In
// a container it takes some tens of microseconds, because it also asks how much
// memory the other processes in the container use.
int64_t FreeMemoryBytes();

// Returns true if the address space of this process is limited (ulimit -v).
bool IsAddressSpaceLimited();

// Returns true if this process can take `bytes` bytes from the system and then
// still has enough memory for small allocations. If a small allocation failed,
// the process would end.
bool HasFreeMemory(int64_t bytes);

// Reserves memory that a thread is about to take piece by piece, for example
// while it builds a graph. Other threads cannot reserve the same memory. Is
// movable; the destructor ends the reservation.
//
//   LEAT_ASSIGN_OR_RETURN(const MemoryReservation memory,
//                         MemoryReservation::Take(bytes, "a graph"));
class MemoryReservation {
 public:
  // Reserves `bytes` bytes. Returns RESOURCE_EXHAUSTED if this process cannot
  // take them in addition to all other reservations (HasFreeMemory). The
  // message says that `what` needs the memory.
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

// DefaultDeviceBytes returns the share of the memory, in bytes, that the
// devices may take. DefaultTransportBytes returns the share for messages that
// are being received. The first call computes both shares from the memory that
// this process may use. If the address space is limited, that call first
// subtracts the address space that the program itself needs.
int64_t DefaultDeviceBytes();
int64_t DefaultTransportBytes();

// Returns RESOURCE_EXHAUSTED if this process cannot take the memory that a task
// needs to start. A task needs 48 MiB of heap. If the address space is limited,
// it also needs space for the stacks of `num_threads` compute threads and of
// its other threads. The message names a limit that would be enough.
absl::Status CheckMemoryToStart(int num_threads);

// If the address space of this process is limited, limits the stack of each
// thread that starts from now on to 1 MiB. Larger stacks would take most of the
// address space.
void LimitThreadStacks();

// Returns how many free bytes malloc keeps in whole pages. Returns 0 if the
// malloc of this program does not report the number.
int64_t FreeHeapBytes();

// Makes malloc return free pages to the system, up to `bytes` bytes.
void ReleaseFreeHeap(int64_t bytes);

// Returns how many bytes of memory this process occupies now (its resident
// set), or 0 if the number is unknown.
int64_t ResidentBytes();

}  // namespace leat

#endif  // LEAT_RUNTIME_HOST_MEMORY_H_
