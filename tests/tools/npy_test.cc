// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/tensors/npy.h"

#include <sys/resource.h>
#include <unistd.h>

#include <complex>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::npy_test {
namespace {

// Returns the bytes of a file with this header and this data. The file has the
// format version `version`.
std::string File(const std::string& header, const std::string& data,
                 char version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + header + data;
}

std::string Header(const std::string& descr, const std::string& shape) {
  return absl::StrCat("{'descr': ", descr,
                      ", 'fortran_order': False, 'shape': ", shape, ", }\n");
}

absl::StatusCode CodeOf(const std::string& bytes) {
  return ParseNpy(bytes, "test.npy").status().code();
}

void ExpectRefused(const std::string& bytes, const std::string& reason) {
  const auto parsed = ParseNpy(bytes, "test.npy");
  ASSERT_FALSE(parsed.ok()) << reason;
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(parsed.status().message(), "test.npy"))
      << parsed.status();
  EXPECT_TRUE(absl::StrContains(parsed.status().message(), reason))
      << parsed.status();
}

TEST(NpyTest, ReadsBackWhatItWrote) {
  const std::vector<Tensor> tensors = {
      Tensor::Scalar<float>(1.5f),
      Tensor::Vector<int64_t>({1, -2, int64_t{1} << 62}),
      Tensor::Of<double>(Shape{2, 3}, {1, 2, 3, 4, 5, 6}),
      Tensor::Of<uint8_t>(Shape{0, 4}, {}),
      Tensor::Of<bool>(Shape{2, 1}, {true, false}),
      Tensor::Vector<half>({half(1.0f), half(-2.0f)}),
      Tensor::Vector<std::complex<float>>({{1, 2}, {3, 4}}),
      Tensor::Vector<std::string>({"a", "", std::string("b\0c", 3)}),
  };
  for (const Tensor& tensor : tensors) {
    const auto bytes = FormatNpy(tensor);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto again = ParseNpy(*bytes, "test.npy");
    ASSERT_TRUE(again.ok()) << again.status() << tensor.DebugString();
    EXPECT_TRUE(Identical(tensor, *again)) << tensor.DebugString();
  }
}

TEST(NpyTest, WritesTheBytesThatNumPyWrites) {
  const auto bytes = FormatNpy(Tensor::Vector<int32_t>({1, 2}));
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->size(), 128 + 8);
  EXPECT_EQ(
      bytes->substr(0, 71),
      std::string("\x93NUMPY\x01\0v\0", 10) +
          "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }    ");
  EXPECT_EQ((*bytes)[127], '\n');
}

TEST(NpyTest, ReadsVersion2And3) {
  const std::string header = Header("'<i2'", "(1,)");
  for (const char version : {2, 3}) {
    const auto parsed =
        ParseNpy(File(header, std::string("\x05\0", 2), version), "test.npy");
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->data<int16_t>()[0], 5);
  }
}

