// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads data sets that TensorFlow's Python client made, and compares what each
// step gives with what TensorFlow gave: every element in its order, every error
// and the end. make_dataset_cases.py writes dataset_cases.jsonl.
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/graph_text.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"
#include "nlohmann/json.hpp"

namespace leat::dataset_cases_test {
namespace {

using nlohmann::json;

// Returns what a step has given, in a form that can be compared and shown.
std::string Shown(const absl::StatusOr<std::vector<Tensor>>& result) {
  if (absl::IsOutOfRange(result.status())) return "end";
  if (!result.ok()) return absl::StatusCodeToString(result.status().code());
  std::string text;
  for (const Tensor& tensor : *result) {
    absl::StrAppend(&text, tensor.DebugString(/*max_elements=*/100), "; ");
  }
  return text;
}

// Returns what TensorFlow's step has given, in the same form.
std::string Expected(const json& step) {
  if (step.is_string()) return step.get<std::string>();
  std::vector<Tensor> tensors;
  for (const json& tensor : step) {
    tensors.push_back(testing::TensorFromJson(tensor));
  }
  return Shown(std::move(tensors));
}

// Is a line of the file. A test that fails shows only its name.
struct Case {
  json spec;
  std::string name() const { return spec["name"].get<std::string>(); }
  friend void PrintTo(const Case& value, std::ostream* out) {
    *out << value.name();
  }
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (json& spec : testing::ReadJsonLines("runtime/dataset_cases.jsonl")) {
    cases.push_back({std::move(spec)});
  }
  return cases;
}

// Returns the graph of a case. The paths of its files begin with the folder of
// the tests.
std::string GraphText(const json& spec) {
  const std::string folder = "dataset_files/";
  return absl::StrReplaceAll(
      spec["graph"].get<std::string>(),
      {{folder, absl::StrCat(testing::TestsDir(), "/runtime/", folder)}});
}

class DatasetCasesTest : public ::testing::TestWithParam<Case> {};

TEST_P(DatasetCasesTest, GiveWhatTensorFlowGives) {
  const json& spec = GetParam().spec;
  const auto session = NewTestSession(ImportText(GraphText(spec), BuiltinOps()),
                                      {.devices = {.num_threads = 2}});
  ASSERT_TRUE(session.ok()) << session.status();
  RunArgs next;
  for (const json& fetch : spec["fetches"]) {
    next.fetches.push_back(fetch.get<std::string>());
  }
  const RunArgs initialize{.targets = {spec["initializer"].get<std::string>()}};
  for (const json& step : spec["steps"]) {
    if (step == "begin") {
      const absl::Status status = (*session)->Run(initialize).status();
      ASSERT_TRUE(status.ok()) << status;
      continue;
    }
    const absl::StatusOr<std::vector<Tensor>> result = (*session)->Run(next);
    ASSERT_EQ(Shown(result), Expected(step)) << result.status();
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DatasetCasesTest, ::testing::ValuesIn(Cases()),
                         [](const ::testing::TestParamInfo<Case>& info) {
                           return info.param.name();
                         });

}  // namespace
}  // namespace leat::dataset_cases_test
