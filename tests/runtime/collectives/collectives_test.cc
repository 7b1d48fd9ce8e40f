// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests collectives whose members are devices of one task.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::collectives_test {
namespace {

using ::testing::HasSubstr;
using Code = absl::StatusCode;

constexpr int kDevices = 3;

class CollectivesTest : public ::testing::Test {
 protected:
  // Adds `add(device)` on each device, and keeps the results.
  template <class Add>
  void OnEach(Add add) {
    for (int device = 0; device < kDevices; ++device) {
      const Scope scope = b.OnDevice(absl::StrCat("/device:CPU:", device));
      outputs.push_back(add(device));
    }
  }

  absl::StatusOr<std::vector<Tensor>> Run(
      std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
    if (session == nullptr) {
      auto made =
          NewTestSession(*b.Build(), {.devices = {.num_cpus = kDevices}});
      if (!made.ok()) return made.status();
      session = *made;
    }
    return session->Run({.fetches = {outputs.begin(), outputs.end()},
                         .options = {.timeout = timeout}});
  }

  // Expects that each device has the value in two steps.
  void ExpectEach(const Tensor& value) {
    for (int step = 0; step < 2; ++step) {
      const auto results = Run();
      ASSERT_TRUE(results.ok()) << results.status();
      for (const Tensor& result : *results) {
        EXPECT_EQ(result.DebugString(), value.DebugString());
      }
    }
  }

  GraphBuilder b;
  std::vector<Output> outputs;
  std::shared_ptr<Session> session;
};

TEST_F(CollectivesTest, ReduceCombinesAllInputs) {
  OnEach([&](int i) {
    return op::CollectiveReduce(
        b.Const(Tensor::Vector<float>({1.0f + i, 10.0f * i})), kDevices, 1, 1,
        "Add", "Div", {0});
  });
  ExpectEach(Tensor::Vector<float>({2, 10}));
}

TEST_F(CollectivesTest, ReduceTakesItsGroupFromInputs) {
  OnEach([&](int i) {
    return op::CollectiveReduceV2(b.Const(Tensor::Vector<int32_t>({i, -i})),
                                  kDevices, 1, 1, {}, "Max", "Id");
  });
  ExpectEach(Tensor::Vector<int32_t>({2, 0}));
}

TEST_F(CollectivesTest, ReduceDividesLargeTensors) {
  constexpr int64_t kElements = 300'000;
  OnEach([&](int i) {
    return op::CollectiveReduce(
        b.Const(Tensor::Filled<int64_t>(Shape{kElements}, i + 1)), kDevices, 1,
        1, "Mul", "Id", {0});
  });
  ExpectEach(Tensor::Filled<int64_t>(Shape{kElements}, 6));
}

TEST_F(CollectivesTest, GatherConcatenates) {
  OnEach([&](int i) {
    return op::CollectiveGather(
        b.Const(Tensor::Of<float>(Shape{1, 2}, {1.0f * i, 2.0f * i})), kDevices,
        1, 1, PartialShape{});
  });
  ExpectEach(Tensor::Of<float>(Shape{3, 2}, {0, 0, 1, 2, 2, 4}));
}

TEST_F(CollectivesTest, GatherTakesItsGroupFromInputs) {
  OnEach([&](int i) {
    return op::CollectiveGatherV2(b.Const(Tensor::Vector<double>({1.0 * i})),
                                  kDevices, 1, 1, {});
  });
  ExpectEach(Tensor::Vector<double>({0, 1, 2}));
}

TEST_F(CollectivesTest, BroadcastGivesAllTheSame) {
  const Tensor value = Tensor::Vector<float>({5, 6});
  OnEach([&](int i) {
    return i == 1 ? op::CollectiveBcastSend(b.Const(value), kDevices, 1, 1,
                                            PartialShape{2})
                  : op::CollectiveBcastRecv(b, DType::kFloat, kDevices, 1, 1,
                                            PartialShape{2});
  });
  ExpectEach(value);
}

TEST_F(CollectivesTest, BroadcastTakesItsGroupFromInputs) {
  const Tensor value = Tensor::Vector<bool>({true, false});
  OnEach([&](int i) {
    return i == 2 ? op::CollectiveBcastSendV2(b.Const(value), kDevices, 1, 1)
                  : op::CollectiveBcastRecvV2(
                        kDevices, 1, 1, b.Const(Tensor::Vector<int32_t>({2})),
                        DType::kBool);
  });
  ExpectEach(value);
}

TEST_F(CollectivesTest, MembersMustAgreeAboutTheShape) {
  OnEach([&](int i) {
    return op::CollectiveReduceV2(
        b.Const(Tensor::Filled<float>(Shape{2 + i / 2}, 1)), kDevices, 1, 1, {},
        "Add", "Id");
  });
  const absl::Status status = Run().status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status;
  EXPECT_THAT(status.message(),
              HasSubstr("Shape mismatch in the collective instance 1"));
}

TEST_F(CollectivesTest, MembersMustAgreeAboutTheSize) {
  OnEach([&](int i) {
    return op::CollectiveReduce(b.Const(1.0f), i == 0 ? 2 : kDevices, 1, 1,
                                "Add", "Id", {0});
  });
  const absl::Status status = Run().status();
  EXPECT_EQ(status.code(), Code::kInternal) << status;
  EXPECT_THAT(status.message(), HasSubstr("is joining a group"));
}

TEST_F(CollectivesTest, AMissingMemberIsWaitedForUntilTheTimeout) {
  const auto clock = SimulateTime();
  outputs.push_back(op::CollectiveReduce(b.Const(1.0f), 2, 1, 1, "Add", "Id",
                                         {0}, {.timeout_seconds = 2}));
  const absl::Status status = Run().status();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status;
  EXPECT_THAT(status.message(),
              HasSubstr("Collective has timed out waiting for other workers."));
  session = nullptr;
}

TEST_F(CollectivesTest, AStepThatWaitsForAMemberCanEnd) {
  const auto clock = SimulateTime();
  outputs.push_back(
      op::CollectiveReduce(b.Const(1.0f), 2, 1, 1, "Add", "Id", {0}));
  EXPECT_EQ(Run(std::chrono::seconds(1)).status().code(),
            Code::kDeadlineExceeded);
  session = nullptr;
}

TEST_F(CollectivesTest, BadGroupsAreRefused) {
  outputs.push_back(
      op::CollectiveReduceV2(b.Const(1.0f), 0, 1, 1, {}, "Add", "Id"));
  EXPECT_THAT(Run().status().message(),
              HasSubstr("group_size must be positive integer but got 0"));
}

TEST_F(CollectivesTest, AHugeGroupIsRefused) {
  outputs.push_back(
      op::CollectiveReduceV2(b.Const(1.0f), INT32_MAX, 1, 1, {}, "Add", "Id"));
  EXPECT_EQ(Run().status().code(), Code::kResourceExhausted);
}

TEST_F(CollectivesTest, AssignGroupFindsTheRowOfTheDevice) {
  const auto groups = op::CollectiveAssignGroupV2(
      b.Const(Tensor::Of<int32_t>(Shape{2, 2}, {0, 1, 2, 3})), 3, 10);
  outputs.push_back(groups.group_size);
  outputs.push_back(groups.group_key);
  const auto results = Run();
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].scalar<int32_t>(), 2);
  EXPECT_EQ((*results)[1].scalar<int32_t>(), 11);
}

}  // namespace
}  // namespace leat::collectives_test
