// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests collectives over processes, one of which is killed and started again.
// Each worker has a client of its own.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/session.h"

namespace leat::collective_processes_test {
namespace {

using testing::Becomes;
using testing::ServedCluster;

constexpr int kWorkers = 3;
constexpr absl::Duration kPatience = absl::Seconds(30);

// A Member is the program of one worker: it adds up its rank + 1 over all
// workers, again and again. After an error it makes a new session.
class Member {
 public:
  Member(const ServedCluster& cluster, int rank)
      : cluster_(cluster), rank_(rank), thread_("member", [this] { Run(); }) {}
  ~Member() { Stop(); }

  void Stop() {
    stops_ = true;
    thread_.Join();
  }
  // Returns the number of steps that have succeeded, and of those that failed.
  int done() const { return done_; }
  int failed() const { return failed_; }

 private:
  void Run() {
    GraphBuilder b;
    const Scope scope = b.OnDevice(absl::StrCat("/job:worker/task:", rank_));
    const Output x = b.Placeholder<float>("x");
    const Output sum =
        op::CollectiveReduce(x, kWorkers, 1, 1, "Add", "Id", {0});
    const Tensor input =
        Tensor::Filled<float>(Shape{100'000}, 1.0f + static_cast<float>(rank_));
    while (!stops_) {
      const auto session =
          NewSession(*b.Build(), {.target = cluster_.Target({"worker", rank_}),
                                  .connect_timeout = std::chrono::seconds(2)});
      while (session.ok() && !stops_) {
        const auto result =
            (*session)->Run({.feeds = {{x, input}},
                             .fetches = {sum},
                             .options = {.timeout = std::chrono::seconds(10)}});
        if (!result.ok()) {
          ++failed_;
          break;
        }
        EXPECT_EQ((*result)[0].data<float>()[99'999], 6);
        ++done_;
      }
    }
  }

  const ServedCluster& cluster_;
  const int rank_;
  std::atomic<bool> stops_{false};
  std::atomic<int> done_{0};
  std::atomic<int> failed_{0};
  Thread thread_;
};

TEST(CollectivesTest, AllFailWithAMemberThatIsKilledAndGoOnWithIt) {
  ServedCluster cluster(absl::StrCat("worker=", kWorkers), {"--grace=1"});
  std::vector<std::unique_ptr<Member>> members;
  for (int i = 0; i < kWorkers; ++i) {
    members.push_back(std::make_unique<Member>(cluster, i));
  }
  const auto all = [&](auto condition) {
    return Becomes([&] { return absl::c_all_of(members, condition); },
                   kPatience);
  };
  ASSERT_TRUE(all([](const auto& member) { return member->done() >= 10; }));
  for (const int victim : {1, 0}) {  // 0 is the leader
    std::vector<int> failed;
    for (const auto& member : members) failed.push_back(member->failed());
    cluster.Kill({"worker", victim});
    for (int i = 0; i < kWorkers; ++i) {
      EXPECT_TRUE(
          Becomes([&] { return members[i]->failed() > failed[i]; }, kPatience));
    }
    cluster.Start({"worker", victim});
    std::vector<int> done;
    for (const auto& member : members) done.push_back(member->done());
    for (int i = 0; i < kWorkers; ++i) {
      EXPECT_TRUE(Becomes([&] { return members[i]->done() >= done[i] + 10; },
                          kPatience))
          << "member " << i << " after the loss of " << victim;
    }
  }
  // The members stop one by one, so the last ones wait for their timeouts.
  for (const auto& member : members) member->Stop();
}

}  // namespace
}  // namespace leat::collective_processes_test
