// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads bytes as a TFRecord file, plain and compressed by zlib. Bytes that come
// in other pieces must give the same records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/core/check.h"
#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/codecs/tf_records.h"
#include "leat/tests/kernels/codecs/cut_records.h"

namespace {

// Returns the records of the bytes, which come in pieces of `size` bytes, and
// how the reading ends.
std::vector<std::string> Read(absl::string_view bytes, size_t size) {
  leat::TfRecords format("f", 0, leat::HostAllocator());
  std::vector<std::string> records;
  const absl::Status status = leat::testing::CutRecords(
      format, leat::testing::InPieces(bytes, size),
      [&](const leat::Record& record) { records.emplace_back(record.view); });
  records.push_back(status.ToString());
  return records;
}

void CheckPieces(absl::string_view bytes) {
  const std::vector<std::string> whole = Read(bytes, bytes.size() + 1);
  for (const size_t size : {1, 13}) LEAT_CHECK(Read(bytes, size) == whole);
}

// Decompresses into pieces of `size` bytes.
std::string Inflate(absl::string_view bytes, size_t size) {
  constexpr size_t kMostBytes = 1 << 20;
  leat::Inflater inflater(leat::Compression::kZlib);
  std::string text;
  std::string room(size, '\0');
  while (text.size() < kMostBytes) {
    const auto count = inflater.Inflate(bytes, absl::MakeSpan(room));
    if (!count.ok() || (*count == 0 && bytes.empty())) break;
    text.append(room, 0, *count);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckPieces(bytes);
  CheckPieces(Inflate(bytes, 1000));
  return 0;
}
