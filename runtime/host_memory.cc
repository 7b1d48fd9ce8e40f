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
#include <fstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/file_descriptor.h"
#include "leat/core/saturating.h"

// Functions of tcmalloc, which programs may or may not be linked with.
extern "C" {
__attribute__((weak)) int MallocExtension_GetNumericProperty(
    const char* property, size_t* value);
__attribute__((weak)) void MallocExtension_ReleaseToSystem(size_t bytes);
}

namespace leat {
namespace {

constexpr char kMount[] = "/sys/fs/cgroup";
constexpr int64_t kMiB = int64_t{1} << 20;
// Large allocations leave a twentieth of the memory, within these bounds, to
// small ones.
constexpr int64_t kLeastSpareBytes = 16 * kMiB;
constexpr int64_t kMostSpareBytes = 256 * kMiB;
constexpr int64_t kMostTransportBytes = 4096 * kMiB;
// A task needs this many bytes to start, beside the stacks of its threads.
constexpr int64_t kHeapToStart = 48 * kMiB;
// The threads of a task that do not compute: those that block, that wait for
// time, and those of gRPC.
constexpr int kOtherThreads = 20;
constexpr int64_t kSmallStackBytes = kMiB;

// Returns the contents of a file, or "" if it cannot be read.
std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  // getline does not throw if reading fails; an iterator would.
  std::getline(file, text, '\0');
  return text;
}

// Returns the limit that a file contains, or kNoMemoryLimit if it contains no
// number. The file of a control group of version 2 contains "max" if there is
// no limit.
int64_t ReadLimit(const std::string& path) {
  int64_t bytes = 0;
  if (!absl::SimpleAtoi(ReadText(path), &bytes) || bytes <= 0) {
    return kNoMemoryLimit;
  }
  return std::min(bytes, kNoMemoryLimit);
}

// Returns the least limit of the group `path` below `root` and of all groups
// that contain it.
int64_t LeastLimit(absl::string_view root, absl::string_view path,
                   absl::string_view file) {
  int64_t least = ReadLimit(absl::StrCat(root, "/", file));
  std::string folder(root);
  for (const absl::string_view part :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    // This group is outside of what the process can see.
    if (part == "..") break;
    absl::StrAppend(&folder, "/", part);
    least = std::min(least, ReadLimit(absl::StrCat(folder, "/", file)));
  }
  return least;
}

// Returns the memory of the machine, or the limit of this process's control
// groups if that is less.
int64_t PhysicalLimit() {
  static const int64_t limit = [] {
    const int64_t of_groups =
        ControlGroupMemoryLimit(ReadText("/proc/self/cgroup"), kMount);
    const int64_t pages = sysconf(_SC_PHYS_PAGES);
    int64_t bytes = 0;
    if (pages <= 0 ||
        __builtin_mul_overflow(pages, sysconf(_SC_PAGESIZE), &bytes)) {
      return of_groups;
    }
    return std::min(bytes, of_groups);
  }();
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

// Says how many bytes this process takes.
struct Usage {
  int64_t address_bytes = 0;
  int64_t resident_bytes = 0;
};

// Returns zeros for what is unknown. Allocates no memory.
Usage ReadUsage() {
  // The file has numbers of pages: of address space, in memory, and others.
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

// Returns the memory of which devices and messages get shares.
int64_t SharedBytes() {
  static const int64_t bytes = [] {
    const int64_t of_program = ReadUsage().address_bytes + kHeapToStart +
                               kOtherThreads * kSmallStackBytes;
    return std::min(PhysicalLimit(),
                    std::max(kMiB, AddressSpaceLimit() - of_program));
  }();
  return bytes;
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

int64_t ControlGroupMemoryLimit(absl::string_view groups,
                                const std::string& mount) {
  int64_t least = kNoMemoryLimit;
  for (const absl::string_view line : absl::StrSplit(groups, '\n')) {
    // The line of a control group is "4:memory:/path" in version 1 and
    // "0::/path" in version 2.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      least = std::min(least, LeastLimit(mount, parts[2], "memory.max"));
    }
    for (const absl::string_view controller : absl::StrSplit(parts[1], ',')) {
      if (controller != "memory") continue;
      least = std::min(least, LeastLimit(absl::StrCat(mount, "/memory"),
                                         parts[2], "memory.limit_in_bytes"));
    }
  }
  return least;
}

int64_t HostMemoryBytes() {
  return std::min(PhysicalLimit(), AddressSpaceLimit());
}

int64_t FreeMemoryBytes() {
  const Usage usage = ReadUsage();
  return std::max<int64_t>(0,
                           std::min(PhysicalLimit() - usage.resident_bytes,
                                    AddressSpaceLimit() - usage.address_bytes));
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
  const int64_t address_space = AddressSpaceLimit();
  const bool is_address_space = address_space - usage.address_bytes <
                                PhysicalLimit() - usage.resident_bytes;
  const int64_t limit = is_address_space ? address_space : PhysicalLimit();
  const int64_t used =
      is_address_space ? usage.address_bytes : usage.resident_bytes;
  if (limit - used >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "this process may use ", limit, " bytes of memory, of which ",
      limit - used, " are free, but a task needs ", needed,
      ": set the limit to at least ", used + needed,
      is_address_space
          ? absl::StrCat(" (ulimit -v ", (used + needed) / 1024 + 1, ")")
          : " (the container's)"));
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
