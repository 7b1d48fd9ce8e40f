// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the formats of records: bytes that come in pieces, damaged files, and
// memory. runtime/dataset_cases_test.cc compares records with TensorFlow's.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/crc32c.h"
#include "leat/kernels/codecs/fixed_length_records.h"
#include "leat/kernels/codecs/hopping_records.h"
#include "leat/kernels/codecs/inflater.h"
#include "leat/kernels/codecs/text_lines.h"
#include "leat/kernels/codecs/tf_records.h"
#include "leat/kernels/codecs/whole_file.h"
#include "leat/summary/records.h"
#include "leat/tests/kernels/codecs/cut_records.h"

namespace leat::record_formats_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Has no memory.
class NoMemory final : public Allocator {
 public:
  BufferRef Allocate(size_t) override { return nullptr; }
  BufferRef Reserve(int64_t bytes) override {
    most_ = std::max(most_, bytes);
    return nullptr;
  }
  absl::string_view name() const override { return "none"; }
  int64_t most() const { return most_; }

 private:
  int64_t most_ = 0;
};

using NewFormat = std::function<std::unique_ptr<RecordFormat>(Allocator&)>;

NewFormat TfRecordFormat() {
  return [](Allocator& allocator) {
    return std::make_unique<TfRecords>("f", 0, allocator);
  };
}
NewFormat TextFormat() {
  return [](Allocator& allocator) {
    return std::make_unique<TextLines>("f", allocator);
  };
}
NewFormat FixedFormat(const FixedLengths& lengths) {
  return [lengths](Allocator& allocator) {
    return std::make_unique<FixedLengthRecords>("f", lengths, allocator);
  };
}

// Reads all records of bytes that come in pieces with these sizes. An error
// takes the place of the last record. Takes every second text.
std::vector<std::string> Read(const NewFormat& make,
                              const std::vector<std::string>& pieces,
                              Allocator& allocator = HostAllocator()) {
  const std::unique_ptr<RecordFormat> format = make(allocator);
  std::vector<std::string> records;
  const absl::Status status =
      testing::CutRecords(*format, pieces, [&](const Record& record) {
        const bool takes = record.text != nullptr && records.size() % 2 == 0;
        records.push_back(takes ? std::move(*record.text)
                                : std::string(record.view));
      });
  if (!status.ok()) records.push_back(status.ToString());
  return records;
}

// Reads the bytes as a whole, cut at each position, and one by one. The result
// must be the same.
std::vector<std::string> ReadInPieces(const NewFormat& make,
                                      const std::string& bytes) {
  const std::vector<std::string> whole = Read(make, {bytes});
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(Read(make, {bytes.substr(0, i), bytes.substr(i)}), whole) << i;
    EXPECT_EQ(Read(make, {bytes.substr(0, i / 2),
                          bytes.substr(i / 2, i - i / 2), bytes.substr(i)}),
              whole)
        << i;
  }
  EXPECT_EQ(Read(make, testing::InPieces(bytes, 1)), whole);
  return whole;
}

std::string Framed(const std::vector<std::string>& records) {
  std::string bytes;
  for (const std::string& record : records) AppendRecord(record, bytes);
  return bytes;
}

// Returns the header of a record that claims to have `length` bytes.
std::string HeaderOf(uint64_t length) {
  std::string header(reinterpret_cast<const char*>(&length), sizeof(length));
  const uint32_t crc = Mask(Crc32c(header));
  return header.append(reinterpret_cast<const char*>(&crc), sizeof(crc));
}

TEST(TfRecordsTest, BytesMayComeInAnyPieces) {
  const std::vector<std::string> records = {"a", "", "a longer record", "",
                                            std::string(50, 'x')};
  EXPECT_THAT(ReadInPieces(TfRecordFormat(), Framed(records)),
              ElementsAreArray(records));
  EXPECT_THAT(ReadInPieces(TfRecordFormat(), ""), IsEmpty());
}

