// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/listening_sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/cluster/address.h"
#include "leat/tests/testing/raw_connection.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::listening_sockets_test {
namespace {

using ::testing::HasSubstr;
using testing::RawConnection;
using ::testing::StartsWith;

constexpr std::chrono::seconds kUserTimeout(3);

TEST(ListeningSocketsTest, ChoosesAFreePort) {
  const auto listening = ListenAt("127.0.0.1:0", kUserTimeout);
  ASSERT_TRUE(listening.ok()) << listening.status();
  EXPECT_THAT(listening->address, StartsWith("127.0.0.1:"));
  EXPECT_FALSE(HasFreePort(listening->address));
  ASSERT_EQ(listening->sockets.size(), 1u);
  RawConnection connection(listening->address);
  connection.Send("x");
}

TEST(ListeningSocketsTest, AllAddressesOfAHostGetOnePort) {
  const auto listening = ListenAt("localhost:0", kUserTimeout);
  ASSERT_TRUE(listening.ok()) << listening.status();
  const int port = std::atoi(
      std::string(absl::StripPrefix(listening->address, "localhost:")).c_str());
  EXPECT_GT(port, 0);
  for (const FileDescriptor& socket : listening->sockets) {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    ASSERT_EQ(getsockname(socket.number(),
                          reinterpret_cast<sockaddr*>(&address), &size),
              0);
    // Addresses of IPv4 and of IPv6 have the port at the same place.
    EXPECT_EQ(ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port),
              port);
  }
}

TEST(ListeningSocketsTest, ItsConnectionsHaveTheOptionsOfGrpcs) {
  const auto listening = ListenAt("127.0.0.1:0", kUserTimeout);
  ASSERT_TRUE(listening.ok()) << listening.status();
  const RawConnection connection(listening->address);
  const FileDescriptor accepted(
      accept(listening->sockets[0].number(), nullptr, nullptr));
  ASSERT_TRUE(accepted.is_open());
  int is_on = 0;
  socklen_t size = sizeof(is_on);
  ASSERT_EQ(
      getsockopt(accepted.number(), IPPROTO_TCP, TCP_NODELAY, &is_on, &size),
      0);
  EXPECT_NE(is_on, 0);
  unsigned int timeout = 0;
  size = sizeof(timeout);
  ASSERT_EQ(getsockopt(accepted.number(), IPPROTO_TCP, TCP_USER_TIMEOUT,
                       &timeout, &size),
            0);
  EXPECT_EQ(timeout, 3000u);
}

TEST(ListeningSocketsTest, SaysWhyItCannotListen) {
  const auto listening = ListenAt("127.0.0.1:0", kUserTimeout);
  ASSERT_TRUE(listening.ok()) << listening.status();
  const absl::Status taken =
      ListenAt(listening->address, kUserTimeout).status();
  EXPECT_EQ(taken.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(taken.message()),
              HasSubstr(listening->address + ": Address already in use"));
  // No machine has this address (RFC 5737).
  EXPECT_THAT(
      std::string(ListenAt("192.0.2.1:0", kUserTimeout).status().message()),
      HasSubstr("Cannot assign requested address"));
  EXPECT_EQ(ListenAt("no address", kUserTimeout).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ListeningSocketsTest, AUnixSocketIsPrivateAndRemoved) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("socket");
  const mode_t before = umask(0);
  {
    const auto listening = ListenAt("unix:" + path, kUserTimeout);
    EXPECT_EQ(umask(before), 0u);
    ASSERT_TRUE(listening.ok()) << listening.status();
    struct stat info = {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode, static_cast<mode_t>(S_IFSOCK | 0600));
  }
  struct stat info = {};
  EXPECT_NE(stat(path.c_str(), &info), 0);
}

}  // namespace
}  // namespace leat::listening_sockets_test
