// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"

namespace leat::log_test {
namespace {

// While this object exists, standard error is a pipe that nobody reads.
class UnreadStandardError {
 public:
  UnreadStandardError() {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    EXPECT_GE(dup2(ends_[1], STDERR_FILENO), 0);
  }
  ~UnreadStandardError() {
    dup2(before_, STDERR_FILENO);
    for (const int fd : {before_, ends_[0], ends_[1]}) close(fd);
  }
  UnreadStandardError(const UnreadStandardError&) = delete;
  UnreadStandardError& operator=(const UnreadStandardError&) = delete;

  // Fills the pipe, so that the next write would block.
  void Fill() {
    const int flags = fcntl(ends_[1], F_GETFL);
    fcntl(ends_[1], F_SETFL, flags | O_NONBLOCK);
    const std::string page(4096, 'x');
    while (write(ends_[1], page.data(), page.size()) > 0) {
    }
    fcntl(ends_[1], F_SETFL, flags);
  }
  // Returns the text that was written, but at most 4096 bytes of it.
  std::string Read() {
    std::string text(4096, '\0');
    text.resize(static_cast<size_t>(read(ends_[0], text.data(), text.size())));
    return text;
  }

 private:
  const int before_ = dup(STDERR_FILENO);
  int ends_[2] = {-1, -1};
};

TEST(LogTest, AWarnerWritesWarnings) {
  const Log log("tool");
  std::string text;
  {
    UnreadStandardError error;
    log.Warner()("this tool is waiting for a test");
    text = error.Read();
  }
  EXPECT_EQ(text, "tool: warning: this tool is waiting for a test\n");
}

// If the warner waited for the reader, this test would never end.
TEST(LogTest, AWarnerDoesNotWaitForTheReaderOfStandardError) {
  const Log log("tool");
  UnreadStandardError error;
  error.Fill();
  log.Warner()("this tool is waiting for a test");
}

}  // namespace
}  // namespace leat::log_test
