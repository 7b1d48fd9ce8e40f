// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace leat::internal {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace leat::internal
