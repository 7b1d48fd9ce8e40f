// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tests/testing/in_process_network.h"

namespace leat::transport_registry_test {
namespace {

using ::testing::EndsWith;

TEST(TransportRegistryTest, NamesTheTransportsThatThereAre) {
  const auto none = [](const TransportOptions&) {
    return absl::UnimplementedError("a test's");
  };
  TransportRegistry transports;
  transports.Add("pigeons", none);
  transports.Add("drums", none);
  const absl::Status status = transports.Create("rdma").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_EQ(status.message(),
            "there is no transport 'rdma'; there are: drums, pigeons");
}

TEST(TransportRegistryTest, TheLibraryHasOnlyGrpc) {
  EXPECT_THAT(
      std::string(BuiltinTransports().Create("in-process").status().message()),
      EndsWith("there are: grpc"));
}

TEST(TransportRegistryTest, RefusesLimitsBelowOne) {
  const auto network = std::make_shared<testing::InProcessNetwork>();
  const auto create = [&](const TransportOptions& options) {
    return network->transports().Create("in-process", options).status();
  };
  EXPECT_TRUE(create({}).ok());
  EXPECT_EQ(create({.max_message_bytes = 0}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(create({.max_transport_bytes = -1}).code(),
            absl::StatusCode::kInvalidArgument);
  TransportOptions never;
  never.times.ping_timeout = std::chrono::milliseconds(0);
  const absl::Status refused = create(never);
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(refused.message(),
            "a transport needs times of at least 1 ms, but one of its "
            "ConnectionTimes is 0 ms");
}

}  // namespace
}  // namespace leat::transport_registry_test
