// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/index_table.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/index_memory.h"
#include "leat/core/crc32c.h"
#include "leat/core/varint.h"
#include "snappy.h"

namespace leat::index_table_test {
namespace {

using ::testing::HasSubstr;

TEST(Crc32cTest, GivesTheKnownChecksum) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c("456789", Crc32c("123")), 0xe3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Unmask(Mask(0xe3069283u)), 0xe3069283u);
  EXPECT_NE(Mask(0xe3069283u), 0xe3069283u);
}

IndexEntries Many(int count) {
  IndexEntries entries = {{"", "header"}};
  for (int i = 0; i < count; ++i) {
    entries.emplace_back(absl::StrFormat("layer_%07d/weights", i),
                         std::string(static_cast<size_t>(i % 100), 'v'));
  }
  return entries;
}

absl::StatusOr<IndexEntries> Read(absl::string_view table,
                                  int64_t max_bytes = kMaxIndexBytes) {
  IndexMemory memory(HostAllocator(), max_bytes);
  return ReadIndexTable(table, memory);
}

TEST(IndexTableTest, GivesBackWhatWasWritten) {
  // 20,000 entries need several blocks.
  for (const int count : {0, 1, 15, 16, 17, 20'000}) {
    const IndexEntries entries = Many(count);
    const auto bytes = WriteIndexTable(entries);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto read = Read(*bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == entries) << count;
  }
  EXPECT_TRUE(Read(*WriteIndexTable({}))->empty());
}

TEST(IndexTableTest, EveryDamagedByteAndEveryLostEndIsNoticed) {
  const IndexEntries entries = Many(40);
  const std::string bytes = *WriteIndexTable(entries);
  // The reader ignores the meta block and the zeros in the footer.
  int unnoticed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char bits : {'\x01', '\x80', '\xff'}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ bits);
      const auto read = Read(damaged);
      if (!read.ok()) {
        EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss);
        continue;
      }
      EXPECT_TRUE(*read == entries) << i;
      ++unnoticed;
    }
  }
  EXPECT_LT(unnoticed, 3 * 64);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(Read(bytes.substr(0, size)).status().code(),
              absl::StatusCode::kDataLoss)
        << size;
  }
}

// Makes a table by hand, so that its blocks can be wrong.
class HandMade {
 public:
  // Adds a block. `block` is a concatenation of texts that Entry has returned.
  void AddBlock(std::string block, bool compress = false) {
    block.append(std::string("\0\0\0\0\1\0\0\0", 8));  // restart points
    if (compress) {
      std::string compressed;
      snappy::Compress(block.data(), block.size(), &compressed);
      block = compressed;
    }
    AppendVarint64(file_.size(), &places_.emplace_back());
    AppendVarint64(block.size(), &places_.back());
    block.push_back(compress ? 1 : 0);
    const uint32_t crc = Mask(Crc32c(block));
    block.append(reinterpret_cast<const char*>(&crc), sizeof(crc));
    file_ += block;
  }
  static std::string Entry(uint64_t shared, absl::string_view key,
                           absl::string_view value) {
    std::string entry;
    AppendVarint64(shared, &entry);
    AppendVarint64(key.size(), &entry);
    AppendVarint64(value.size(), &entry);
    return absl::StrCat(entry, key, value);
  }
  void RepeatLastPlace() { places_.push_back(places_.back()); }
  // Adds the index block and the footer.
  std::string Finish() {
    std::string index;
    for (const std::string& place : std::vector<std::string>(places_)) {
      index += Entry(0, "key", place);
    }
    AddBlock(index);
    std::string footer = places_.back() + places_.back();
    footer.resize(40);
    return file_ + footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  }

 private:
  std::string file_;
  std::vector<std::string> places_;
};

TEST(IndexTableTest, ReadsCompressedBlocks) {
  HandMade table;
  table.AddBlock(HandMade::Entry(0, "aaaa", std::string(1000, 'x')),
                 /*compress=*/true);
  table.AddBlock(HandMade::Entry(0, "b", "y"));
  const auto read = Read(table.Finish());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].second, std::string(1000, 'x'));
}

TEST(IndexTableTest, RefusesEntriesThatLie) {
  const auto error = [](std::string block) {
    HandMade table;
    table.AddBlock(std::move(block));
    return Read(table.Finish()).status().ToString();
  };
  std::string huge_value;
  AppendVarint64(0, &huge_value);
  AppendVarint64(1, &huge_value);
  AppendVarint64(uint64_t{1} << 62, &huge_value);
  EXPECT_THAT(error(huge_value + "k"), HasSubstr("has a wrong entry"));
  EXPECT_THAT(error(HandMade::Entry(5, "k", "v")),
              HasSubstr("has a wrong entry"));
  EXPECT_THAT(error(HandMade::Entry(0, "b", "") + HandMade::Entry(0, "a", "")),
              HasSubstr("keys are not sorted"));
  EXPECT_THAT(error(HandMade::Entry(0, "a", "") + HandMade::Entry(0, "a", "")),
              HasSubstr("keys are not sorted"));
  EXPECT_THAT(error("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
              HasSubstr("has a wrong entry"));
}

// The index names one block twice. If this were allowed, a small table could
// name a block a million times, and reading the table would take a day.
TEST(IndexTableTest, RefusesBlocksThatAreNamedTwice) {
  HandMade table;
  table.AddBlock("");
  table.RepeatLastPlace();
  EXPECT_THAT(Read(table.Finish()).status().ToString(),
              HasSubstr("blocks are not in order"));
}

TEST(IndexTableTest, IsNotWrittenUnlessSorted) {
  EXPECT_FALSE(WriteIndexTable({{"b", ""}, {"a", ""}}).ok());
  EXPECT_FALSE(WriteIndexTable({{"", ""}, {"", ""}}).ok());
}

// All 1,000 keys of the block share a prefix of 10,000 bytes, which is stored
// once. So a table of 20 KB becomes 10 MB in memory.
TEST(IndexTableTest, RefusesTablesThatBlowUp) {
  std::string block = HandMade::Entry(0, std::string(10'000, 'k'), "");
  for (int i = 0; i < 1000; ++i) {
    block += HandMade::Entry(10'000, absl::StrFormat("%07d", i), "");
  }
  for (const bool compress : {false, true}) {
    HandMade table;
    table.AddBlock(block, compress);
    const std::string bytes = table.Finish();
    EXPECT_TRUE(Read(bytes, 20'000'000).ok());
    EXPECT_EQ(Read(bytes, 5'000'000).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
}

}  // namespace
}  // namespace leat::index_table_test
