// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the schedules of collectives: the members of each group carry them out
// together, in memory.
#include "leat/kernels/collectives/collective_schedule.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace leat::collective_schedule_test {
namespace {

using Kind = CollectiveAction::Kind;
using Values = std::vector<int64_t>;

// Returns a group of `tasks` tasks, of which task i has `devices` + i % 2.
CollectiveGroup GroupOf(int tasks, int devices) {
  CollectiveGroup group;
  for (int task = 0; task < tasks; ++task) {
    for (int i = 0; i < devices + task % 2; ++i) {
      const std::string name = absl::StrCat("/job:worker/task:", task);
      group.members.push_back(
          {.device = {.name = absl::StrCat(name, "/device:CPU:", i)},
           .task = name});
    }
  }
  return group;
}

// Carries out the schedules of all members, whose tensors are `data`. A merge
// adds, and the final operation negates. Fails the test if a schedule does not
// end, or if a buffer is left.
void CarryOut(std::vector<CollectiveSchedule> schedules,
              std::vector<Values>& data) {
  std::map<std::tuple<int, int, std::string>, Values> buffers;
  std::vector<std::vector<size_t>> next(schedules.size());
  for (size_t i = 0; i < schedules.size(); ++i) {
    next[i].resize(schedules[i].lanes.size());
  }
  const auto step = [&](int rank, const CollectiveAction& action) {
    Values& values = data[static_cast<size_t>(rank)];
    const auto begin = values.begin() + action.range.begin;
    const auto end = values.begin() + action.range.end;
    if (action.kind == Kind::kFinish) {
      for (auto value = begin; value != end; ++value) *value = -*value;
      return true;
    }
    if (action.kind == Kind::kSend) {
      return buffers.try_emplace({rank, action.peer, action.name}, begin, end)
          .second;
    }
    const auto found = buffers.find({action.peer, rank, action.name});
    if (found == buffers.end()) return false;
    const Values received = std::move(found->second);
    buffers.erase(found);
    EXPECT_EQ(static_cast<int64_t>(received.size()), action.range.size());
    for (size_t i = 0; i < received.size(); ++i) {
      auto& value = *(begin + static_cast<int64_t>(i));
      value = received[i] + (action.kind == Kind::kMerge ? value : 0);
    }
    return true;
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (size_t rank = 0; rank < schedules.size(); ++rank) {
      for (size_t lane = 0; lane < next[rank].size(); ++lane) {
        const CollectiveLane& actions = schedules[rank].lanes[lane];
        size_t& at = next[rank][lane];
        while (at < actions.size() &&
               step(static_cast<int>(rank), actions[at])) {
          ++at;
          goes_on = true;
        }
      }
    }
  }
  EXPECT_TRUE(buffers.empty());
  for (size_t rank = 0; rank < schedules.size(); ++rank) {
    for (size_t lane = 0; lane < next[rank].size(); ++lane) {
      EXPECT_EQ(next[rank][lane], schedules[rank].lanes[lane].size());
    }
  }
}

// Returns the tensors of all members, and their sum, negated.
std::pair<std::vector<Values>, Values> Inputs(int size, int64_t elements) {
  std::vector<Values> inputs(static_cast<size_t>(size));
  Values result(static_cast<size_t>(elements));
  for (int rank = 0; rank < size; ++rank) {
    for (int64_t i = 0; i < elements; ++i) {
      inputs[static_cast<size_t>(rank)].push_back((rank + 1) * 1000 + i);
      result[static_cast<size_t>(i)] -= (rank + 1) * 1000 + i;
    }
  }
  return {inputs, result};
}

// Calls `check(group)` with groups of many forms.
template <class Check>
void ForGroups(Check check) {
  for (int tasks = 1; tasks <= 9; ++tasks) {
    for (int devices = 1; devices <= 3; ++devices) {
      SCOPED_TRACE(absl::StrCat(tasks, " tasks, ", devices, " devices"));
      check(GroupOf(tasks, devices));
    }
  }
}

TEST(CollectiveScheduleTest, RingsReduce) {
  ForGroups([](const CollectiveGroup& group) {
    if (group.size() == 1) return;
    for (const int64_t elements : {0, 1, 5, 100, 1000}) {
      for (const RingSections& sections :
           {RingSections{}, RingSections{{0, -1}}, RingSections{{0, 0, 0}}}) {
        auto [data, sum] = Inputs(group.size(), elements);
        std::vector<CollectiveSchedule> schedules;
        for (int rank = 0; rank < group.size(); ++rank) {
          schedules.push_back(RingReduction(group, rank, elements,
                                            /*element_bytes=*/4, sections));
        }
        CarryOut(std::move(schedules), data);
        for (const Values& result : data) EXPECT_EQ(result, sum);
      }
    }
  });
}

TEST(CollectiveScheduleTest, HalvingReduces) {
  ForGroups([](const CollectiveGroup& group) {
    if (group.size() == 1) return;
    for (const int64_t elements : {0, 1, 5, 100}) {
      auto [data, sum] = Inputs(group.size(), elements);
      std::vector<CollectiveSchedule> schedules;
      for (int rank = 0; rank < group.size(); ++rank) {
        schedules.push_back(HalvingReduction(group, rank, elements));
      }
      CarryOut(std::move(schedules), data);
      for (const Values& result : data) EXPECT_EQ(result, sum);
    }
  });
}

TEST(CollectiveScheduleTest, RingsGather) {
  ForGroups([](const CollectiveGroup& group) {
    const int64_t elements = group.size() * int64_t{3};
    Values all;
    for (int64_t i = 0; i < elements; ++i) all.push_back(i);
    std::vector<Values> data;
    std::vector<CollectiveSchedule> schedules;
    for (int rank = 0; rank < group.size(); ++rank) {
      Values own(all.size(), -1);
      for (size_t i = 0; i < 3; ++i) {
        own[static_cast<size_t>(rank) * 3 + i] = rank * 3 + static_cast<int>(i);
      }
      data.push_back(std::move(own));
      schedules.push_back(RingGather(group, rank, elements));
    }
    CarryOut(std::move(schedules), data);
    for (const Values& result : data) EXPECT_EQ(result, all);
  });
}

TEST(CollectiveScheduleTest, TreesBroadcastFromEverySource) {
  ForGroups([](const CollectiveGroup& group) {
    for (int source = 0; source < group.size(); ++source) {
      std::vector<Values> data;
      std::vector<CollectiveSchedule> schedules;
      for (int rank = 0; rank < group.size(); ++rank) {
        data.push_back(rank == source ? Values{7, 8} : Values{0, 0});
        schedules.push_back(TreeBroadcast(group, rank, source, 2));
      }
      CarryOut(std::move(schedules), data);
      for (const Values& result : data) EXPECT_EQ(result, (Values{7, 8}));
    }
  });
}

// The lengths are those of TensorFlow, whose members they must fit.
TEST(CollectiveScheduleTest, FieldsHaveTheLengthsOfTensorFlow) {
  const CollectiveGroup group = GroupOf(1, 2);
  const auto lengths = [&](int64_t elements) {
    std::vector<int64_t> result;
    for (const CollectiveLane& lane :
         RingReduction(group, 0, elements, 4, {}).lanes) {
      result.push_back(lane.front().range.size());
    }
    return result;
  };
  EXPECT_EQ(lengths(5), (std::vector<int64_t>{5}));
  EXPECT_EQ(lengths(32), (std::vector<int64_t>{32}));  // 64 bytes and 64 more
  EXPECT_EQ(lengths(100), (std::vector<int64_t>{64, 36}));
}

}  // namespace
}  // namespace leat::collective_schedule_test
