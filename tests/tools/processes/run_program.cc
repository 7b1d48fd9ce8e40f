// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/tools/processes/run_program.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/processes.h"

namespace leat::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

}  // namespace

std::string Path(const std::string& name) {
  return absl::StrCat(::testing::TempDir(), "programs_test_", getpid(), "/",
                      name);
}

std::string Write(const std::string& name, const std::string& content) {
  std::ofstream(Path(name), std::ios::binary) << content;
  return Path(name);
}

std::string Content(const std::string& path) { return ReadFile(path); }

Ended RunProgram(const std::string& program,
                 const std::vector<std::string>& args,
                 const std::vector<std::string>& variables,
                 const std::string& out) {
  const std::string err = Path("err");
  unlink(Path("out").c_str());
  const pid_t pid = Spawn(program, args, variables, out, err);
  Ended ended;
  if (pid < 0) return ended;
  ended.code = std::max(-1, WaitFor(pid));
  if (out == Path("out")) ended.out = Content(out);
  ended.err = Content(err);
  return ended;
}

Ended Leat(const std::vector<std::string>& args,
           const std::vector<std::string>& variables) {
  return RunProgram(LEAT_PROGRAM_LEAT, args, variables);
}

Ended GraphDump(const std::vector<std::string>& args,
                const std::vector<std::string>& variables) {
  return RunProgram(LEAT_PROGRAM_GRAPH_DUMP, args, variables);
}

void ExpectEnd(const Ended& ended, int code, const std::string& message) {
  EXPECT_EQ(ended.code, code) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(message));
  if (code != 0) {
    EXPECT_THAT(ended.out, IsEmpty());
  }
}

}  // namespace leat::testing
