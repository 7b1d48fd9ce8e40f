// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/cluster/address.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::address_test {
namespace {

using ::testing::HasSubstr;

TEST(AddressTest, AcceptsNamesNumbersAndSockets) {
  for (const char* address :
       {"localhost:1", "127.0.0.1:65535", "ps-0.train.svc.cluster.local:2222",
        "my_host:7001", "a:0", "[::1]:7001", "[fe80::1:2]:1",
        "[::ffff:10.0.0.1]:80", "unix:/tmp/leat.sock", "unix:///tmp/a:0"}) {
    EXPECT_TRUE(CheckAddress(address).ok()) << CheckAddress(address);
  }
}

TEST(AddressTest, RefusesEverythingElseQuotingIt) {
  const std::string form = "is none of HOST:PORT, [IPV6]:PORT and unix:/PATH";
  const std::string port = "which is not a number from 0 to 65535";
  const std::pair<std::string, std::string> cases[] = {
      {"", "address '' " + form},
      {"localhost", "address 'localhost' " + form},
      {":7001", form},
      {"::1:7001", form},
      {"[::1]", form},
      {"[::1:7001", form},
      {"[a.b]:1", form},
      {"[::1%eth0]:1", form},
      {"a b:1", form},
      {"grpc://a:1", form},
      {"a/b:1", form},
      {"\xc3\xa4:1", "address '\\xc3\\xa4:1' " + form},
      {std::string("a\0b:1", 5), form},
      {std::string(254, 'a') + ":1", "aaa...' " + form},
      {"a:", "address 'a:' has port '', " + port},
      {"a:65536", "has port '65536', " + port},
      {"a:-1", "has port '-1', " + port},
      {"a:+1", "has port '+1', " + port},
      {"a: 1", "has port ' 1', " + port},
      {"a:01", "has port '01', " + port},
      {"a:http", "has port 'http', " + port},
      {"a:99999999999999999999", port},
      {"a:1\n", "has port '1\\n', " + port},
      {"unix:a", "address 'unix:a' is not unix:/ABSOLUTE/PATH"},
      {"unix:", "is not unix:/ABSOLUTE/PATH"},
      {"unix:/" + std::string(107, 'a'), "has at most 107 bytes"},
      {std::string("unix:/a\0b", 9), "none that is zero"},
  };
  for (const auto& [address, message] : cases) {
    const absl::Status status = CheckAddress(address);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }
  EXPECT_TRUE(CheckAddress("unix:/" + std::string(106, 'a')).ok());
  EXPECT_TRUE(CheckAddress(std::string(253, 'a') + ":1").ok());
}

TEST(AddressTest, OnlyPort0OfAHostIsFree) {
  EXPECT_TRUE(HasFreePort("localhost:0"));
  EXPECT_TRUE(HasFreePort("[::1]:0"));
  EXPECT_FALSE(HasFreePort("localhost:10"));
  EXPECT_FALSE(HasFreePort("unix:/tmp/a:0"));
}

TEST(AddressTest, WritesOneAddressInOneWay) {
  const std::pair<const char*, const char*> cases[] = {
      {"Host.Example:1", "host.example:1"}, {"[0:0:0:0:0:0:0:1]:7", "[::1]:7"},
      {"[FE80::0001]:7", "[fe80::1]:7"},    {"unix:///tmp/a", "unix:/tmp/a"},
      {"unix:/Tmp/a", "unix:/Tmp/a"},       {"10.0.0.1:80", "10.0.0.1:80"},
  };
  for (const auto& [address, canonical] : cases) {
    EXPECT_EQ(CanonicalAddress(address), canonical);
  }
  EXPECT_NE(CanonicalAddress("unix:/a"), CanonicalAddress("unix:/A"));
}

TEST(AddressTest, KnowsWhichAddressesOnlyThisMachineReaches) {
  for (const char* address :
       {"127.0.0.1:1", "127.1.2.3:0", "[::1]:7001", "[0:0:0:0:0:0:0:1]:1",
        "localhost:1", "LocalHost:1", "unix:/tmp/leat.sock"}) {
    EXPECT_TRUE(IsLoopback(address)) << address;
  }
  for (const char* address :
       {"0.0.0.0:1", "128.0.0.1:1", "10.127.0.1:1", "[::]:1", "[::2]:1",
        "[::ffff:10.0.0.1]:1", "ps:1", "localhost.example.com:1",
        "127.example.com:1", "127.1:1"}) {
    EXPECT_FALSE(IsLoopback(address)) << address;
  }
}

TEST(AddressTest, KnowsThePathsOfSockets) {
  EXPECT_EQ(UnixPath("unix:/tmp/a:0"), "/tmp/a:0");
  EXPECT_EQ(UnixPath("localhost:1"), "");
}

}  // namespace
}  // namespace leat::address_test
