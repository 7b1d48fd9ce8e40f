// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs every case of tests/op_cases/*.jsonl (see make_cases.py) on a kernel.
// Compares the outputs, or the error, with TensorFlow's.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/op_case_json.h"

namespace leat::op_cases_test {
namespace {

using nlohmann::json;

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
    for (const json& step : before_) {
      absl::StatusOr<std::vector<Tensor>> outputs = RunStep(step);
      if (!outputs.ok()) {
        ADD_FAILURE() << step["op"] << ": " << outputs.status();
        return outputs;
      }
      outputs_.push_back(*std::move(outputs));
    }
    return RunStep(spec_);
  }

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

  absl::StatusOr<std::vector<Tensor>> RunStep(const json& step) {
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
    return harness_.Run(step["op"].get<std::string>(),
                        testing::AttrsFromJson(step["attrs"]),
                        std::move(inputs));
  }

  testing::KernelTestHarness& harness_;
  const json& spec_;
  json before_ = json::array();
  std::map<Place, int> readers_;
  std::vector<std::vector<Tensor>> outputs_;
};

void CheckCase(testing::KernelTestHarness& harness, const json& spec) {
  const auto outputs = Chain(harness, spec).Run();
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

class OpCasesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(OpCasesTest, MatchTensorFlow) {
  testing::KernelTestHarness harness;
  int count = 0;
  for (const json& spec : testing::ReadJsonLines("op_cases/" + GetParam())) {
    if (!spec.contains("op")) continue;  // the line that names the source
    ++count;
    SCOPED_TRACE(absl::StrCat(spec["op"].get<std::string>(), " ",
                              spec["name"].get<std::string>()));
    CheckCase(harness, spec);
  }
  EXPECT_GT(count, 0);
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, OpCasesTest,
                         ::testing::ValuesIn(CaseFiles()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

}  // namespace
}  // namespace leat::op_cases_test
