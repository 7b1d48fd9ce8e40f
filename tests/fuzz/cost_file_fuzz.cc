// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Parses text as a cost file. What is accepted is within all limits, and its
// own text is accepted again and gives the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "leat/core/check.h"
#include "leat/partitioner/costs/cost_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr char kKind[] = "CPU, 2 threads";
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto costs = leat::ParseCosts("f", text, kKind);
  if (!costs.ok()) return 0;
  for (const auto& [key, sample] : costs->kernels()) {
    const double seconds = sample.LowerQuartile();
    LEAT_CHECK(seconds >= 0 && seconds <= leat::DeviceCosts::kMaxSeconds);
  }
  const std::string written = leat::CostsText(kKind, *costs);
  const auto again = leat::ParseCosts("f", written, kKind);
  LEAT_CHECK(again.ok());
  LEAT_CHECK(leat::CostsText(kKind, *again) == written);
  return 0;
}
