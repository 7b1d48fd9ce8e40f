// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks which tests use only local sessions, and gives the reasons. All other
// tests also run over a server, in process and by gRPC, if their file includes
// testing/session_under_test.h.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::session_kinds_test {
namespace {

using ::testing::UnorderedElementsAre;

struct Source {
  std::string name;  // such as "runtime/executor/executor_test.cc"
  std::string text;
};

// Returns the sources of the folders that have tests of sessions, except this
// file.
std::vector<Source> Sources() {
  std::vector<Source> sources;
  for (const char* const folder : {"runtime", "runtime/executor", "train"}) {
    const std::filesystem::path path =
        absl::StrCat(LEAT_TESTS_DIR, "/", folder);
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      const std::string name = entry.path().filename();
      if (!entry.is_regular_file() || name == "session_kinds_test.cc") continue;
      std::ifstream file(entry.path());
      sources.push_back({absl::StrCat(folder, "/", name),
                         std::string(std::istreambuf_iterator<char>(file),
                                     std::istreambuf_iterator<char>())});
    }
  }
  return sources;
}

bool Includes(const Source& source, absl::string_view header) {
  return absl::StrContains(
      source.text, absl::StrCat("#include \"leat/tests/", header, "\""));
}

constexpr char kNewTestSession[] = "testing/session_under_test.h";

// Returns the headers that include session_under_test.h, directly or through
// their .cc file.
std::set<std::string> HeadersWithSessions(const std::vector<Source>& sources) {
  std::set<std::string> headers;
  for (const Source& source : sources) {
    if (!Includes(source, kNewTestSession)) continue;
    absl::string_view stem = source.name;
    if (absl::EndsWith(stem, "_test.cc")) continue;
    if (absl::ConsumeSuffix(&stem, ".h") || absl::ConsumeSuffix(&stem, ".cc")) {
      headers.insert(absl::StrCat(stem, ".h"));
    }
  }
  return headers;
}

// Returns the name "Suite.Name" of the test that begins at `line`, or "".
std::string TestAt(absl::string_view line) {
  for (const char* const macro : {"TEST(", "TEST_F(", "TEST_P("}) {
    absl::string_view names = line;
    if (!absl::ConsumePrefix(&names, macro)) continue;
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(names.substr(0, names.find(')')), ',');
    return absl::StrCat(parts.first, ".",
                        absl::StripAsciiWhitespace(parts.second));
  }
  return "";
}

// For each line that begins with `word`, returns the name of the test that the
// line is in. For a line before the first test of a file, returns the name of
// the file.
std::vector<std::string> TestsWith(absl::string_view word) {
  std::vector<std::string> tests;
  for (const Source& source : Sources()) {
    std::string test = source.name;
    const absl::string_view text = source.text;
    for (size_t at = 0; at < text.size();) {
      absl::string_view rest = text.substr(at);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      if (const std::string begun = TestAt(rest); !begun.empty()) test = begun;
      if (absl::StartsWith(rest, word)) tests.push_back(test);
      const size_t end = text.find('\n', at);
      at = end == text.npos ? text.size() : end + 1;
    }
  }
  return tests;
}

TEST(SessionKindsTest, TheseTestsSkipWhatIsNotLocal) {
  EXPECT_THAT(TestsWith("LEAT_LOCAL_SESSION_ONLY"),
              UnorderedElementsAre(
                  "GradientCheckTest."
                  "AgreesWithCentralDifferencesWhereShapesAreKnown",
                  "GradientCheckTest."
                  "AgreesWithCentralDifferencesWhereTheyAreNot",
                  "GradientValuesTest.AreTensorFlowsWhereShapesAreKnown",
                  "GradientValuesTest.AreTensorFlowsWhereTheyAreNot",
                  "LocalSessionTest.ASteadyStepTakesNoBufferFromTheSystem",
                  "StepStatsRecorderTest.PassesOnWhatItSees"));
  EXPECT_THAT(TestsWith("GTEST_SKIP"), UnorderedElementsAre());
}

TEST(SessionKindsTest, TheseTestsSkipAGpu) {
  EXPECT_THAT(TestsWith("LEAT_CPU_SESSION_ONLY"),
              UnorderedElementsAre(
                  "ExecutorTest.AStepThatFailsLeavesNothingReadyToTheNext",
                  "SessionLimitsTest.ListsTheAllocationsThatAreAlive",
                  "SessionLimitsTest.RunsOutOfMemoryWithAStatus",
                  "SessionLimitsTest.SaysHowToListAllocations",
                  "StepStatsTest.PartitionGraphsAreWhatEachDeviceRuns",
                  "StepStatsTest.TellWhatRanWhereAndWhen",
                  "runtime/graph_sampler_test.cc"));
}

TEST(SessionKindsTest, TheseFilesAreOfLocalSessionsAlone) {
  std::vector<std::string> files;
  for (const Source& source : Sources()) {
    if (absl::StrContains(source.text, "NewLocalSession(")) {
      files.push_back(source.name);
    }
  }
  EXPECT_THAT(
      files,
      UnorderedElementsAre(
          // These files test kernels and passes, not sessions.
          "runtime/advisories_test.cc", "runtime/passes_corpus_test.cc",
          // These files use the devices of the session directly.
          "runtime/device_resources_test.cc", "runtime/steady_step_test.cc",
          "runtime/local_session_test.cc", "runtime/nth_allocation_test.cc",
          "runtime/iterators_test.cc",
          // These files have a fake GPU.
          "runtime/gpu_session_test.cc", "runtime/gpu_errors_test.cc",
          "runtime/pinned_outputs_test.cc", "train/networks_on_gpu_test.cc",
          // This file uses its own pass and observers.
          "runtime/planning_concurrency_test.cc",
          // This file compares a local session with the parts of the graph on
          // two tasks.
          "runtime/loops_over_tasks_test.cc"));
}

// cmake/LeatTests.cmake looks for the include of session_under_test.h only in
// test files, not in the headers that these files include.
TEST(SessionKindsTest, WhatGetsSessionsFromAHeaderRunsOverServersToo) {
  const std::vector<Source> sources = Sources();
  const std::set<std::string> headers = HeadersWithSessions(sources);
  EXPECT_THAT(headers, UnorderedElementsAre("train/gradient_program.h",
                                            "train/nn_cases.h"));
  for (const Source& source : sources) {
    if (!absl::EndsWith(source.name, "_test.cc")) continue;
    for (const std::string& header : headers) {
      EXPECT_TRUE(!Includes(source, header) ||
                  Includes(source, kNewTestSession))
          << source.name << " includes " << header << ", but not "
          << kNewTestSession;
    }
  }
}

}  // namespace
}  // namespace leat::session_kinds_test
