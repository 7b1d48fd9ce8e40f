// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/regular_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::regular_file_test {
namespace {

using ::testing::HasSubstr;

class RegularFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }

  std::string Write(const std::string& name, const std::string& content) {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }

 private:
  const TemporaryFolder folder_;
};

absl::Status ReadError(const std::string& path, int64_t max_bytes = 100) {
  return ReadRegularFile(path, max_bytes).status();
}

void ExpectRefused(const std::string& path, const std::string& kind) {
  const absl::Status status = ReadError(path);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("'" + path + "'"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("not a regular file but " + kind));
}

TEST_F(RegularFileTest, ReadsUpToItsBound) {
  const std::string path = Write("digits", "0123456789");
  EXPECT_EQ(ReadRegularFile(path, 10).value(), "0123456789");
  const absl::Status status = ReadError(path, 9);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("has 10 bytes, but may have at most 9"));
  EXPECT_EQ(ReadRegularFile(Write("empty", ""), 0).value(), "");
}

TEST_F(RegularFileTest, ReadsInPieces) {
  auto file = RegularFile::Open(Write("pieces", "abcdef"), 6);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->size(), 6);
  std::string text(4, ' ');
  ASSERT_TRUE(file->Read(text.data(), 4).ok());
  EXPECT_EQ(text, "abcd");
  EXPECT_EQ(file->Read(text.data(), 3).code(), absl::StatusCode::kDataLoss);
}

TEST_F(RegularFileTest, FollowsLinks) {
  const std::string path = Write("target", "x");
  ASSERT_EQ(symlink(path.c_str(), Path("link").c_str()), 0);
  EXPECT_EQ(ReadRegularFile(Path("link"), 1).value(), "x");
}

// Opening a pipe in the usual manner would wait forever for a writer.
TEST_F(RegularFileTest, RefusesAPipeWithoutWaitingForItsWriter) {
  const std::string path = Path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  ExpectRefused(path, "a pipe");
}

TEST_F(RegularFileTest, SaysWhatElseThereIs) {
  ExpectRefused(::testing::TempDir(), "a folder");
  ExpectRefused("/dev/zero", "a device");
  ExpectRefused("/dev/full", "a device");
}

TEST_F(RegularFileTest, DoesNotOpenSockets) {
  const std::string path = Path("socket");
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_GE(file, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(file, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
            0);
  ExpectRefused(path, "a socket");
  close(file);
}

TEST_F(RegularFileTest, NamesTheFileThatDoesNotExist) {
  const absl::Status status = ReadError("/nonexistent/x");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nonexistent/x"));
  EXPECT_EQ(ReadError("").code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace leat::regular_file_test
