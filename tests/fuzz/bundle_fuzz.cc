// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the fuzzer's bytes as a part of a checkpoint in two ways: first the
// bytes are the whole index, then they are the entry of a tensor in an index
// with correct checksums.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/index_table.h"
#include "leat/checkpoint/tensor_slice.h"
#include "leat/core/check.h"
#include "leat/core/files/output_file.h"

namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 24;
constexpr size_t kDataBytes = 4096;

// Makes the folder of a checkpoint whose data file holds zeros. Returns the
// prefix of the checkpoint.
std::string MakePrefix() {
  std::string folder = "/tmp/leat_bundle_fuzz_XXXXXX";
  LEAT_CHECK(mkdtemp(folder.data()) != nullptr);
  const std::string prefix = folder + "/model";
  const std::string zeros(kDataBytes, '\0');
  LEAT_CHECK(leat::WriteFile(leat::DataPath(prefix, 0, 1), zeros).ok());
  return prefix;
}

absl::StatusOr<leat::IndexEntries> Read(absl::string_view table) {
  leat::IndexMemory memory(leat::HostAllocator(), kMaxBytes);
  return leat::ReadIndexTable(table, memory);
}

// Reads the bytes as a table. If they are a valid table, writes the entries as
// a new table and reads this table. The new table must have the same entries.
void ReadTable(absl::string_view bytes) {
  const auto entries = Read(bytes);
  if (!entries.ok()) return;
  const auto again = leat::WriteIndexTable(*entries);
  LEAT_CHECK(again.ok());
  LEAT_CHECK(*Read(*again) == *entries);
}

// Makes an index with one tensor whose entry is `entry`, and reads the tensor.
// A tensor that is read must not be larger than the data file.
void ReadEntry(absl::string_view entry) {
  static const std::string* const prefix = new std::string(MakePrefix());
  leat::pb::BundleHeaderProto header;
  header.set_num_shards(1);
  const auto index = leat::WriteIndexTable(
      {{"", header.SerializeAsString()}, {"w", std::string(entry)}});
  LEAT_CHECK(index.ok());
  LEAT_CHECK(leat::WriteFile(leat::IndexPath(*prefix), *index).ok());
  const auto reader =
      leat::BundleReader::Open(leat::FileAccess::Unrestricted(), *prefix);
  LEAT_CHECK(reader.ok());
  const bool is_right = (*reader)->Verify("w").ok();
  const auto tensor = (*reader)->Read("w", leat::HostAllocator());
  LEAT_CHECK(is_right == tensor.ok());
  if (!tensor.ok()) return;
  LEAT_CHECK(tensor->num_elements() <= static_cast<int64_t>(kDataBytes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadTable(bytes);
  ReadEntry(bytes);
  leat::ParseShapeAndSlice(bytes).IgnoreError();
  return 0;
}
