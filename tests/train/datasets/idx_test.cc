// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/datasets/idx.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::idx_test {
namespace {

using ::testing::HasSubstr;

std::string BigEndian(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string Idx(const std::vector<uint32_t>& extents, absl::string_view data) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(extents.size());
  for (const uint32_t extent : extents) bytes += BigEndian(extent);
  return absl::StrCat(bytes, data);
}

std::string Gzip(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8,
                         Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<unsigned>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// The name has the id of this process, because tests run in parallel.
std::string Path(const std::string& name) {
  return absl::StrCat(::testing::TempDir(), "idx_test_", getpid(), "_", name);
}

std::string Write(const std::string& name, const std::string& content) {
  std::ofstream(Path(name), std::ios::binary) << content;
  return Path(name);
}

absl::StatusOr<Tensor> ReadBytes(const std::string& bytes) {
  const std::string path = Write("bytes", bytes);
  absl::StatusOr<Tensor> tensor = ReadIdx(path);
  unlink(path.c_str());
  return tensor;
}

void ExpectRefused(const std::string& bytes, const std::string& reason) {
  const auto tensor = ReadBytes(bytes);
  ASSERT_FALSE(tensor.ok()) << reason;
  EXPECT_EQ(tensor.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tensor.status().message()), HasSubstr("idx_test"));
  EXPECT_THAT(std::string(tensor.status().message()), HasSubstr(reason));
}

// Expects that `bytes` are refused both as a plain and as a gzipped file.
void ExpectBothRefused(const std::string& bytes, const std::string& reason) {
  ExpectRefused(bytes, reason);
  ExpectRefused(Gzip(bytes), reason);
}

constexpr absl::string_view kData = "abcdef";

TEST(IdxTest, ReadsPlainAndGzippedFiles) {
  const Tensor wanted =
      Tensor::Of<uint8_t>(Shape{2, 3}, {'a', 'b', 'c', 'd', 'e', 'f'});
  const std::string bytes = Idx({2, 3}, kData);
  for (const std::string& file : {bytes, Gzip(bytes)}) {
    const auto tensor = ReadBytes(file);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_TRUE(Identical(*tensor, wanted));
  }
}

TEST(IdxTest, ReadsAGzipFileOfSeveralStreams) {
  const std::string bytes = Idx({2, 3}, kData);
  const auto tensor =
      ReadBytes(Gzip(bytes.substr(0, 7)) + Gzip(bytes.substr(7)));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->data<uint8_t>()[5], 'f');
}

TEST(IdxTest, ReadsFilesLargerThanAPieceOfTheirUnpacking) {
  std::string data(3 << 20, '\0');
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<char>(i * i >> 7);
  }
  const auto tensor =
      ReadBytes(Gzip(Idx({3, static_cast<uint32_t>(1 << 20)}, data)));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(absl::string_view(tensor->raw_data(), data.size()), data);
}

TEST(IdxTest, RefusesShortHeaders) {
  ExpectBothRefused("", "too short");
  const std::string bytes = Idx({2, 3}, kData);
  for (size_t size = 1; size < 4; ++size) {
    ExpectBothRefused(bytes.substr(0, size), "too short");
  }
  for (size_t size = 4; size < 12; ++size) {
    ExpectBothRefused(bytes.substr(0, size), "cut off in its header");
  }
}

TEST(IdxTest, RefusesWrongMagic) {
  std::string bytes = Idx({6}, kData);
  bytes[0] = 1;
  ExpectBothRefused(bytes, "not an IDX file");
  bytes = Idx({6}, kData);
  bytes[2] = 0x0d;  // the type code of floats
  ExpectBothRefused(bytes, "not an IDX file of unsigned bytes");
  ExpectBothRefused(Idx({}, kData), "rank 0");
  ExpectBothRefused(Idx(std::vector<uint32_t>(9, 1), "a"), "rank 9");
  ExpectRefused("plain words, no data", "not an IDX file");
}

TEST(IdxTest, RefusesCountsThatTheDataDoesNotHave) {
  ExpectBothRefused(Idx({3, 3}, kData), "announces 9 bytes of shape [3,3]");
  ExpectBothRefused(Idx({7}, kData), "but 6 follow");
  ExpectBothRefused(Idx({5}, kData), "announces 5 bytes");
  for (size_t size = 0; size < kData.size(); ++size) {
    ExpectBothRefused(Idx({6}, kData.substr(0, size)),
                      absl::StrCat("but ", size, " follow"));
  }
}

TEST(IdxTest, RefusesHugeCountsWithoutTakingMemoryForThem) {
  rusage before = {}, after = {};
  getrusage(RUSAGE_SELF, &before);
  ExpectBothRefused(Idx({0xffffffff}, kData), "announces 4294967295 bytes");
  ExpectBothRefused(Idx({60000, 1 << 30, 4}, kData), "but 6 follow");
  ExpectBothRefused(Idx({0xffffffff, 0xffffffff, 0xffffffff}, kData), "idx");
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 1 << 19);  // KiB
}

