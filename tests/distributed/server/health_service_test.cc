// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/health_service.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::health_service_test {
namespace {

using ::testing::HasSubstr;

class HealthServiceTest : public ::testing::Test {
 protected:
  HealthServiceTest() {
    service_.AddMethods(
        methods_, [this] { return ConnectionCounts{.problem = problem_}; });
  }

  absl::StatusOr<std::string> Check(std::string request) {
    absl::StatusOr<std::string> answer;
    methods_.Find("/grpc.health.v1.Health/Check")
        ->handler(std::make_shared<CallContext>(),
                  Payload{.header = std::move(request)},
                  [&](absl::StatusOr<Payload> response) {
                    if (response.ok()) {
                      answer = response->header;
                    } else {
                      answer = response.status();
                    }
                  });
    return answer;
  }

  std::string problem_;
  HealthService service_;
  MethodTable methods_;
};

TEST_F(HealthServiceTest, SaysWhetherTheTaskServes) {
  EXPECT_EQ(*Check(""), "\x08\x01");  // SERVING
  service_.SetNotServing();
  EXPECT_EQ(*Check(""), "\x08\x02");  // NOT_SERVING
}

TEST_F(HealthServiceTest, SaysWhetherTheTaskAcceptsConnections) {
  problem_ = "3 connections are open (--max-connections)";
  EXPECT_EQ(*Check(""), "\x08\x02");  // NOT_SERVING
  problem_.clear();
  EXPECT_EQ(*Check(""), "\x08\x01");  // SERVING
}

TEST_F(HealthServiceTest, KnowsNoOtherService) {
  const absl::Status status = Check(
                                  "\x0a\x03"
                                  "abc")
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("abc"));
}

TEST_F(HealthServiceTest, RefusesWhatIsNoRequest) {
  for (const std::string& request :
       {std::string("\x0a\x7f"), std::string(100'000, '\x0a')}) {
    EXPECT_EQ(Check(request).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace leat::health_service_test
