// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs every case of tests/op_cases/*.jsonl (see make_cases.py) on a kernel.
// Compares the outputs, or the error, with TensorFlow's. Then makes each
// allocation of the kernel fail in turn.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/tests/testing/failing_allocations.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/nth_failure.h"
#include "leat/tests/testing/op_case_json.h"

namespace leat::op_cases_test {
namespace {

using nlohmann::json;
using testing::FailingAllocations;
using testing::NthFailure;

std::vector<std::string> CaseFiles() {
  std::vector<std::string> files;
  const std::string folder = LEAT_TESTS_DIR "/op_cases";
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return files;
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (absl::EndsWith(name, ".jsonl")) files.push_back(name);
  }
  closedir(dir);
  std::sort(files.begin(), files.end());
  return files;
}

// Runs the ops of a case one after the other. Each output is moved to the op
// that reads it last, so that this op may change it in place.
class Chain {
 public:
  Chain(testing::KernelTestHarness& harness, const json& spec)
      : harness_(harness), spec_(spec) {
    if (spec.contains("before")) before_ = spec["before"];
    for (const json& step : before_) CountReaders(step);
    CountReaders(spec);
  }

  // Returns the outputs of the last op.
  absl::StatusOr<std::vector<Tensor>> Run() {
    return RunFailing(std::numeric_limits<int64_t>::max());
  }

  // Does what Run does, but makes allocation number `n` of the last op fail.
  absl::StatusOr<std::vector<Tensor>> RunFailing(int64_t n) {
    for (const json& step : before_) {
      absl::StatusOr<std::vector<Tensor>> outputs = RunStep(step);
      if (!outputs.ok()) {
        ADD_FAILURE() << step["op"] << ": " << outputs.status();
        return outputs;
      }
      outputs_.push_back(*std::move(outputs));
    }
    return RunStep(spec_, n);
  }

  // Returns how many allocations have failed.
  int64_t num_failed() const { return num_failed_; }

 private:
  using Place = std::pair<size_t, size_t>;
  static Place PlaceOf(const json& input) {
    return {input["from"][0].get<size_t>(), input["from"][1].get<size_t>()};
  }

  void CountReaders(const json& step) {
    for (const json& input : step["inputs"]) {
      if (input.is_object()) ++readers_[PlaceOf(input)];
    }
  }

  absl::StatusOr<std::vector<Tensor>> RunStep(
      const json& step, int64_t n = std::numeric_limits<int64_t>::max()) {
    std::vector<Tensor> inputs;
    for (const json& input : step["inputs"]) {
      if (!input.is_object()) {
        inputs.push_back(testing::TensorFromJson(input));
        continue;
      }
      const Place place = PlaceOf(input);
      Tensor& from = outputs_.at(place.first).at(place.second);
      const bool is_last = --readers_[place] == 0;
      inputs.push_back(is_last ? std::exchange(from, Tensor()) : from);
    }
    AttrMap attrs = testing::AttrsFromJson(step["attrs"]);
    FailingAllocations failing(n, NthFailure::kOnlyOne);
    auto outputs = harness_.Run(step["op"].get<std::string>(), std::move(attrs),
                                std::move(inputs));
    num_failed_ = failing.Stop();
    return outputs;
  }

  testing::KernelTestHarness& harness_;
  const json& spec_;
  json before_ = json::array();
  std::map<Place, int> readers_;
  std::vector<std::vector<Tensor>> outputs_;
  int64_t num_failed_ = 0;
};

void CheckOutputs(const absl::StatusOr<std::vector<Tensor>>& outputs,
                  const json& spec) {
  if (spec.contains("error")) {
    ASSERT_FALSE(outputs.ok()) << "TensorFlow refuses this";
    EXPECT_EQ(absl::StatusCodeToString(outputs.status().code()),
              spec["error"][0].get<std::string>());
    EXPECT_TRUE(absl::StrContains(outputs.status().message(),
                                  spec["error"][1].get<std::string>()))
        << outputs.status().message();
    return;
  }
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ASSERT_EQ(outputs->size(), spec["outputs"].size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    EXPECT_EQ(testing::Difference((*outputs)[i], spec["outputs"][i], spec), "")
        << "output " << i;
  }
}

// Makes each allocation of the kernel fail in turn. The kernel must return an
// error, or the right outputs if it can do without the memory. It must keep no
// memory. Returns the number of allocations.
int64_t CheckFailures(testing::KernelTestHarness& harness, const json& spec) {
  Allocator& allocator = harness.device().allocator();
  const int64_t live_bytes = allocator.stats().live_bytes;
  for (int64_t n = 1;; ++n) {
    {
      Chain chain(harness, spec);
      const auto outputs = chain.RunFailing(n);
      if (outputs.ok() || chain.num_failed() == 0) {
        CheckOutputs(outputs, spec);
      } else {
        EXPECT_TRUE(absl::IsResourceExhausted(outputs.status()))
            << n << ": " << outputs.status();
      }
      if (chain.num_failed() == 0) return n - 1;
    }
    EXPECT_EQ(allocator.stats().live_bytes, live_bytes) << n;
  }
}

class OpCasesTest : public ::testing::TestWithParam<std::string> {
 protected:
  void ForEachCase(
      absl::FunctionRef<void(testing::KernelTestHarness&, const json&)> check) {
    testing::KernelTestHarness harness;
    int count = 0;
    for (const json& spec : testing::ReadJsonLines("op_cases/" + GetParam())) {
      if (!spec.contains("op")) continue;  // the line that names the source
      ++count;
      SCOPED_TRACE(absl::StrCat(spec["op"].get<std::string>(), " ",
                                spec["name"].get<std::string>()));
      check(harness, spec);
    }
    EXPECT_GT(count, 0);
  }
};

TEST_P(OpCasesTest, MatchTensorFlow) {
  ForEachCase([](testing::KernelTestHarness& harness, const json& spec) {
    CheckOutputs(Chain(harness, spec).Run(), spec);
  });
}

TEST_P(OpCasesTest, SurviveEachFailedAllocation) {
  int64_t num_failed = 0;
  ForEachCase([&](testing::KernelTestHarness& harness, const json& spec) {
    num_failed += CheckFailures(harness, spec);
  });
  EXPECT_GT(num_failed, 0);
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, OpCasesTest,
                         ::testing::ValuesIn(CaseFiles()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

}  // namespace
}  // namespace leat::op_cases_test
