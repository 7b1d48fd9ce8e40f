// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests Print (program.h) with a non-blocking standard output. Print runs in a
// child process, so that the test keeps its own standard output.
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tools/log.h"
#include "leat/tools/program.h"

namespace leat::print_test {
namespace {

using ::testing::StartsWith;

// Reads until no process can write to the other end. Returns the number of
// bytes.
size_t CountBytes(const FileDescriptor& reader) {
  size_t count = 0;
  char bytes[4096];
  for (ssize_t n; (n = read(reader.number(), bytes, sizeof(bytes))) > 0;) {
    count += static_cast<size_t>(n);
  }
  return count;
}

TEST(PrintTest, SaysThatItWaitsForAReader) {
  const TemporaryFolder folder;
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  int ends[2] = {};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  ASSERT_EQ(fcntl(writer.number(), F_SETFL, O_NONBLOCK), 0);
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    const FileDescriptor err(
        open(folder.Path("err").c_str(), O_WRONLY | O_CREAT, 0600));
    dup2(writer.number(), STDOUT_FILENO);
    dup2(err.number(), STDERR_FILENO);
    _exit(Print(Log("leat"), text));
  }
  writer.Close();
  EXPECT_TRUE(testing::AwaitText(folder.Path("err"), "\n"));
  EXPECT_THAT(testing::ReadFile(folder.Path("err")),
              StartsWith("leat: warning: this command is waiting for "
                         "somebody to read the last "));
  EXPECT_EQ(CountBytes(reader), text.size());
  EXPECT_EQ(testing::WaitFor(pid), 0);
}

}  // namespace
}  // namespace leat::print_test
