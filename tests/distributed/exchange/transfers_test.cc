// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/transfers.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "leat/distributed/exchange/traffic.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::transfers_test {
namespace {

using ::leat::testing::TestClock;

constexpr int64_t kChunk = 4096;

// Begins a transfer to a peer whose traffic does not matter.
absl::StatusOr<std::optional<Transfer>> Begin(Transfers& transfers,
                                              const Tensor& tensor,
                                              const ChunkWish& wish) {
  static PeerTraffic traffic(TestClock());
  return transfers.Begin(tensor, wish, traffic);
}

Tensor Numbers(int64_t count) {
  Tensor tensor = Tensor::Filled<int32_t>(Shape({count}), 0);
  for (int64_t i = 0; i < count; ++i) {
    tensor.mutable_data<int32_t>()[static_cast<size_t>(i)] =
        static_cast<int32_t>(i);
  }
  return tensor;
}

TEST(TransfersTest, LeaveSmallTensorsAsTheyAre) {
  Transfers transfers;
  const auto is_whole = [&](const Tensor& tensor, const ChunkWish& wish) {
    const auto begun = Begin(transfers, tensor, wish);
    EXPECT_TRUE(begun.ok()) << begun.status();
    return !begun->has_value();
  };
  const Tensor tensor = Numbers(4096);  // 16 KiB
  EXPECT_TRUE(is_whole(tensor, {}));
  EXPECT_TRUE(is_whole(tensor, {.chunk_bytes = 16384}));
  EXPECT_TRUE(is_whole(tensor, {.inline_bytes = 16384, .chunk_bytes = kChunk}));
  EXPECT_TRUE(
      is_whole(tensor, {.inline_bytes = INT64_MAX, .chunk_bytes = kChunk}));
  EXPECT_TRUE(is_whole(tensor, {.chunk_bytes = INT64_MAX}));
  EXPECT_TRUE(is_whole(Tensor::Filled<bool>(Shape({16384}), true),
                       {.chunk_bytes = kChunk}));
  EXPECT_TRUE(is_whole(Tensor::Filled<std::string>(Shape({16384}), "x"),
                       {.chunk_bytes = kChunk}));
  EXPECT_EQ(transfers.size(), 0u);
  EXPECT_TRUE(tensor.IsUnique());
  EXPECT_FALSE(
      is_whole(tensor, {.inline_bytes = 16383, .chunk_bytes = kChunk}));
  EXPECT_EQ(transfers.size(), 1u);
}

TEST(TransfersTest, KeepChunksWithinBounds) {
  Transfers transfers;
  const Tensor tensor = Numbers(1 << 20);
  const auto chunk_bytes = [&](int64_t wished) {
    return (*Begin(transfers, tensor, {.chunk_bytes = wished}))->chunk_bytes;
  };
  EXPECT_EQ(chunk_bytes(1), kMinChunkBytes);
  EXPECT_EQ(chunk_bytes(kMinChunkBytes - 1), kMinChunkBytes);
  EXPECT_EQ(chunk_bytes(5000), 4992);  // whole cache lines
  EXPECT_EQ(chunk_bytes(1 << 20), 1 << 20);
  // The test does not write to this tensor, so its pages take no memory.
  const auto large = Tensor::Allocate(HostAllocator(), DType::kUint8,
                                      Shape{kMaxChunkBytes + 1});
  ASSERT_TRUE(large.ok()) << large.status();
  const auto transfer = Begin(transfers, *large, {.chunk_bytes = INT64_MAX});
  ASSERT_TRUE(transfer.ok() && transfer->has_value());
  EXPECT_EQ((*transfer)->chunk_bytes, kMaxChunkBytes);
}

TEST(TransfersTest, GiveEveryChunkAndAreGoneThen) {
  Transfers transfers;
  const Tensor tensor = Numbers(2 * kChunk / 4 + 3);
  const Transfer transfer = **Begin(transfers, tensor, {.chunk_bytes = kChunk});
  EXPECT_EQ(transfer.total_bytes, 2 * kChunk + 12);
  EXPECT_EQ(transfer.dtype, DType::kInt32);
  EXPECT_EQ(transfer.shape, tensor.shape());
  ASSERT_EQ(transfer.num_chunks(), 3);
  // Chunk 2 is fetched twice, because the network may deliver a request twice.
  for (const int64_t i : {2, 0, 2, 1}) {
    const auto chunk =
        transfers.Take(transfer.id, transfer.OffsetOf(i), transfer.LengthOf(i));
    ASSERT_TRUE(chunk.ok()) << chunk.status();
    EXPECT_EQ(chunk->dtype(), DType::kUint8);
    EXPECT_EQ(chunk->num_bytes(), i == 2 ? 12 : kChunk);
    EXPECT_TRUE(chunk->SharesBufferWith(tensor));
    EXPECT_EQ(chunk->raw_data(), tensor.raw_data() + i * kChunk);
    EXPECT_EQ(transfers.size(), i == 1 ? 0u : 1u);
  }
  EXPECT_EQ(transfers.Take(transfer.id, 0, kChunk).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(tensor.IsUnique());
}

TEST(TransfersTest, RefuseBoundsThatAreNoChunks) {
  Transfers transfers;
  const Tensor tensor = Numbers(2 * kChunk / 4 + 3);
  const Transfer transfer = **Begin(transfers, tensor, {.chunk_bytes = kChunk});
  const int64_t bounds[][2] = {
      {0, 12},
      {0, 2 * kChunk},
      {1, kChunk},
      {2 * kChunk, kChunk},
      {2 * kChunk, 0},
      // These chunks would lie after the last chunk or before the first one.
      {3 * kChunk, transfer.LengthOf(3)},
      {4 * kChunk, transfer.LengthOf(4)},
      {-kChunk, transfer.LengthOf(-1)},
      {INT64_MIN, kChunk},
      {INT64_MAX, kChunk}};
  for (const auto& [offset, length] : bounds) {
    EXPECT_EQ(transfers.Take(transfer.id, offset, length).status().code(),
              absl::StatusCode::kInvalidArgument)
        << offset << " " << length;
  }
  EXPECT_EQ(transfers.size(), 1u);
}

TEST(TransfersTest, ForgetWhatNobodyWants) {
  Transfers transfers;
  const Tensor tensor = Numbers(kChunk);
  const Transfer one = **Begin(transfers, tensor, {.chunk_bytes = kChunk});
  const Transfer two = **Begin(transfers, tensor, {.chunk_bytes = kChunk});
  EXPECT_NE(one.id, two.id);
  transfers.Forget(one.id);
  transfers.Forget(one.id);
  EXPECT_EQ(transfers.size(), 1u);
  EXPECT_TRUE(transfers.Take(two.id, 0, kChunk).ok());
}

TEST(TransfersTest, EndForEver) {
  Transfers transfers;
  const Tensor tensor = Numbers(kChunk);
  const Transfer transfer = **Begin(transfers, tensor, {.chunk_bytes = kChunk});
  const absl::Status why = absl::AbortedError("the step failed");
  transfers.End(why);
  transfers.End(absl::InternalError("again"));
  EXPECT_EQ(transfers.size(), 0u);
  EXPECT_TRUE(tensor.IsUnique());
  EXPECT_EQ(transfers.Take(transfer.id, 0, kChunk).status(), why);
  EXPECT_EQ(Begin(transfers, tensor, {.chunk_bytes = kChunk}).status(), why);
  EXPECT_TRUE(tensor.IsUnique());
}

}  // namespace
}  // namespace leat::transfers_test
