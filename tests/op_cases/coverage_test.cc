// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that every op that runs on the CPU has a case with results in one of
// the data files, or a test that tested_elsewhere.txt names. Each line of that
// file is "op file Suite.Name".
#include <dirent.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/op_case_json.h"

namespace leat::coverage_test {
namespace {

using nlohmann::json;

std::set<std::string> CaseFiles() {
  std::set<std::string> files = {
      "kernels/print_cases.jsonl",    "kernels/variable_cases.jsonl",
      "kernels/training_cases.jsonl", "kernels/sync_cases.jsonl",
      "kernels/lookup_cases.jsonl",   "kernels/reader_cases.jsonl"};
  DIR* dir = opendir(LEAT_TESTS_DIR "/op_cases");
  if (dir == nullptr) return files;
  while (const dirent* entry = readdir(dir)) {
    if (absl::EndsWith(entry->d_name, ".jsonl")) {
      files.insert(absl::StrCat("op_cases/", entry->d_name));
    }
  }
  closedir(dir);
  return files;
}

std::set<std::string> OpsWithCases() {
  std::set<std::string> ops;
  for (const std::string& file : CaseFiles()) {
    for (const json& spec : testing::ReadJsonLines(file)) {
      // A case that expects an error checks no result, so it does not count.
      if (spec.contains("error")) continue;
      if (spec.contains("ops")) {
        ops.insert(spec["ops"].begin(), spec["ops"].end());
      }
      if (!spec.contains("op")) continue;
      ops.insert(spec["op"].get<std::string>());
      if (spec.contains("calls")) {
        for (const json& call : spec["calls"]) {
          if (call.contains("error")) continue;
          ops.insert(call["op"].get<std::string>());
        }
      }
      if (!spec.contains("before") || !spec["before"].is_array()) continue;
      for (const json& step : spec["before"]) {
        if (step.is_object()) ops.insert(step["op"].get<std::string>());
      }
    }
  }
  return ops;
}

struct NamedTest {
  std::string file;
  std::string name;
};

std::map<std::string, NamedTest> TestedElsewhere() {
  std::map<std::string, NamedTest> tests;
  std::ifstream lines(LEAT_TESTS_DIR "/op_cases/tested_elsewhere.txt");
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string op;
    NamedTest test;
    EXPECT_TRUE(words >> op >> test.file >> test.name) << line;
    EXPECT_TRUE(tests.emplace(op, test).second) << op << " is listed twice";
  }
  return tests;
}

bool Exists(const NamedTest& test) {
  std::ifstream file(absl::StrCat(LEAT_TESTS_DIR "/", test.file));
  std::stringstream text;
  text << file.rdbuf();
  const std::string source =
      absl::StrReplaceAll(text.str(), {{"\n", ""}, {" ", ""}});
  return absl::StrContains(
      source,
      absl::StrCat("(", absl::StrReplaceAll(test.name, {{".", ","}}), "){"));
}

bool RunsOnCpu(const OpDef& op) {
  for (const auto& signature : testing::AllOps().Signatures(op.name)) {
    if (signature.device_type == kCpu) return true;
  }
  return false;
}

TEST(CoverageTest, EveryOpThatRunsHasACaseOrANamedTest) {
  const std::set<std::string> cases = OpsWithCases();
  const std::map<std::string, NamedTest> tests = TestedElsewhere();
  for (const OpDef* op : testing::AllOps().Ops()) {
    if (!RunsOnCpu(*op) || cases.count(op->name) > 0) continue;
    EXPECT_EQ(tests.count(op->name), 1u)
        << op->name << " has neither a case nor a named test";
  }
}

TEST(CoverageTest, NamedTestsExistAndAreNeeded) {
  const std::set<std::string> cases = OpsWithCases();
  for (const auto& [op, test] : TestedElsewhere()) {
    EXPECT_TRUE(Exists(test)) << test.file << " has no test " << test.name;
    EXPECT_NE(testing::AllOps().Find(op), nullptr) << op << " is no op";
    EXPECT_EQ(cases.count(op), 0u) << op << " has cases now";
  }
}

}  // namespace
}  // namespace leat::coverage_test