TEST(TfRecordsTest, EveryBitOfDamageIsFound) {
  const std::string good = Framed({"first", "second"});
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    const std::vector<std::string> records = Read(TfRecordFormat(), {bad});
    EXPECT_THAT(records.back(), HasSubstr("file 'f': corrupted record at "))
        << bit;
  }
}

TEST(TfRecordsTest, EveryLengthThatIsCutOffIsFound) {
  const std::string good = Framed({"first", "second"});
  const size_t second = Framed({"first"}).size();
  for (size_t size = 0; size < good.size(); ++size) {
    const auto records = ReadInPieces(TfRecordFormat(), good.substr(0, size));
    const size_t begin = size < second ? 0 : second;
    // As in TensorFlow, a header that is cut off is the end.
    const size_t count = size < second ? 0 : 1;
    if (size - begin < kRecordHeaderBytes) {
      EXPECT_EQ(records.size(), count) << size;
    } else {
      ASSERT_EQ(records.size(), count + 1) << size;
      EXPECT_THAT(records.back(),
                  HasSubstr(absl::StrCat("truncated record at ", begin)));
    }
  }
}

// A length with the right checksum says nothing about the memory that is there.
TEST(TfRecordsTest, ALargeLengthTakesNoMemory) {
  for (const uint64_t length :
       {uint64_t{1} << 40, std::numeric_limits<uint64_t>::max()}) {
    NoMemory none;
    const auto records = Read(TfRecordFormat(),
                              {HeaderOf(length), std::string(3000, 'x')}, none);
    ASSERT_EQ(records.size(), 1);
    EXPECT_THAT(records[0], HasSubstr("RESOURCE_EXHAUSTED: file 'f'"));
    EXPECT_LT(none.most(), 10'000);
    EXPECT_THAT(Read(TfRecordFormat(), {HeaderOf(length), "x"}).back(),
                HasSubstr("truncated record at 0"));
  }
}

TEST(TextLinesTest, BytesMayComeInAnyPieces) {
  EXPECT_THAT(ReadInPieces(TextFormat(), "a\n\nbc\r\nd\re\r\r\n\r\nlast\r"),
              ElementsAre("a", "", "bc", "de", "", "last"));
  EXPECT_THAT(ReadInPieces(TextFormat(), "a\n\r"), ElementsAre("a"));
  EXPECT_THAT(ReadInPieces(TextFormat(), "\n"), ElementsAre(""));
  EXPECT_THAT(ReadInPieces(TextFormat(), ""), IsEmpty());
  EXPECT_THAT(ReadInPieces(TextFormat(), std::string("a\0b\n", 4)),
              ElementsAre(std::string("a\0b", 3)));
}

TEST(TextLinesTest, ALineWithoutAnEndTakesCountedMemory) {
  NoMemory none;
  const auto records =
      Read(TextFormat(), {std::string(3000, 'x'), "more\n"}, none);
  ASSERT_EQ(records.size(), 1);
  EXPECT_THAT(records[0], HasSubstr("RESOURCE_EXHAUSTED: file 'f'"));
}

TEST(FixedLengthRecordsTest, BytesMayComeInAnyPieces) {
  const std::string bytes = "HHabcdefghiFFFF";
  EXPECT_THAT(ReadInPieces(FixedFormat({2, 3, 4}), bytes),
              ElementsAre("abc", "def", "ghi"));
  EXPECT_THAT(ReadInPieces(FixedFormat({0, 5, 0}), bytes),
              ElementsAre("HHabc", "defgh", "iFFFF"));
  EXPECT_THAT(ReadInPieces(FixedFormat({15, 5, 0}), bytes), IsEmpty());
  EXPECT_THAT(ReadInPieces(FixedFormat({2, 4, 4}), bytes),
              ElementsAre("abcd", "efgh",
                          HasSubstr("DATA_LOSS: Excluding the header (2 bytes) "
                                    "and footer (4 bytes), input file \"f\" "
                                    "has body length 9 bytes")));
  EXPECT_THAT(ReadInPieces(FixedFormat({16, 1, 0}), bytes),
              ElementsAre(HasSubstr("body length -1 bytes")));
}

TEST(FixedLengthRecordsTest, TheSizeOfTheFileIsChecked) {
  for (const FixedLengths& lengths :
       {FixedLengths{2, 4, 4}, FixedLengths{16, 1, 0},
        FixedLengths{std::numeric_limits<int64_t>::max(), 1,
                     std::numeric_limits<int64_t>::max()},
        FixedLengths{0, std::numeric_limits<int64_t>::max(), 0}}) {
    FixedLengthRecords records("f", lengths, HostAllocator());
    EXPECT_THAT(records.SetFileSize(15).ToString(),
                HasSubstr("INVALID_ARGUMENT: Excluding the header"));
  }
}

TEST(FixedLengthRecordsTest, AFileOfKnownSizeNeedsNoBytesOfItsFooter) {
  FixedLengthRecords records("f", {2, 3, 4}, HostAllocator());
  ASSERT_EQ(records.SetFileSize(9), absl::OkStatus());
  absl::string_view bytes = "HHabc";
  Record record;
  EXPECT_EQ(records.Next(bytes, false, record).value(), Cut::kRecord);
  EXPECT_EQ(record.view, "abc");
  EXPECT_EQ(records.Next(bytes, false, record).value(), Cut::kEnd);
}

NewFormat HoppingFormat(const FixedLengths& lengths, int64_t hop,
                        int64_t size = -1) {
  return [=](Allocator& allocator) {
    auto format =
        std::make_unique<HoppingRecords>("f", lengths, hop, allocator);
    if (size >= 0) {
      EXPECT_EQ(format->SetFileSize(size), absl::OkStatus());
    }
    return format;
  };
}

// The size of a compressed file is not known, and that of others is.
TEST(HoppingRecordsTest, BytesMayComeInAnyPieces) {
  const std::string bytes = "hhabcdefghijfff";
  for (const int64_t size : {-1, 15}) {
    const auto read = [&](int64_t record, int64_t hop) {
      return ReadInPieces(HoppingFormat({2, record, 3}, hop, size), bytes);
    };
    EXPECT_THAT(read(3, 0), ElementsAre("abc", "def", "ghi"));
    EXPECT_THAT(read(5, 0), ElementsAre("abcde", "fghij"));
    EXPECT_THAT(read(4, 2), ElementsAre("abcd", "cdef", "efgh", "ghij"));
    EXPECT_THAT(read(8, 1), ElementsAre("abcdefgh", "bcdefghi", "cdefghij"));
    EXPECT_THAT(read(2, 5), ElementsAre("ab", "fg"));
    EXPECT_THAT(read(0, 6), ElementsAre("", ""));
    EXPECT_THAT(read(11, 0), IsEmpty());
    EXPECT_THAT(read(1, std::numeric_limits<int64_t>::max()), ElementsAre("a"));
  }
}

TEST(HoppingRecordsTest, LargeLengthsTakeNoMemory) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(ReadInPieces(HoppingFormat({0, kMost, kMost}, kMost), "abc"),
              IsEmpty());
  EXPECT_THAT(ReadInPieces(HoppingFormat({kMost, 1, 0}, 0), "abc"),
              ElementsAre("OUT_OF_RANGE: EOF reached"));
  EXPECT_THAT(ReadInPieces(HoppingFormat({4, 1, kMost}, 0, 3), "abc"),
              ElementsAre("OUT_OF_RANGE: reached end of file"));
}

TEST(WholeFileTest, BytesMayComeInAnyPieces) {
  const NewFormat whole = [](Allocator& allocator) {
    return std::make_unique<WholeFile>("f", allocator);
  };
  EXPECT_THAT(ReadInPieces(whole, "a longer text\n"),
              ElementsAre("a longer text\n"));
  EXPECT_THAT(ReadInPieces(whole, ""), ElementsAre(""));
}

}  // namespace
}  // namespace leat::record_formats_test
