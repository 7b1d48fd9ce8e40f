// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/unix_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::unix_socket_test {
namespace {

using ::testing::HasSubstr;

bool Exists(const std::string& path) {
  struct stat info = {};
  return lstat(path.c_str(), &info) == 0;
}

// Listens at the Unix socket `path`. The destructor does not remove the file.
class Listening {
 public:
  explicit Listening(const std::string& path)
      : fd_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    EXPECT_LT(path.size(), sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.c_str(), path.size());
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
              0);
    EXPECT_EQ(listen(fd_, 1), 0);
  }
  ~Listening() { close(fd_); }

 private:
  const int fd_;
};

class UnixSocketTest : public ::testing::Test {
 protected:
  static void ExpectRefused(const std::string& path, absl::StatusCode code,
                            const std::string& message) {
    const absl::Status status = ClearSocketPath(path);
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.Path("socket");
};

TEST_F(UnixSocketTest, TakesAFreePath) {
  EXPECT_TRUE(ClearSocketPath(path_).ok());
}

TEST_F(UnixSocketTest, RemovesASocketWhoseServerIsGone) {
  { const Listening gone(path_); }
  EXPECT_TRUE(Exists(path_));
  EXPECT_TRUE(ClearSocketPath(path_).ok());
  EXPECT_FALSE(Exists(path_));
}

TEST_F(UnixSocketTest, LeavesALiveOneAlone) {
  const Listening server(path_);
  ExpectRefused(path_, absl::StatusCode::kUnavailable,
                "another server listens");
  EXPECT_TRUE(Exists(path_));
}

TEST_F(UnixSocketTest, LeavesFilesOfOtherKindsAlone) {
  std::ofstream(path_) << "precious";
  ExpectRefused(path_, absl::StatusCode::kInvalidArgument, "is no socket");
  EXPECT_TRUE(Exists(path_));
  const std::string link = folder_.Path("link");
  ASSERT_EQ(symlink("/nowhere", link.c_str()), 0);
  ExpectRefused(link, absl::StatusCode::kInvalidArgument, "is no socket");
}

TEST_F(UnixSocketTest, RefusesFoldersWhereOthersMayReplaceIt) {
  const std::string folder = folder_.Path("open");
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  ExpectRefused(folder + "/socket", absl::StatusCode::kInvalidArgument,
                "everybody may replace files");
  ASSERT_EQ(chmod(folder.c_str(), 01777), 0);  // like /tmp
  EXPECT_TRUE(ClearSocketPath(folder + "/socket").ok());
  ExpectRefused(folder_.Path("missing/socket"), absl::StatusCode::kUnavailable,
                "No such file");
}

TEST_F(UnixSocketTest, RemovesOnlyItsOwn) {
  UnixSocketFile file;
  {
    const Listening first(path_);
    file.Own(path_);
  }
  // Another program has put its own file at the path.
  ASSERT_EQ(rename(path_.c_str(), folder_.Path("moved").c_str()), 0);
  const Listening second(path_);
  file.Remove();
  EXPECT_TRUE(Exists(path_));
  file.Own(path_);
  file.Remove();
  EXPECT_FALSE(Exists(path_));
}

}  // namespace
}  // namespace leat::unix_socket_test
