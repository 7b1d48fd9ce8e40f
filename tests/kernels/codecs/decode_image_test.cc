// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests image files that say that they need much memory, and crop windows with
// which TensorFlow ends its process. The op cases test everything else.
#include "leat/kernels/codecs/decode_image.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/kernels/codecs/encode_jpeg.h"

namespace leat::decode_image_test {
namespace {

using ::testing::HasSubstr;

// Has `limit` bytes, and records how many bytes were asked for at once.
class LimitedAllocator final : public Allocator {
 public:
  explicit LimitedAllocator(int64_t limit) : limit_(limit) {}
  BufferRef Allocate(size_t bytes) override {
    if (!Take(static_cast<int64_t>(bytes))) return nullptr;
    return HostAllocator().Allocate(bytes);
  }
  BufferRef Reserve(int64_t bytes) override {
    if (!Take(bytes)) return nullptr;
    return HostAllocator().Reserve(bytes);
  }
  absl::string_view name() const override { return "limited"; }
  int64_t most() const { return most_; }

 private:
  bool Take(int64_t bytes) {
    most_ = std::max(most_, bytes);
    return bytes <= limit_;
  }
  const int64_t limit_;
  int64_t most_ = 0;
};

std::string Jpeg(int64_t size, bool progressive) {
  const std::vector<uint8_t> pixels(static_cast<size_t>(size * size), 7);
  return EncodeJpeg({.width = size, .height = size, .pixels = pixels},
                    {.progressive = progressive})
      .value();
}

// A GIF file of a few bytes cannot have a frame of 65,535 x 65,535 pixels.
TEST(DecodeImageTest, AFrameLargerThanItsFileCanSayIsNotAllocated) {
  const std::string gif(
      "GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\1\1\1"
      ",\0\0\0\0\xff\xff\xff\xff\0\2\2\x44\1\0;",
      36);
  LimitedAllocator allocator(1 << 20);
  const auto image = DecodeImage(gif, {}, allocator);
  EXPECT_TRUE(absl::IsInvalidArgument(image.status())) << image.status();
  EXPECT_EQ(allocator.most(), 0);
}

TEST(DecodeImageTest, WhatLibjpegKeepsOfSeveralScansIsCounted) {
  const std::string sequential = Jpeg(100, /*progressive=*/false);
  const std::string progressive = Jpeg(100, /*progressive=*/true);
  LimitedAllocator allocator(10'000);  // one byte per pixel
  EXPECT_TRUE(DecodeImage(sequential, {}, allocator).ok());
  const auto image = DecodeImage(progressive, {}, allocator);
  EXPECT_TRUE(absl::IsResourceExhausted(image.status())) << image.status();
  EXPECT_EQ(allocator.most(), 20'000);
}

TEST(DecodeImageTest, ImagesComeFromTheAllocator) {
  LimitedAllocator allocator(9'999);
  const auto image =
      DecodeImage(Jpeg(100, /*progressive=*/false), {}, allocator);
  EXPECT_TRUE(absl::IsResourceExhausted(image.status())) << image.status();
}

TEST(DecodeImageTest, ACropWindowMustLieInTheImage) {
  const std::string jpeg = Jpeg(50, /*progressive=*/false);
  for (const CropWindow& window :
       {CropWindow{INT32_MAX, 0, 1, 1}, CropWindow{0, INT32_MAX, 1, 1},
        CropWindow{INT32_MIN, INT32_MIN, 1, 1},
        CropWindow{1, 1, INT32_MAX, INT32_MAX}}) {
    const auto image = DecodeJpeg(jpeg, {.crop = window}, HostAllocator());
    EXPECT_THAT(image.status().ToString(), HasSubstr("crop window"));
  }
}

// Repeats the scans of a file until it has more than libjpeg may read.
TEST(DecodeImageTest, ManyScansAreRefused) {
  const std::string once = Jpeg(16, /*progressive=*/true);
  const size_t first = once.find("\xff\xda");
  const size_t second = once.find("\xff\xda", first + 2);
  ASSERT_NE(second, std::string::npos);
  std::string many = once.substr(0, second);
  for (int i = 0; i < 2000; ++i) many += once.substr(first, second - first);
  many += "\xff\xd9";
  EXPECT_TRUE(DecodeImage(once, {}, HostAllocator()).ok());
  EXPECT_FALSE(DecodeImage(many, {}, HostAllocator()).ok());
}

// The fuzzer has found this: libjpeg skips bytes of 255 before a marker, and
// TensorFlow lets it read the same byte without end.
TEST(DecodeImageTest, ATruncatedFileIsNotReadForEver) {
  const std::string jpeg = Jpeg(16, /*progressive=*/false);
  constexpr size_t kScanHeader = 10;
  const std::string cut =
      jpeg.substr(0, jpeg.find("\xff\xda") + kScanHeader) + "\xff";
  const auto image =
      DecodeJpeg(cut, {.recover_truncated = true}, HostAllocator());
  EXPECT_TRUE(absl::IsInvalidArgument(image.status())) << image.status();
}

}  // namespace
}  // namespace leat::decode_image_test
