// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/host_memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/files/system_file.h"
#include "leat/core/saturating.h"

// These are functions of tcmalloc. They are null in a program that is not
// linked with tcmalloc.
extern "C" {
__attribute__((weak)) int MallocExtension_GetNumericProperty(
    const char* property, size_t* value);
__attribute__((weak)) void MallocExtension_ReleaseToSystem(size_t bytes);
}

namespace leat {
namespace {

constexpr char kMount[] = "/sys/fs/cgroup";
constexpr int64_t kMiB = int64_t{1} << 20;
// Large allocations leave a twentieth of the memory to small allocations, but
// at least kLeastSpareBytes and at most kMostSpareBytes.
constexpr int64_t kLeastSpareBytes = 16 * kMiB;
constexpr int64_t kMostSpareBytes = 256 * kMiB;
constexpr int64_t kMostTransportBytes = 4096 * kMiB;
// A task needs this many bytes to start, in addition to the stacks of its
// threads.
constexpr int64_t kHeapToStart = 48 * kMiB;
// Is the number of threads of a task that do not compute. These are threads
// that may block, threads that wait for a time, and the threads of gRPC.
constexpr int kOtherThreads = 20;
constexpr int64_t kSmallStackBytes = kMiB;

// Returns the control groups that limited this process at the first call.
const std::vector<ControlGroup>& Groups() {
  static const auto& groups = *new std::vector<ControlGroup>(
      MemoryGroups(ReadSystemFile("/proc/self/cgroup"), kMount));
  return groups;
}

// Returns the memory of the machine, or kNoMemoryLimit if it is unknown.
int64_t MachineBytes() {
  static const int64_t bytes = [] {
    const int64_t pages = sysconf(_SC_PHYS_PAGES);
    int64_t all = 0;
    if (pages <= 0 ||
        __builtin_mul_overflow(pages, sysconf(_SC_PAGESIZE), &all)) {
      return kNoMemoryLimit;
    }
    return all;
  }();
  return bytes;
}

// Returns the memory of the machine, or the smallest limit of this process's
// control groups if that is less.
int64_t PhysicalLimit() {
  int64_t limit = MachineBytes();
  for (const ControlGroup& group : Groups()) {
    limit = std::min(limit, group.limit_bytes);
  }
  return limit;
}

// Returns the limit of this process's address space, or kNoMemoryLimit.
int64_t AddressSpaceLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return kNoMemoryLimit;
  return static_cast<int64_t>(
      std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(kNoMemoryLimit)));
}

// Counts the bytes of all reservations.
std::atomic<int64_t> reserved_bytes{0};

// Says how much memory this process takes.
struct Usage {
  int64_t address_bytes = 0;
  int64_t resident_bytes = 0;
};

// Returns the usage of this process, or zeros if it is unknown. Allocates no
// memory.
Usage ReadUsage() {
  // The file contains numbers of pages: first the pages of address space, then
  // the pages that are in memory, and then others.
  const FileDescriptor file(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[128] = "";
  const ssize_t size = read(file.number(), text, sizeof(text) - 1);
  int64_t address = 0;
  int64_t resident = 0;
  if (size <= 0 ||
      std::sscanf(text, "%" SCNd64 " %" SCNd64, &address, &resident) != 2) {
    return {};
  }
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  return {.address_bytes = address * page_bytes,
          .resident_bytes = resident * page_bytes};
}

// Returns how many bytes the devices, the messages and the rest of the task
// share.
int64_t SharedBytes() {
  static const int64_t bytes = [] {
    const int64_t of_program = ReadUsage().address_bytes + kHeapToStart +
                               kOtherThreads * kSmallStackBytes;
    return std::min(PhysicalLimit(),
                    std::max(kMiB, AddressSpaceLimit() - of_program));
  }();
  return bytes;
}

int64_t FreeAddressSpace(const Usage& usage) {
  return AddressSpaceLimit() - usage.address_bytes;
}

// Returns how many bytes this process may still take of the memory of the
// machine and of each control group.
int64_t FreePhysicalBytes(const Usage& usage) {
  int64_t free = MachineBytes() - usage.resident_bytes;
  for (const ControlGroup& group : Groups()) {
    const int64_t used = group.UsedBytes().value_or(usage.resident_bytes);
    free = std::min(free, group.limit_bytes - used);
  }
  return free;
}

// Returns the size of the stack of a new thread.
int64_t StackBytes() {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return 0;
  size_t bytes = 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return static_cast<int64_t>(bytes);
}

}  // namespace

