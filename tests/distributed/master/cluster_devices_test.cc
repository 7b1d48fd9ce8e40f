// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/cluster_devices.h"

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/testing/awaited.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::cluster_devices_test {
namespace {

using ::leat::testing::Awaited;
using ::leat::testing::SimulatedClock;
using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPs0[] = "/job:ps/replica:0/task:0";
constexpr char kPs1[] = "/job:ps/replica:0/task:1";
constexpr char kWorker[] = "/job:worker/replica:0/task:0";

DeviceInfo Cpu(const std::string& task, int id = 0) {
  return {.name = absl::StrCat(task, "/device:CPU:", id),
          .type = kCpu,
          .incarnation = 1};
}

PeerStatus Leat(const std::string& task) {
  return {.devices = {Cpu(task)}, .is_leat = true};
}

ClusterDevicesRequest Request(milliseconds timeout = milliseconds(60'000)) {
  return {.own_task = kWorker,
          .own_devices = {Cpu(kWorker), Cpu(kWorker, 1)},
          .tasks = {kPs0, kPs1, kWorker},
          .timeout = timeout};
}

class ClusterDevicesTest : public ::testing::Test {
 protected:
  absl::StatusOr<ClusterDevices> Get(FakeTaskCaller::OnGetStatus on_get_status,
                                     ClusterDevicesRequest request) {
    FakeTaskCaller tasks(
        {},
        [&](const std::string& task, const CallOptions& o) {
          asked_.push_back(task);
          return on_get_status(task, o);
        },
        clock_);
    Awaited<absl::StatusOr<ClusterDevices>> result;
    TimerQueue timers("test-timers", clock_);
    GetClusterDevices(tasks, timers, std::move(request),
                      [&](absl::StatusOr<ClusterDevices> devices) {
                        result.Set(std::move(devices));
                      });
    return result.Take();
  }

  static std::vector<std::string> Names(const ClusterDevices& cluster) {
    std::vector<std::string> names;
    for (const DeviceInfo& device : cluster.devices) {
      names.push_back(device.name);
    }
    return names;
  }

  SimulatedClock clock_;
  std::vector<std::string> asked_;
};

TEST_F(ClusterDevicesTest, ListsTheOwnTaskFirst) {
  const auto cluster = Get(
      [](const std::string& task, const CallOptions& options) {
        EXPECT_TRUE(options.wait_for_ready);
        EXPECT_TRUE(options.deadline.has_value());
        PeerStatus status = Leat(task);
        status.is_leat = task != kPs1;
        return status;
      },
      Request());
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_THAT(Names(*cluster),
              ElementsAre(Cpu(kWorker).name, Cpu(kWorker, 1).name,
                          Cpu(kPs0).name, Cpu(kPs1).name));
  EXPECT_THAT(cluster->tasks, ElementsAre(kWorker, kPs0, kPs1));
  EXPECT_THAT(cluster->foreign_tasks, ElementsAre(kPs1));
  EXPECT_THAT(asked_, ElementsAre(kPs0, kPs1));
}

TEST_F(ClusterDevicesTest, AsksOnlyTasksThatTheFiltersAllow) {
  ClusterDevicesRequest request = Request();
  request.filters = {DeviceName::Parse("/job:ps/task:1").value()};
  const auto cluster = Get(
      [](const std::string& task, const CallOptions&) { return Leat(task); },
      std::move(request));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_THAT(asked_, ElementsAre(kPs1));
  EXPECT_THAT(cluster->tasks, ElementsAre(kWorker, kPs1));
}

TEST_F(ClusterDevicesTest, FiltersDevicesOfOtherTasksToo) {
  ClusterDevicesRequest request = Request();
  request.filters = {DeviceName::Parse("/device:GPU:*").value()};
  const auto cluster = Get(
      [](const std::string& task, const CallOptions&) {
        PeerStatus status = Leat(task);
        status.devices.push_back(
            {.name = absl::StrCat(task, "/device:GPU:0"), .type = kGpu});
        return status;
      },
      std::move(request));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_THAT(Names(*cluster),
              ElementsAre(Cpu(kWorker).name, Cpu(kWorker, 1).name,
                          absl::StrCat(kPs0, "/device:GPU:0"),
                          absl::StrCat(kPs1, "/device:GPU:0")));
}

TEST_F(ClusterDevicesTest, OfATaskAloneNeedsNobody) {
  ClusterDevicesRequest request = Request();
  request.tasks = {kWorker};
  const auto cluster = Get(
      [](const std::string&, const CallOptions&) {
        return absl::InternalError("not to be asked");
      },
      std::move(request));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_THAT(cluster->tasks, ElementsAre(kWorker));
}

TEST_F(ClusterDevicesTest, AsksAgainWhoCannotBeReachedYet) {
  std::map<std::string, int> times;
  const auto cluster = Get(
      [&](const std::string& task,
          const CallOptions&) -> absl::StatusOr<PeerStatus> {
        if (++times[task] < 3) return absl::UnavailableError("starting");
        return Leat(task);
      },
      Request());
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(times[kPs0], 3);
  EXPECT_EQ(times[kPs1], 3);
}

TEST_F(ClusterDevicesTest, NamesTheTasksThatDidNotAnswer) {
  const auto cluster = Get(
      [](const std::string& task,
         const CallOptions&) -> absl::StatusOr<PeerStatus> {
        if (task == kPs0) return Leat(task);
        return absl::UnavailableError("connection refused");
      },
      Request(milliseconds(150)));
  EXPECT_TRUE(absl::IsUnavailable(cluster.status())) << cluster.status();
  EXPECT_THAT(cluster.status().message(), HasSubstr(kPs1));
  EXPECT_THAT(cluster.status().message(), Not(HasSubstr(kPs0)));
  EXPECT_THAT(cluster.status().message(), HasSubstr("connection refused"));
}

TEST_F(ClusterDevicesTest, TellsWhoseErrorItIs) {
  const auto cluster = Get(
      [](const std::string& task,
         const CallOptions&) -> absl::StatusOr<PeerStatus> {
        if (task == kPs0) return Leat(task);
        return absl::UnimplementedError("no such method");
      },
      Request());
  EXPECT_EQ(cluster.status(), absl::UnimplementedError(absl::StrCat(
                                  "From ", kPs1, ":\nno such method")));
}

TEST_F(ClusterDevicesTest, EndsWhenTheClientGivesUp) {
  ClusterDevicesRequest request = Request();
  request.cancellation = std::make_shared<Cancellation>();
  const auto cancellation = request.cancellation;
  const auto cluster = Get(
      [&](const std::string&, const CallOptions&) {
        cancellation->Cancel(absl::CancelledError("the client is gone"));
        return absl::UnavailableError("connection refused");
      },
      std::move(request));
  EXPECT_EQ(cluster.status(), absl::CancelledError("the client is gone"));
}

TEST_F(ClusterDevicesTest, ReportsWhoIsWaitedFor) {
  ClusterDevicesRequest request = Request();
  std::atomic<int> reports = 0;
  request.report_interval = milliseconds(5);
  request.on_waiting = [&](const std::vector<std::string>& waiting) {
    EXPECT_THAT(waiting, Contains(kPs1));
    ++reports;
  };
  const auto cluster = Get(
      [&](const std::string& task,
          const CallOptions&) -> absl::StatusOr<PeerStatus> {
        if (task == kPs1 && reports < 2) return absl::UnavailableError("");
        return Leat(task);
      },
      std::move(request));
  EXPECT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_GE(reports, 2);
}

}  // namespace
}  // namespace leat::cluster_devices_test
