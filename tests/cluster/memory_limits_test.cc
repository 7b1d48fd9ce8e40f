// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests a task whose clients want more memory than its process may use. Each
// request must either succeed or be refused with an error that names the limit,
// and the task must then serve the next step.
#include <csignal>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/memory_group.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/sanitizers.h"

namespace leat::memory_limits_test {
namespace {

using testing::AddressOf;
using ::testing::AnyOf;
using testing::Eventually;
using ::testing::HasSubstr;
using testing::kHasSanitizer;
using testing::MemoryGroup;
using testing::Process;
using testing::ServeAlone;
using testing::ServeAloneUnder;

constexpr char kTakesMore[] =
    "a sanitizer takes terabytes of address space, and more memory";
constexpr char kNoGroups[] =
    "NOT TESTED: this user may not make control groups that limit memory";

// Returns the arguments of a shell that limits its address space and becomes
// `leat serve`.
std::vector<std::string> ServeWith(int64_t kibibytes) {
  return ServeAloneUnder(LEAT_PROGRAM_LEAT, absl::StrCat("-v ", kibibytes));
}

// Is a script that puts 110 MB into a file in memory, and then runs a program
// in place of itself.
constexpr char kHoldMemoryAndBecome[] = R"(
    set -e
    file=$(mktemp -p /dev/shm leat_test_XXXXXX)
    exec 3<>"$file"
    rm "$file"
    head -c 110000000 /dev/zero >&3
    exec "$0" "$@")";

// Holds the limit on the memory of the server.
struct Limit {
  int64_t kibibytes = 0;
  bool is_of_group = false;  // if false, the limit is on the address space
};
void PrintTo(const Limit& limit, std::ostream* out) {
  *out << limit.kibibytes << (limit.is_of_group ? " KiB of a group" : " KiB");
}

class MemoryLimitsTest : public ::testing::TestWithParam<Limit> {
 protected:
  void SetUp() override {
    if (kHasSanitizer) GTEST_SKIP() << kTakesMore;
    if (!GetParam().is_of_group) return;
    group_ = std::make_unique<MemoryGroup>(GetParam().kibibytes * 1024);
    if (!group_->is_made()) GTEST_SKIP() << kNoGroups;
  }

  // Starts a server with little memory.
  std::unique_ptr<Process> Serve() {
    return std::make_unique<Process>(
        "/bin/sh", group_ == nullptr
                       ? ServeWith(GetParam().kibibytes)
                       : group_->Enter(LEAT_PROGRAM_LEAT, ServeAlone()));
  }
  static std::string TargetOf(Process& server) {
    return absl::StrCat("grpc://", AddressOf(server));
  }