int64_t HostMemoryBytes() {
  return std::min(PhysicalLimit(), AddressSpaceLimit());
}

int64_t FreeMemoryBytes() {
  const Usage usage = ReadUsage();
  return std::max<int64_t>(
      0, std::min(FreePhysicalBytes(usage), FreeAddressSpace(usage)));
}

bool IsAddressSpaceLimited() { return AddressSpaceLimit() < kNoMemoryLimit; }

bool HasFreeMemory(int64_t bytes) {
  static const int64_t spare =
      std::clamp(HostMemoryBytes() / 20, kLeastSpareBytes, kMostSpareBytes);
  return bytes <= FreeMemoryBytes() - spare;
}

absl::StatusOr<MemoryReservation> MemoryReservation::Take(
    int64_t bytes, absl::string_view what) {
  const int64_t others = reserved_bytes.fetch_add(bytes);
  MemoryReservation reservation(bytes);
  if (HasFreeMemory(SaturatingAdd(bytes, others))) return reservation;
  return absl::ResourceExhaustedError(absl::StrCat(
      what, " needs about ", bytes, " bytes of memory, but this process has ",
      FreeMemoryBytes(), " bytes left, of which ", others,
      " are reserved (see --memory and the limits of the process)"));
}

MemoryReservation::~MemoryReservation() { reserved_bytes.fetch_sub(bytes_); }

int64_t DefaultDeviceBytes() { return SharedBytes() / 10 * 7; }

int64_t DefaultTransportBytes() {
  return std::min(SharedBytes() / 10 * 2, kMostTransportBytes);
}

absl::Status CheckMemoryToStart(int num_threads) {
  int64_t needed = kHeapToStart;
  if (IsAddressSpaceLimited()) {
    needed += (num_threads + kOtherThreads) * StackBytes();
  }
  const Usage usage = ReadUsage();
  const int64_t free_address_space = FreeAddressSpace(usage);
  const int64_t free_physical = FreePhysicalBytes(usage);
  const bool is_address_space = free_address_space < free_physical;
  const int64_t limit =
      is_address_space ? AddressSpaceLimit() : PhysicalLimit();
  const int64_t used = limit - std::min(free_address_space, free_physical);
  if (limit - used >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "this process may use ", limit, " bytes of memory, of which ",
      limit - used, " are free, but a task needs ", needed,
      ": set the limit to at least ", used + needed,
      is_address_space
          ? absl::StrCat(" (ulimit -v ", (used + needed) / 1024 + 1, ")")
          : " (the container's or the machine's)"));
}

void LimitThreadStacks() {
  if (!IsAddressSpaceLimited()) return;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (StackBytes() > kSmallStackBytes &&
      pthread_attr_setstacksize(&attributes, kSmallStackBytes) == 0) {
    pthread_setattr_default_np(&attributes);
  }
  pthread_attr_destroy(&attributes);
}

int64_t FreeHeapBytes() {
  size_t bytes = 0;
  return MallocExtension_GetNumericProperty != nullptr &&
                 MallocExtension_GetNumericProperty(
                     "tcmalloc.pageheap_free_bytes", &bytes) != 0
             ? static_cast<int64_t>(bytes)
             : 0;
}

void ReleaseFreeHeap(int64_t bytes) {
  if (bytes > 0 && MallocExtension_ReleaseToSystem != nullptr) {
    MallocExtension_ReleaseToSystem(static_cast<size_t>(bytes));
  }
}

int64_t ResidentBytes() { return ReadUsage().resident_bytes; }

}  // namespace leat