// The file is smaller than 1 MiB and unpacks to 64 MiB, but its header
// announces one byte.
TEST(IdxTest, UnpacksNoMoreThanTheHeaderAnnounces) {
  const std::string packed = Gzip(Idx({1}, std::string(64 << 20, 'a')));
  ASSERT_LT(packed.size(), 1u << 20);
  ExpectRefused(packed, "announces 1 bytes of shape [1] but more follow");
}

TEST(IdxTest, RefusesEveryTruncationOfAGzipFile) {
  const std::string packed = Gzip(Idx({2, 3}, kData));
  for (size_t size = 2; size < packed.size(); ++size) {
    ExpectRefused(packed.substr(0, size), "cut off");
  }
}

TEST(IdxTest, RefusesWrongChecksums) {
  std::string packed = Gzip(Idx({2, 3}, kData));
  packed[packed.size() - 8] ^= 1;  // in the CRC-32, before the length
  ExpectRefused(packed, "incorrect data check");
  packed = Gzip(Idx({2, 3}, kData));
  packed[packed.size() - 4] ^= 1;
  ExpectRefused(packed, "incorrect length check");
}

TEST(IdxTest, RefusesWhatFollowsTheGzipStream) {
  const std::string packed = Gzip(Idx({2, 3}, kData));
  ExpectRefused(packed + "x", "1 bytes follow its gzip stream");
  ExpectRefused(packed + std::string(512, '\0'), "512 bytes follow");
  ExpectRefused(packed + "\x1f\x8b", "cut off");
  ExpectRefused(packed + packed, "more follow");
}

TEST(IdxTest, NeverCrashesOnAFlippedBit) {
  const std::string packed = Gzip(Idx({2, 3}, kData));
  for (size_t i = 0; i < packed.size() * 8; ++i) {
    std::string broken = packed;
    broken[i / 8] ^= static_cast<char>(1 << i % 8);
    const auto tensor = ReadBytes(broken);
    // Some flips are not noticed, because the gzip header has no checksum for
    // the time and the operating system's code.
    if (tensor.ok()) {
      EXPECT_EQ(tensor->num_elements(), 6) << i;
    }
  }
}

TEST(IdxTest, ReadsNoPipesAndNoDevices) {
  const std::string fifo = Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, std::string("/dev/zero")}) {
    const auto status = ReadIdx(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("is not a regular file"));
  }
  unlink(fifo.c_str());
  EXPECT_EQ(ReadIdx("/nonexistent/x").status().code(),
            absl::StatusCode::kNotFound);
}

class FashionMnistTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(Path("folder")); }

  // Writes the four files with `count` images each and loads them. `labels` are
  // the labels of the training images.
  absl::StatusOr<FashionMnist> Load(uint32_t count, const std::string& labels) {
    const std::string folder = Path("folder");
    mkdir(folder.c_str(), 0700);
    const std::string images =
        Idx({count, 28, 28}, std::string(count * 28 * 28, 'p'));
    for (const char* split : {"train", "t10k"}) {
      const std::string prefix = absl::StrCat("folder/", split);
      Write(prefix + "-images-idx3-ubyte.gz", Gzip(images));
      const bool is_train = absl::string_view(split) == "train";
      const std::string values = is_train ? labels : std::string(count, '\1');
      Write(prefix + "-labels-idx1-ubyte.gz",
            Gzip(Idx({static_cast<uint32_t>(values.size())}, values)));
    }
    return LoadFashionMnist(folder);
  }

  void ExpectRefused(uint32_t count, const std::string& labels,
                     const std::string& reason) {
    const auto data = Load(count, labels);
    ASSERT_FALSE(data.ok()) << reason;
    EXPECT_THAT(std::string(data.status().message()),
                HasSubstr("folder/train"));
    EXPECT_THAT(std::string(data.status().message()), HasSubstr(reason));
  }
};

TEST_F(FashionMnistTest, MakesImagesWithAChannelAndInt32Labels) {
  const auto data = Load(3, std::string("\0\5\x09", 3));
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->train.images.shape(), (Shape{3, 28, 28, 1}));
  EXPECT_TRUE(
      Identical(data->train.labels, Tensor::Vector<int32_t>({0, 5, 9})));
  EXPECT_EQ(data->test.labels.num_elements(), 3);
}

TEST_F(FashionMnistTest, RefusesSplitsWithoutImages) {
  ExpectRefused(0, "", "there are 0 images");
}

TEST_F(FashionMnistTest, RefusesLabelsOfAnotherNumberAndUnknownOnes) {
  ExpectRefused(3, "\1\2", "it has 3 images, but labels of shape [2]");
  ExpectRefused(2, "\1\x0a", "label 1 is 10");
}

}  // namespace
}  // namespace leat::idx_test