TEST(NpyTest, RefusesEveryTruncation) {
  const auto bytes = FormatNpy(Tensor::Of<float>(Shape{2, 2}, {1, 2, 3, 4}));
  ASSERT_TRUE(bytes.ok());
  for (size_t size = 0; size < bytes->size(); ++size) {
    EXPECT_EQ(CodeOf(bytes->substr(0, size)),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
  ExpectRefused(*bytes + "x", "17 bytes of data");
}

TEST(NpyTest, RefusesWrongMagicAndVersion) {
  ExpectRefused("PK\x03\x04", "not a .npy file");
  ExpectRefused(File(Header("'<i2'", "()"), "ab", 9), "version 9");
}

TEST(NpyTest, RefusesShapesThatOverflow) {
  ExpectRefused(File(Header("'<f8'", "(4611686018427387904, 8)"), ""), "test");
  ExpectRefused(File(Header("'<f8'", "(2305843009213693952,)"), ""), "data");
  ExpectRefused(File(Header("'<f8'", "(99999999999999999999,)"), ""),
                "an extent that is no number");
  ExpectRefused(File(Header("'<f8'", "(-1,)"), ""), "no number");
  std::string extents;
  for (int i = 0; i < 300; ++i) extents += "1,";
  ExpectRefused(File(Header("'<f4'", "(" + extents + ")"), "abcd"), "test");
}

TEST(NpyTest, RefusesStringsOfNoWidth) {
  ExpectRefused(File(Header("'|S0'", "(4611686018427387904,)"), ""), "width 0");
}

TEST(NpyTest, RefusesWhatIsNoTensor) {
  ExpectRefused(File(Header("'|O'", "(1,)"), "abcdefgh"), "Python objects");
  ExpectRefused(File(Header("[('a', '<i4')]", "(1,)"), "abcd"), "records");
  ExpectRefused(File(Header("'>i4'", "(1,)"), "abcd"), "big-endian");
  ExpectRefused(File(Header("'<M8[ns]'", "(1,)"), "abcdefgh"), "no type");
  ExpectRefused(File("{'descr': '<i4', 'fortran_order': True, "
                     "'shape': (1, 1), }",
                     "abcd"),
                "Fortran order");
}

TEST(NpyTest, RefusesMalformedHeaders) {
  for (const char* header :
       {"", "{", "{}", "{'descr'", "{'descr': '<i4'}", "{'descr': '<i4}",
        "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, "
        "'shape': (), }",
        "{'evil': 1, 'descr': '<i4', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<i4', 'fortran_order': 0, 'shape': (), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (), } x"}) {
    ExpectRefused(File(header, "abcd"), "the header has");
  }
}

TEST(NpyTest, RefusesBoolsThatAreNeither) {
  ExpectRefused(File(Header("'|b1'", "(1,)"), "\x02"), "neither 0 nor 1");
}

TEST(NpyTest, RefusesToWriteWhatNumPyDoesNotHave) {
  EXPECT_FALSE(FormatNpy(Tensor::Vector<bfloat16>({bfloat16(1.0f)})).ok());
  EXPECT_FALSE(
      FormatNpy(Tensor::Vector<std::string>({std::string("a\0", 2)})).ok());
  EXPECT_FALSE(FormatNpy(Tensor()).ok());
}

TEST(NpyTest, ReadsBackFilesOfEveryLength) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("x.npy");
  // The reader finds the header in the first block of the file. Some of these
  // files end close to the end of this block.
  for (const int64_t size : {0, 1, 65400, 65424, 65425, 200000}) {
    auto tensor = Tensor::Allocate(HostAllocator(), DType::kUint8, Shape{size});
    ASSERT_TRUE(tensor.ok());
    auto values = tensor->mutable_data<uint8_t>();
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<uint8_t>(i % 251);
    }
    ASSERT_TRUE(WriteNpy(*tensor, path).ok());
    const auto again = ReadNpy(path);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(Identical(*tensor, *again)) << size;
  }
  const Tensor strings = Tensor::Vector<std::string>({"a", "", "long one"});
  ASSERT_TRUE(WriteNpy(strings, path).ok());
  const auto again = ReadNpy(path);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(Identical(strings, *again));
}

// Returns how many times this process has called read(2), or -1 if that is
// unknown.
int64_t NumReads() {
  std::ifstream counts("/proc/self/io");
  for (std::string name; counts >> name;) {
    int64_t count = -1;
    if (name == "syscr:" && counts >> count) return count;
  }
  return -1;
}

TEST(NpyTest, ReadsManyStringsAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("x.npy");
  // The first tensor takes more than two blocks of 1 MiB; each string of the
  // second one is longer than a block.
  for (const auto& [count, width] :
       {std::pair<int, int>{800001, 3}, {3, (1 << 20) + 1}}) {
    auto strings =
        Tensor::Allocate(HostAllocator(), DType::kString, Shape{count});
    ASSERT_TRUE(strings.ok());
    const auto texts = strings->mutable_data<std::string>();
    for (int i = 0; i < count; ++i) {
      texts[i] = std::string(i % (width + 1), static_cast<char>('a' + i % 26));
    }
    texts.back() = std::string(width, 'z');
    ASSERT_TRUE(WriteNpy(*strings, path).ok());
    const int64_t before = NumReads();
    const auto again = ReadNpy(path);
    const int64_t after = NumReads();
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(Identical(*strings, *again)) << width;
    EXPECT_LT(after - before, 100);
  }
}

// The file is sparse and 3 GiB long. It must be refused before its data is
// read.
TEST(NpyTest, ComparesTheSizeOfAFileWithItsHeaderBeforeItReads) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("sparse.npy");
  const std::string start = File(Header("'<f4'", "(2,)"), "");
  {
    std::ofstream file(path, std::ios::binary);
    file << start;
  }
  ASSERT_EQ(truncate(path.c_str(), off_t{3} << 30), 0);
  rusage before = {}, after = {};
  getrusage(RUSAGE_SELF, &before);
  const auto read = ReadNpy(path);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(read.status().message(), "bytes of data"))
      << read.status();
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 1 << 20);  // KiB
}

TEST(NpyTest, ReadsNoDevicesAndNoPipes) {
  const auto zero = ReadNpy("/dev/zero");
  EXPECT_EQ(zero.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(zero.status().message(), "a device"));
}

TEST(NpyTest, NamesTheFileThatDoesNotExist) {
  const auto read = ReadNpy("/nonexistent/x.npy");
  EXPECT_EQ(read.status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(read.status().message(), "x.npy"));
}

}  // namespace
}  // namespace leat::npy_test
