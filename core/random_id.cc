// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/random_id.h"

#include <sys/random.h>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"

namespace leat {

uint64_t RandomId() {
  uint64_t id = 0;
  while (id == 0) {
    // A request for up to 256 bytes always gets all of them.
    const ssize_t got = getrandom(&id, sizeof(id), 0);
    LEAT_CHECK(got == static_cast<ssize_t>(sizeof(id)));
  }
  return id;
}

std::string RandomHandle() {
  return absl::StrCat(absl::Hex(RandomId(), absl::kZeroPad16),
                      absl::Hex(RandomId(), absl::kZeroPad16));
}

int64_t RandomStepId() {
  constexpr uint64_t kTop = uint64_t{1} << 56;
  return static_cast<int64_t>((RandomId() & (kTop - 1)) | kTop);
}

}  // namespace leat
