// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what the programs write to terminals: colours, and nothing from a graph
// that a terminal would obey.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/tools/processes/run_program.h"

namespace leat::terminal_test {
namespace {

using ::leat::testing::Ended;
using ::leat::testing::GraphDump;
using ::leat::testing::Leat;
using ::leat::testing::Path;
using ::leat::testing::RunProgram;
using ::leat::testing::Write;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TerminalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(Path(""));
    graph_ = Write("model.pbtxt", R"(
      node { name: "x" op: "Placeholder"
             attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "y" op: "Neg" input: "x"
             attr { key: "T" value { type: DT_FLOAT } } }
    )");
  }
  void TearDown() override { std::filesystem::remove_all(Path("")); }

  std::string graph_;
};

TEST_F(TerminalTest, HaveNoColourWhereNobodySeesIt) {
  EXPECT_THAT(GraphDump({graph_}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(Leat({"ops"}).out, Not(HasSubstr("\x1b")));
}

// Opens both ends of a pseudoterminal. Not every sandbox has terminals. If
// there are none, `failure` names the call that failed.
struct Terminal {
  Terminal() { Open(); }
  ~Terminal() {
    if (kept_open >= 0) close(kept_open);
    if (file >= 0) close(file);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void Open() {
    file = posix_openpt(O_RDWR | O_NOCTTY);
    if (file < 0) return Fail("posix_openpt");
    if (grantpt(file) != 0) return Fail("grantpt");
    if (unlockpt(file) != 0) return Fail("unlockpt");
    const char* const path = ptsname(file);
    if (path == nullptr) return Fail("ptsname");
    name = path;
    kept_open = open(path, O_RDWR | O_NOCTTY);
    if (kept_open < 0) return Fail("open");
  }
  void Fail(const char* function) {
    failure = absl::StrCat(function, ": ", std::strerror(errno));
  }

  int file = -1;
  int kept_open = -1;
  std::string name = {};
  std::string failure = {};
};

// Returns what graph-dump writes to a terminal. The text must be short, because
// a terminal holds only about 4 KiB that nobody has read.
std::string OnTerminal(const Terminal& terminal, const std::string& model,
                       const std::vector<std::string>& variables) {
  const Ended ended =
      RunProgram(LEAT_PROGRAM_GRAPH_DUMP, {model}, variables, terminal.name);
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::string text;
  pollfd ready = {.fd = terminal.file, .events = POLLIN, .revents = 0};
  // The kernel may need some time to deliver the first bytes.
  while (poll(&ready, 1, text.empty() ? 10'000 : 200) > 0) {
    char bytes[4096];
    const ssize_t count = read(terminal.file, bytes, sizeof(bytes));
    if (count <= 0) break;
    text.append(bytes, static_cast<size_t>(count));
  }
  return text;
}

TEST_F(TerminalTest, HaveColourOnATerminalUnlessNoColorForbidsIt) {
  const Terminal terminal;
  if (!terminal.failure.empty()) {
    GTEST_SKIP() << "NOT TESTED: the colours on a terminal. This system gives "
                    "none: "
                 << terminal.failure;
  }
  EXPECT_THAT(OnTerminal(terminal, graph_, {"TERM=xterm", "NO_COLOR="}),
              HasSubstr("\x1b["));
  for (const char* setting : {"TERM=xterm NO_COLOR=1", "TERM=dumb NO_COLOR="}) {
    EXPECT_THAT(OnTerminal(terminal, graph_, absl::StrSplit(setting, ' ')),
                AllOf(HasSubstr("Neg"), Not(HasSubstr("\x1b"))));
  }
}

TEST_F(TerminalTest, EscapeWhatATerminalWouldObey) {
  const std::string evil = Write("evil.pbtxt", R"(
    node { name: "a" op: "NoOp" }
    node { name: "x\033[31mred" op: "NoOp" device: "\033]0;t\007" })");
  for (const Ended& ended :
       {GraphDump({evil, "--stage", "imported"}), GraphDump({evil}),
        Leat({"run", evil}), Leat({"run", graph_, "--fetch", "\x1b[31m"}),
        Leat({"\x1b[31m"}), Leat({"run", Path("\x1b[31m")})}) {
    EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("\x1b")));
    EXPECT_THAT(ended.out + ended.err, HasSubstr("\\x1b"));
  }
}

}  // namespace
}  // namespace leat::terminal_test
