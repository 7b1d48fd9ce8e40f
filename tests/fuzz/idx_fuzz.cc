// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads bytes as an IDX file. A tensor must never have more elements than the
// file has bytes.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/train/datasets/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto tensor = leat::ParseIdx(bytes, "fuzz");
  if (!tensor.ok()) return 0;
  LEAT_CHECK(tensor->num_elements() <= static_cast<int64_t>(size));
  return 0;
}