 private:
  std::unique_ptr<MemoryGroup> group_;
};

// Expects that a request succeeded, or that it was refused with an error that
// names a flag.
void ExpectDoneOrRefused(const absl::Status& status) {
  if (status.ok()) return;
  // ABORTED means that there was no memory because of other requests.
  EXPECT_TRUE(absl::IsResourceExhausted(status) || absl::IsAborted(status))
      << status;
  EXPECT_THAT(std::string(status.message()),
              AnyOf(HasSubstr("--max-transport-bytes"), HasSubstr("--memory"),
                    HasSubstr("--max-session-bytes")));
}

TEST_P(MemoryLimitsTest, RefusesFeedsThatAreTooLarge) {
  const auto server = Serve();
  GraphBuilder b;
  const Output x = op::Placeholder(b, DType::kFloat);
  const Output sum = op::Sum(x, {0});
  const auto session = NewRemoteSession(*b.Build(), TargetOf(*server));
  ASSERT_TRUE(session.ok()) << session.status();
  // ABORTED asks for another try: an earlier request still had the memory.
  // UNAVAILABLE does, too: a gRPC server that is short of memory gives up
  // connections, and does not process a call that has just begun on one.
  const auto run = [&](int64_t bytes) {
    const Tensor fed = Tensor::Filled(Shape{bytes / 4}, 1.0f);
    absl::Status status;
    EXPECT_TRUE(Eventually([&] {
      status = (*session)
                   ->Run({.feeds = {{x.name(), fed}}, .fetches = {sum.name()}})
                   .status();
      return !absl::IsAborted(status) && !absl::IsUnavailable(status);
    }));
    return status;
  };
  EXPECT_EQ(run(4000), absl::OkStatus());
  for (const int64_t megabytes : {240, 800}) {
    ExpectDoneOrRefused(run(megabytes * 1'000'000));
    EXPECT_EQ(run(4000), absl::OkStatus());
  }
  // The server has less memory than these 1.2 GB.
  EXPECT_EQ(run(1'200'000'000).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(run(4000), absl::OkStatus());
  EXPECT_TRUE(server->IsRunning()) << server->Err();
}

TEST_P(MemoryLimitsTest, RefusesGraphsThatAreTooLarge) {
  const auto server = Serve();
  const std::string target = TargetOf(*server);
  GraphBuilder small;
  const Output one = small.Const(1.0f);
  GraphBuilder large;
  Output last = large.Const(1.0f);
  for (int i = 0; i < 200'000; ++i) last = op::Tanh(last);
  const auto run = [&](const Graph& graph, const Output& fetched) {
    const auto session = NewRemoteSession(graph, target);
    if (!session.ok()) return session.status();
    return (*session)->Run({.fetches = {fetched.name()}}).status();
  };
  ExpectDoneOrRefused(run(*large.Build(), last));
  EXPECT_EQ(run(*small.Build(), one), absl::OkStatus());
  EXPECT_TRUE(server->IsRunning()) << server->Err();
}

// Several clients make sessions at the same time and do not close them, until
// no memory is left for another session. The request for a session has less
// than 64 KiB.
TEST_P(MemoryLimitsTest, RefusesSessionsThatAreTooMany) {
  const auto server = Serve();
  const std::string target = TargetOf(*server);
  GraphBuilder b;
  Output last = b.Const(1.0f);
  for (int i = 0; i < 1'000; ++i) last = op::Tanh(last);
  const Graph graph = *b.Build();
  std::vector<std::vector<std::shared_ptr<Session>>> sessions(8);
  std::vector<absl::Status> statuses(sessions.size());
  std::vector<std::thread> clients;
  for (size_t i = 0; i < sessions.size(); ++i) {
    clients.emplace_back([&, i] {
      while (statuses[i].ok() && sessions[i].size() < 60) {
        const auto session = NewRemoteSession(graph, target);
        statuses[i] = session.status();
        if (!session.ok()) return;
        sessions[i].push_back(*session);
        statuses[i] = (*session)->Run({.fetches = {last.name()}}).status();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  for (const absl::Status& status : statuses) ExpectDoneOrRefused(status);
  EXPECT_TRUE(server->IsRunning()) << server->Err();
  ASSERT_GE(sessions[0].size(), 1u);
  // When sessions end, their memory is freed.
  for (size_t i = 1; i < sessions.size(); ++i) sessions[i].clear();
  EXPECT_EQ(sessions[0][0]->Run({.fetches = {last.name()}}).status(),
            absl::OkStatus());
}

TEST(MemoryToStartTest, ATaskWithTooLittleSaysHowMuchItNeeds) {
  if (kHasSanitizer) GTEST_SKIP() << kTakesMore;
  Process server("/bin/sh", ServeWith(160'000));
  EXPECT_EQ(server.Wait(), 1);
  EXPECT_EQ(server.Out(), "");
  EXPECT_THAT(server.Err(),
              HasSubstr("this process may use 163840000 bytes of memory"));
  EXPECT_THAT(server.Err(), HasSubstr("(ulimit -v "));
}

INSTANTIATE_TEST_SUITE_P(Kibibytes, MemoryLimitsTest,
                         ::testing::Values(Limit{250'000}, Limit{400'000},
                                           Limit{1'000'000}));
INSTANTIATE_TEST_SUITE_P(OfAGroup, MemoryLimitsTest,
                         ::testing::Values(Limit{250'000, true},
                                           Limit{400'000, true},
                                           Limit{1'000'000, true}));

TEST(MemoryToStartTest, ATaskCountsAllThatItsGroupUses) {
  if (kHasSanitizer) GTEST_SKIP() << kTakesMore;
  const MemoryGroup group(160'000'000);
  if (!group.is_made()) GTEST_SKIP() << kNoGroups;
  std::vector<std::string> args = {"-c", kHoldMemoryAndBecome,
                                   LEAT_PROGRAM_LEAT};
  for (const std::string& each : ServeAlone()) args.push_back(each);
  Process server("/bin/sh", group.Enter("/bin/sh", args));
  EXPECT_EQ(server.Wait(), 1);
  if (absl::StrContains(server.Err(), "No space left")) {
    GTEST_SKIP() << "NOT TESTED: /dev/shm is too small";
  }
  EXPECT_THAT(server.Err(), HasSubstr("(the container's or the machine's)"));
}

}  // namespace
}  // namespace leat::memory_limits_test
