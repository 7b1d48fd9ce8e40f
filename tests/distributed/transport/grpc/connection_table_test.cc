// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/connection_table.h"

#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/file_descriptor.h"

namespace leat::connection_table_test {
namespace {

using ::testing::HasSubstr;

// Returns one end of a connection whose other end is closed already.
FileDescriptor Socket() {
  return FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

TEST(ConnectionTableTest, BoundsConnectionsInAll) {
  ConnectionTable table(2, 2);
  std::vector<FileDescriptor> sockets;
  for (const char* address : {"10.0.0.1", "10.0.0.2"}) {
    EXPECT_EQ(table.WhyFull(address), "");
    EXPECT_FALSE(table.is_full());
    sockets.push_back(Socket());
    table.Add(sockets.back().number(), address);
  }
  EXPECT_TRUE(table.is_full());
  EXPECT_EQ(table.WhyFull("10.0.0.3"),
            "2 connections are open (--max-connections)");
}

TEST(ConnectionTableTest, NamesWhatLowersItsLimit) {
  EXPECT_THAT(ConnectionTable(0, 2, "ulimit -n").WhyFull("10.0.0.1"),
              HasSubstr("(ulimit -n)"));
}

TEST(ConnectionTableTest, BoundsConnectionsOfAnAddress) {
  ConnectionTable table(10, 1);
  const FileDescriptor socket = Socket();
  table.Add(socket.number(), "10.0.0.1");
  EXPECT_EQ(
      table.WhyFull("10.0.0.1"),
      "1 connections of 10.0.0.1 are open (--max-connections-per-address)");
  EXPECT_EQ(table.WhyFull("10.0.0.2"), "");
}

TEST(ConnectionTableTest, RemovesWhatWasClosed) {
  ConnectionTable table(2, 1);
  FileDescriptor first = Socket();
  const FileDescriptor second = Socket();
  table.Add(first.number(), "10.0.0.1");
  table.Add(second.number(), "10.0.0.2");
  first.Close();
  EXPECT_EQ(table.size(), 2u);
  table.RemoveClosed();
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.WhyFull("10.0.0.1"), "");
  EXPECT_THAT(table.WhyFull("10.0.0.2"), HasSubstr("10.0.0.2"));
}

TEST(ConnectionTableTest, ANumberThatIsUsedAgainIsAnotherConnection) {
  ConnectionTable table(2, 2);
  FileDescriptor first = Socket();
  const int number = first.number();
  table.Add(number, "10.0.0.1");
  first.Close();
  const FileDescriptor second = Socket();
  ASSERT_EQ(second.number(), number);
  table.RemoveClosed();
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace leat::connection_table_test
