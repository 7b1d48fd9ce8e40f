// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/announced_request.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat::announced_request_test {
namespace {

using ::testing::HasSubstr;
using Code = absl::StatusCode;

constexpr RequestLimits kSmall = {.max_message_bytes = 100,
                                  .max_transport_bytes = 80};

TEST(AnnouncedRequestTest, MayHaveWhatTheLimitsAllow) {
  EXPECT_EQ(CheckAnnouncedRequest("80", kSmall), absl::OkStatus());
  const absl::Status status = CheckAnnouncedRequest("81", kSmall);
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("(--max-transport-bytes)"));
  EXPECT_FALSE(IsTransportError(status));
}

TEST(AnnouncedRequestTest, IsRefusedAsByGrpcIfAMessageMayNotBeSoLarge) {
  const absl::Status status = CheckAnnouncedRequest("101", kSmall);
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("larger than max (101 vs. 100)"));
  EXPECT_TRUE(IsTransportError(status));
}

TEST(AnnouncedRequestTest, MustFitInMemory) {
  constexpr int64_t kMost = int64_t{1} << 62;
  const absl::Status status =
      CheckAnnouncedRequest(std::to_string(kMost), {kMost, kMost});
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--memory"));
}

TEST(AnnouncedRequestTest, MustBeANumber) {
  for (const char* text : {"", "-1", "1e3", "x", "99999999999999999999"}) {
    EXPECT_EQ(CheckAnnouncedRequest(text, kSmall).code(),
              Code::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace leat::announced_request_test
