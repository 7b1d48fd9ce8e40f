// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Parses bytes as a .npy file. A tensor that parses must stay the same when it
// is written and parsed again.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/tools/tensors/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto tensor = leat::ParseNpy(bytes, "fuzz");
  if (!tensor.ok()) return 0;
  const auto written = leat::FormatNpy(*tensor);
  LEAT_CHECK(written.ok());
  const auto again = leat::ParseNpy(*written, "again");
  LEAT_CHECK(again.ok());
  LEAT_CHECK(leat::Identical(*tensor, *again));
  return 0;
}
