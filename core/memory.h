// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Memory says where the bytes of a Buffer lie: in ordinary host memory, in
// pinned host memory (which a GPU can copy without a detour), or in the memory
// of a GPU.
#ifndef LEAT_CORE_MEMORY_H_
#define LEAT_CORE_MEMORY_H_

#include <cstdint>
#include <string>

namespace leat {

enum class MemoryKind : uint8_t {
  kHost,    // ordinary memory of this process
  kPinned,  // memory of this process that the system never moves or swaps
  kDevice,  // memory of a GPU, which the host cannot read
};

// Is a plain value.
struct Memory {
  MemoryKind kind = MemoryKind::kHost;
  // Is the number that the driver gives to the GPU, or 0 for host memory.
  uint8_t ordinal = 0;

  // Returns true if the host can read and write the bytes.
  bool IsOfHost() const { return kind != MemoryKind::kDevice; }

  // Returns "host", "pinned" or, for example, "gpu:1".
  std::string DebugString() const;

  friend bool operator==(const Memory&, const Memory&) = default;
};

}  // namespace leat

#endif  // LEAT_CORE_MEMORY_H_
