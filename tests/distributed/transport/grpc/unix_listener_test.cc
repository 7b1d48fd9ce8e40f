// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests gRPC listeners at Unix sockets.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/testing/test_service.h"

namespace leat::testing::unix_listener_test {
namespace {

using ::testing::HasSubstr;

class UnixListenerTest : public ::testing::Test {
 protected:
  UnixListenerTest()
      : transport_(*BuiltinTransports().Create("grpc")),
        path_(folder_.Path("socket")) {}

  absl::StatusOr<std::unique_ptr<Listener>> Listen(const std::string& path) {
    return transport_->Listen("unix:" + path, service_.methods());
  }

  // Returns the mode of the file at `path`, or 0 if there is none.
  static mode_t ModeOf(const std::string& path) {
    struct stat info = {};
    return lstat(path.c_str(), &info) == 0 ? info.st_mode : 0;
  }

  bool Answers(const std::string& path) {
    return CallNow(*transport_, "unix:" + path, TestService::kEcho,
                   PayloadOf("x"))
        .ok();
  }

  const TemporaryFolder folder_;
  TestService service_;
  const std::unique_ptr<Transport> transport_;
  const std::string path_;
};

TEST_F(UnixListenerTest, OnlyItsUserMayConnect) {
  const mode_t before = umask(0);
  const auto listener = Listen(path_);
  EXPECT_EQ(umask(before), 0u);  // as it was before
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_EQ((*listener)->address(), "unix:" + path_);
  EXPECT_EQ(ModeOf(path_), static_cast<mode_t>(S_IFSOCK | 0600));
  EXPECT_TRUE(Answers(path_));
}

TEST_F(UnixListenerTest, LeavesNothingBehind) {
  auto listener = Listen(path_);
  ASSERT_TRUE(listener.ok()) << listener.status();
  listener->reset();
  EXPECT_EQ(ModeOf(path_), 0u);
}

TEST_F(UnixListenerTest, LeavesAnothersSocketAlone) {
  auto first = Listen(path_);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_EQ(unlink(path_.c_str()), 0);
  std::ofstream(path_) << "x";
  first->reset();
  EXPECT_EQ(ModeOf(path_) & S_IFMT, static_cast<mode_t>(S_IFREG));
}

TEST_F(UnixListenerTest, TakesThePlaceOfADeadServer) {
  // Binds and closes a socket. The socket's file stays.
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
            0);
  close(fd);
  ASSERT_NE(ModeOf(path_), 0u);
  const auto listener = Listen(path_);
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_TRUE(Answers(path_));
}

TEST_F(UnixListenerTest, DoesNotTakeALiveServersPlace) {
  const auto first = Listen(path_);
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::Status status = Listen(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  EXPECT_TRUE(Answers(path_));
}

TEST_F(UnixListenerTest, RefusesOtherFiles) {
  std::ofstream(path_) << "precious";
  const absl::Status status = Listen(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(ModeOf(path_) & S_IFMT, static_cast<mode_t>(S_IFREG));
}

TEST_F(UnixListenerTest, TakesPathsOfAllCharacters) {
  for (const char* name : {"a b", "50%25", "q?x#y", "\xc3\xa4", "[x]"}) {
    const std::string path = folder_.Path(name);
    const auto listener = Listen(path);
    ASSERT_TRUE(listener.ok()) << listener.status();
    EXPECT_NE(ModeOf(path), 0u) << path;
    EXPECT_TRUE(Answers(path)) << path;
  }
}

TEST_F(UnixListenerTest, NamesFoldersThatAreMissing) {
  const absl::Status status = Listen(folder_.Path("no/socket")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no/socket"));
}

}  // namespace
}  // namespace leat::testing::unix_listener_test
