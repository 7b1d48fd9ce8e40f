// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/tools/run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::Duration kTimeout = absl::Seconds(60);

}  // namespace

std::string Path(const std::string& name) {
  return absl::StrCat(::testing::TempDir(), "programs_test_", getpid(), "/",
                      name);
}

std::string Write(const std::string& name, const std::string& content) {
  std::ofstream(Path(name), std::ios::binary) << content;
  return Path(name);
}

std::string Content(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

Ended RunProgram(const std::string& program,
                 const std::vector<std::string>& args,
                 const std::vector<std::string>& variables,
                 const std::string& out) {
  const std::string err = Path("err");
  unlink(Path("out").c_str());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), kWrite, 0600);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& arg : args) {
    argv.push_back(const_cast<char*>(arg.c_str()));
  }
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (char** each = environ; *each != nullptr; ++each) {
    const absl::string_view text = *each;
    if (!absl::StartsWith(text, "LEAT_") && !absl::StartsWith(text, "TERM=") &&
        !absl::StartsWith(text, "NO_COLOR=")) {
      environment.push_back(*each);
    }
  }
  for (const std::string& variable : variables) {
    environment.push_back(const_cast<char*>(variable.c_str()));
  }
  environment.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr,
                                argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  Ended ended;
  EXPECT_EQ(error, 0) << program;
  if (error != 0) return ended;
  int status = 0;
  const absl::Time deadline = absl::Now() + kTimeout;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (absl::Now() > deadline) {
      ADD_FAILURE() << program << " does not end";
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      break;
    }
    absl::SleepFor(absl::Milliseconds(2));
  }
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  if (out == Path("out")) ended.out = Content(out);
  ended.err = Content(err);
  return ended;
}

void ExpectEnd(const Ended& ended, int code, const std::string& message) {
  EXPECT_EQ(ended.code, code) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(message));
  if (code != 0) {
    EXPECT_THAT(ended.out, IsEmpty());
  }
}

}  // namespace leat::testing
