// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests `leat serve --dump-dir` as a process.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::dump_dir_test {
namespace {

using testing::AddressOf;
using testing::ArgsUnder;
using ::testing::HasSubstr;
using testing::Process;
using testing::ReadFile;
using testing::ServeAlone;

constexpr int kExitUsage = 2;  // wrong flags

std::vector<std::string> ServeWith(const std::string& folder) {
  std::vector<std::string> args = ServeAlone();
  args.insert(args.end(), {"--dump-dir", folder});
  return args;
}

TEST(DumpDirTest, HasThePlansOfClients) {
  const TemporaryFolder folder;
  Process server(LEAT_PROGRAM_LEAT, ServeWith(folder.Path("")));
  const std::string line = server.FirstLine();
  const absl::string_view address =
      absl::StripPrefix(line, "ready /job:ps/replica:0/task:0 ");
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", PartialShape({2}));
  const Output y = op::Neg(x);
  auto session =
      NewRemoteSession(b.Build().value(), absl::StrCat("grpc://", address), {});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_TRUE(std::filesystem::is_empty(folder.Path("")));
  for (int i = 0; i < 2; ++i) {
    const auto out = (*session)->Run(
        {.feeds = {{x, Tensor::Of<float>(Shape{2}, {1, 2})}}, .fetches = {y}});
    ASSERT_TRUE(out.ok()) << out.status();
  }
  std::vector<std::filesystem::path> sessions;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.Path(""))) {
    sessions.push_back(entry.path());
  }
  ASSERT_EQ(sessions.size(), 1);
  EXPECT_EQ(sessions[0].filename().string().size(), 8);
  EXPECT_THAT(ReadFile(sessions[0] / "0-ps-0.pbtxt"), HasSubstr("op: \"Neg\""));
  EXPECT_THAT(ReadFile(sessions[0] / "plan.txt"),
              HasSubstr("plan 0: partitioned graph of "));
  EXPECT_FALSE(std::filesystem::exists(sessions[0] / "1-ps-0.pbtxt"));
  EXPECT_EQ(server.Err(), "");
}

TEST(DumpDirTest, HasNoMorePlansThanTheFlagSays) {
  const TemporaryFolder folder;
  std::vector<std::string> args = ServeWith(folder.Path(""));
  args.insert(args.end(), {"--max-dumped-plans", "2"});
  Process server(LEAT_PROGRAM_LEAT, args);
  const std::string line = server.FirstLine();
  const absl::string_view address =
      absl::StripPrefix(line, "ready /job:ps/replica:0/task:0 ");
  GraphBuilder b;
  std::vector<Output> outputs = {b.Const(1.0f)};
  while (outputs.size() < 4) outputs.push_back(op::Neg(outputs.back()));
  auto session =
      NewRemoteSession(b.Build().value(), absl::StrCat("grpc://", address), {});
  ASSERT_TRUE(session.ok()) << session.status();
  // Each fetch has a plan of its own.
  for (const Output& output : outputs) {
    const auto out = (*session)->Run({.fetches = {output}});
    ASSERT_TRUE(out.ok()) << out.status();
  }
  int plans = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder.Path(""))) {
    plans += entry.path().extension() == ".pbtxt" ? 1 : 0;
  }
  EXPECT_EQ(plans, 2);
  EXPECT_THAT(server.Err(), HasSubstr("has 2 plans; no more are written"));
}

TEST(DumpDirTest, StepsGoOnWhenThePlanFindsNoRoom) {
  const TemporaryFolder folder;
  // The limit allows only files of at most 512 bytes, and the dumped plan is
  // longer.
  Process server("/bin/sh", ArgsUnder("-f 1", LEAT_PROGRAM_LEAT,
                                      ServeWith(folder.Path(""))));
  GraphBuilder b;
  Output last = b.Const(1.0f);
  for (int i = 0; i < 20; ++i) last = op::Tanh(last);
  auto session = NewRemoteSession(b.Build().value(),
                                  absl::StrCat("grpc://", AddressOf(server)));
  ASSERT_TRUE(session.ok()) << session.status();
  for (int i = 0; i < 2; ++i) {
    const auto out = (*session)->Run({.fetches = {last}});
    EXPECT_TRUE(out.ok()) << out.status();
  }
  EXPECT_THAT(server.Err(), HasSubstr("File too large"));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 128 + SIGTERM);
}

TEST(DumpDirTest, WantsOnePlanAtLeast) {
  const TemporaryFolder folder;
  std::vector<std::string> args = ServeWith(folder.Path(""));
  args.insert(args.end(), {"--max-dumped-plans", "0"});
  Process server(LEAT_PROGRAM_LEAT, args);
  EXPECT_EQ(server.Wait(), kExitUsage) << server.Err();
  EXPECT_THAT(server.Err(), HasSubstr("--max-dumped-plans"));
}

TEST(DumpDirTest, IsRefusedWhenNothingCanBeWrittenThere) {
  const TemporaryFolder folder;
  for (const std::string& wrong : {folder.Path("gone"), std::string("/proc")}) {
    Process server(LEAT_PROGRAM_LEAT, ServeWith(wrong));
    EXPECT_EQ(server.Wait(), kExitUsage) << server.Err();
    EXPECT_THAT(server.Err(), HasSubstr(wrong));
    EXPECT_EQ(server.Out(), "");
  }
}

}  // namespace
}  // namespace leat::dump_dir_test
