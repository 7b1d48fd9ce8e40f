// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what a task does when it has too few file descriptors for its
// connections, or more connections than it may have.
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/transport/transport.h"
#include "leat/protos/status.pb.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/raw_connection.h"
#include "leat/tests/testing/task_client.h"

namespace leat::descriptors_test {
namespace {

using testing::AddressOf;
using testing::Eventually;
using ::testing::HasSubstr;
using testing::Process;
using testing::RawConnection;
using testing::ServeAloneUnder;
using testing::TaskClient;

class DescriptorsTest : public ::testing::Test {
 protected:
  // Asks the server for the status of its connections. Makes a new connection
  // for this request.
  static absl::StatusOr<pb::ConnectionStatus> Connections(
      const std::string& address) {
    const auto transport = *BuiltinTransports().Create("grpc");
    TaskClient client(*transport, address);
    pb::TaskStatusResponse status;
    const absl::Status called =
        client.Call(methods::kTaskStatus, pb::TaskStatusRequest(), status);
    if (!called.ok()) return called;
    return status.connections();
  }
};

TEST_F(DescriptorsTest, ATaskServesAgainAfterMoreConnectionsThanDescriptors) {
  Process server("/bin/sh",
                 ServeAloneUnder(LEAT_PROGRAM_LEAT, "-n 200",
                                 {"--max-connections-per-address", "1000",
                                  "--handshake-timeout", "1000"}));
  const std::string address = AddressOf(server);
  const auto before = Connections(address);
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_LT(before->max(), 200);
  server.AwaitError(absl::StrCat("accepts at most ", before->max(),
                                 " connections at a time and not 10000"));
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int i = 0; i < 400; ++i) {
    idle.push_back(std::make_unique<RawConnection>(address));
  }
  server.AwaitError(
      "three quarters of the files and sockets that this "
      "process may have open");
  EXPECT_EQ(Connections(address).status().code(),
            absl::StatusCode::kUnavailable);
  idle.clear();
  EXPECT_TRUE(Eventually([&] { return Connections(address).ok(); }));
  EXPECT_GE(Connections(address)->refused(), 200);
  server.AwaitError("accepts connections again");
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 143);
}

TEST_F(DescriptorsTest, ATaskHasAsManyConnectionsAsItsFlagSays) {
  Process server("/bin/sh",
                 ServeAloneUnder(LEAT_PROGRAM_LEAT, "-n 1000",
                                 {"--max-connections", "20",
                                  "--max-connections-per-address", "20",
                                  "--handshake-timeout", "1000"}));
  const std::string address = AddressOf(server);
  std::vector<std::unique_ptr<RawConnection>> idle;
  for (int i = 0; i < 30; ++i) {
    idle.push_back(std::make_unique<RawConnection>(address));
  }
  server.AwaitError(
      "closed a connection from 127.0.0.1: 20 connections are open "
      "(--max-connections)");
  idle.clear();
  EXPECT_TRUE(Eventually([&] { return Connections(address).ok(); }));
  EXPECT_EQ(Connections(address)->max(), 20);
}

TEST_F(DescriptorsTest, ATaskWithTooFewSaysHowManyItNeeds) {
  for (const int descriptors : {12, 40, 60}) {
    Process server(
        "/bin/sh",
        ServeAloneUnder(LEAT_PROGRAM_LEAT, absl::StrCat("-n ", descriptors)));
    EXPECT_EQ(server.Wait(), 1) << descriptors;
    EXPECT_EQ(server.Out(), "");
    EXPECT_THAT(server.Err(),
                HasSubstr(absl::StrCat("this process may have ", descriptors,
                                       " open files and sockets")));
    EXPECT_THAT(server.Err(), HasSubstr("set the limit to at least "));
  }
}

TEST_F(DescriptorsTest, ATaskRaisesItsLimit) {
  Process server("/bin/sh", ServeAloneUnder(LEAT_PROGRAM_LEAT, "-S -n 60"));
  AddressOf(server);
}

}  // namespace
}  // namespace leat::descriptors_test
