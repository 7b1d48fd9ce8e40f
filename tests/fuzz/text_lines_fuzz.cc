// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads bytes as a text file, in pieces of several sizes. The lines must be
// those of a simple implementation.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/core/check.h"
#include "leat/kernels/codecs/text_lines.h"
#include "leat/tests/kernels/codecs/cut_records.h"

namespace {

std::vector<std::string> Read(absl::string_view bytes, size_t size) {
  leat::TextLines format("f", leat::HostAllocator());
  std::vector<std::string> lines;
  const absl::Status status = leat::testing::CutRecords(
      format, leat::testing::InPieces(bytes, size),
      [&](const leat::Record& record) { lines.emplace_back(record.view); });
  LEAT_CHECK(status.ok());
  return lines;
}

std::vector<std::string> Expected(absl::string_view bytes) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : bytes) {
    if (c == '\n') {
      lines.push_back(line);
      line.clear();
    } else if (c != '\r') {
      line.push_back(c);
    }
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> expected = Expected(bytes);
  for (const size_t piece : {size + 1, size_t{1}, size_t{7}}) {
    LEAT_CHECK(Read(bytes, piece) == expected);
  }
  return 0;
}
