// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/live_view.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/clock.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::live_view_test {
namespace {

using ::testing::SizeIs;

constexpr std::chrono::milliseconds kPatience(100);

// The view writes to a stream. The test reads the other end of the stream when
// it calls Read.
class LiveViewTest : public ::testing::Test {
 protected:
  LiveViewTest() {
    int ends[2] = {};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    SetEnds(ends);
  }
  void SetEnds(const int (&ends)[2]) {
    reader_ = FileDescriptor(ends[0]);
    writer_ = FileDescriptor(ends[1]);
    EXPECT_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
  }
  LiveView Make(LiveViewOptions options = {}) {
    options.output = writer_.number();
    options.clock = &clock_;
    return LiveView({"chief-0", "worker-10"}, options);
  }
  // Returns what the stream holds now.
  std::string Read() const {
    std::string text;
    char bytes[4096];
    for (ssize_t n; (n = read(reader_.number(), bytes, sizeof(bytes))) > 0;) {
      text.append(bytes, static_cast<size_t>(n));
    }
    return text;
  }
  static std::string Shown(LiveView& view, const LiveViewTest& test) {
    view.Finish(kPatience);
    return test.Read();
  }

  testing::SimulatedClock clock_;
  FileDescriptor reader_;
  FileDescriptor writer_;
};

TEST_F(LiveViewTest, NamesTheTaskOfEveryLine) {
  LiveView view = Make();
  view.Show(0, "one\ntw");
  view.Show(1, "eins\n");
  view.Note("hello");
  view.Show(0, "o\nthree");
  EXPECT_GE(view.waits_for(), 0);
  view.Write();
  EXPECT_EQ(view.waits_for(), -1);
  EXPECT_EQ(Read(),
            "[chief-0]   one\n"
            "[worker-10] eins\n"
            "[leat]      hello\n"
            "[chief-0]   two\n");
  EXPECT_EQ(Shown(view, *this), "[chief-0]   three\n");
}

TEST_F(LiveViewTest, ColorsNames) {
  LiveView view = Make({.color = true});
  view.Show(0, "a\n");
  view.Show(1, "b\n");
  EXPECT_EQ(Shown(view, *this),
            "\033[36m[chief-0]\033[0m   a\n\033[33m[worker-10]\033[0m b\n");
}

TEST_F(LiveViewTest, ATerminalObeysNoTask) {
  LiveView view = Make();
  view.Show(0, "\033[2Jx\ty\r\n\n\xff z\r50%\r100%\n");
  EXPECT_EQ(Shown(view, *this),
            "[chief-0]   \\x1b[2Jx\ty\n"
            "[chief-0]   \\xff z\n"
            "[chief-0]   50%\n"
            "[chief-0]   100%\n");
}

TEST_F(LiveViewTest, BreaksLongLines) {
  LiveView view = Make({.max_line = 4});
  view.Show(0, "0123456789\n");
  EXPECT_EQ(Shown(view, *this),
            "[chief-0]   0123\n[chief-0]   4567\n[chief-0]   89\n");
}

TEST_F(LiveViewTest, DoesNotWaitForItsReader) {
  LiveView view = Make({.max_kept = 10'000});
  const std::string line(99, 'x');
  const Clock::time_point start = clock_.Now();
  for (int i = 0; i < 10'000; ++i) {
    view.Show(0, line + "\n");
    view.Write();
  }
  EXPECT_GE(view.waits_for(), 0);
  EXPECT_EQ(clock_.Now(), start);
  view.Finish(kPatience);  // waits in vain for a reader
  EXPECT_EQ(clock_.Now() - start, kPatience);
  std::string text = Read();
  EXPECT_TRUE(absl::StartsWith(text, "[chief-0]   xxx"));
  view.Write();  // the stream has room again
  view.Note("read again");
  absl::StrAppend(&text, Shown(view, *this));
  EXPECT_TRUE(absl::StrContains(text, " lines are left out"));
  EXPECT_TRUE(absl::EndsWith(text, "[leat]      read again\n"));
  // A pipe holds 64 KiB, so only some of the lines were written.
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  EXPECT_LT(lines.size(), 2000u);
  EXPECT_THAT(lines[1], SizeIs(12 + 99));
}

TEST_F(LiveViewTest, GoesOnWithoutAReader) {
  reader_.Close();
  LiveView view = Make();
  std::signal(SIGPIPE, SIG_IGN);
  view.Show(0, "a\n");
  view.Write();
  view.Show(0, "b\n");
  EXPECT_EQ(view.waits_for(), -1);
  view.Finish(kPatience);
}

TEST_F(LiveViewTest, WritesToSocketsToo) {
  int ends[2] = {};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  SetEnds(ends);
  LiveView view = Make();
  view.Show(0, "a\n");
  EXPECT_EQ(Shown(view, *this), "[chief-0]   a\n");
  // Nobody reads the second megabyte, and the view must not wait for a reader.
  for (int i = 0; i < 2000; ++i) {
    view.Show(0, std::string(1000, 'y') + "\n");
    view.Write();
  }
  EXPECT_GE(view.waits_for(), 0);
}

}  // namespace
}  // namespace leat::live_view_test
