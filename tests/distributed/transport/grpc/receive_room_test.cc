// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/receive_room.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::receive_room_test {
namespace {

using ::testing::HasSubstr;

TEST(ReceiveRoomTest, HasRoomUpToItsLimit) {
  ReceiveRoom room(/*max_message_bytes=*/100, /*max_bytes=*/150);
  int64_t first = 0;
  EXPECT_EQ(room.Enter("100", first), absl::OkStatus());
  EXPECT_EQ(first, 100);
  int64_t second = 0;
  const absl::Status full = room.Enter("51", second);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(full.message()), HasSubstr("--max-transport-bytes"));
  room.Leave(second);
  EXPECT_EQ(room.Enter("50", second), absl::OkStatus());
  room.Leave(first);
  EXPECT_EQ(room.Enter("100", first), absl::OkStatus());
}

TEST(ReceiveRoomTest, RefusesALargeRequest) {
  ReceiveRoom room(/*max_message_bytes=*/100, /*max_bytes=*/150);
  int64_t bytes = 0;
  const absl::Status status = room.Enter("101", bytes);
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("larger than max (101 vs. 100)"));
}

TEST(ReceiveRoomTest, RefusesWhatDoesNotFitInMemory) {
  constexpr int64_t kMost = int64_t{1} << 62;
  ReceiveRoom room(kMost, kMost);
  int64_t bytes = 0;
  const absl::Status status = room.Enter(std::to_string(kMost), bytes);
  room.Leave(bytes);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--memory"));
  EXPECT_EQ(room.Enter("1000", bytes), absl::OkStatus());
}

TEST(ReceiveRoomTest, RefusesTextThatIsNoSize) {
  ReceiveRoom room(100, 150);
  for (const char* text : {"", "-1", "1e3", "x", "99999999999999999999"}) {
    int64_t bytes = 7;
    EXPECT_EQ(room.Enter(text, bytes).code(),
              absl::StatusCode::kInvalidArgument)
        << text;
    EXPECT_EQ(bytes, 0);
  }
}

}  // namespace
}  // namespace leat::receive_room_test
