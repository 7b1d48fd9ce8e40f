// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/slice_runs.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace leat::slice_runs_test {
namespace {

// Returns, for each element of the part `box`, its index in the whole tensor of
// shape `full`.
std::vector<int64_t> Elements(const Box& box, const Shape& full) {
  std::vector<int64_t> elements = {0};
  for (int i = 0; i < full.rank(); ++i) {
    std::vector<int64_t> next;
    for (const int64_t element : elements) {
      for (int64_t k = 0; k < box.length[i]; ++k) {
        next.push_back(element * full.dim(i) + box.start[i] + k);
      }
    }
    elements = std::move(next);
  }
  return elements;
}

TEST(SliceRunsTest, FindsEachCommonElementOnce) {
  std::mt19937 random(1);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  int num_runs = 0;
  for (int round = 0; round < 2000; ++round) {
    Dims dims;
    Box from, to;
    const int rank = static_cast<int>(below(5));
    for (int i = 0; i < rank; ++i) {
      dims.push_back(1 + below(5));
      for (Box* box : {&from, &to}) {
        const bool is_whole = below(2) == 0;
        box->start.push_back(is_whole ? 0 : below(dims[i]));
        box->length.push_back(is_whole ? dims[i]
                                       : 1 + below(dims[i] - box->start[i]));
      }
    }
    const Shape full = Shape::Create(dims).value();
    const std::vector<int64_t> in_from = Elements(from, full);
    const std::vector<int64_t> in_to = Elements(to, full);
    std::vector<int> seen(in_from.size());
    int64_t end = 0;
    ASSERT_TRUE(ForEachRun(from, to, [&](const SliceRun& run) {
                  EXPECT_GE(run.from, end);
                  end = run.from + run.count;
                  ++num_runs;
                  for (int64_t k = 0; k < run.count; ++k) {
                    EXPECT_EQ(in_from.at(run.from + k), in_to.at(run.to + k));
                    ++seen.at(run.from + k);
                  }
                  return absl::OkStatus();
                }).ok());
    int64_t common = 0;
    for (size_t i = 0; i < in_from.size(); ++i) {
      const bool is_common =
          std::find(in_to.begin(), in_to.end(), in_from[i]) != in_to.end();
      EXPECT_EQ(seen[i], is_common ? 1 : 0);
      common += is_common ? 1 : 0;
    }
    EXPECT_EQ(NumCommonElements(from, to), common);
    EXPECT_EQ(Overlap(from, to), common > 0);
  }
  EXPECT_GT(num_runs, 2000);
}

TEST(SliceRunsTest, EqualPartsAreOneRun) {
  const Box box = {{1, 2, 3}, {4, 5, 6}};
  int runs = 0;
  ASSERT_TRUE(ForEachRun(box, box, [&](const SliceRun& run) {
                EXPECT_EQ(run.count, 4 * 5 * 6);
                ++runs;
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(runs, 1);
}

TEST(SliceRunsTest, StopsAtAnError) {
  const Box from = {{0, 0}, {4, 4}};
  const Box to = {{0, 0}, {4, 2}};
  int runs = 0;
  EXPECT_EQ(ForEachRun(from, to,
                       [&](const SliceRun&) {
                         return ++runs == 2 ? absl::DataLossError("x")
                                            : absl::OkStatus();
                       })
                .code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace leat::slice_runs_test
