// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/memory.h"

#include "absl/strings/str_cat.h"

namespace leat {

std::string Memory::DebugString() const {
  switch (kind) {
    case MemoryKind::kHost:
      return "host";
    case MemoryKind::kPinned:
      return "pinned";
    case MemoryKind::kDevice:
      break;
  }
  return absl::StrCat("gpu:", static_cast<int>(ordinal));
}

}  // namespace leat
