// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/runtime/functional_graphs.h"

#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat {
namespace {

std::string PathOf(absl::string_view name) {
  return absl::StrCat(testing::TestsDir(), "/graphs/functional/", name);
}

std::vector<std::pair<std::string, float>> ParsePairs(absl::string_view text) {
  std::vector<std::pair<std::string, float>> pairs;
  if (text == "-") return pairs;
  for (absl::string_view item : absl::StrSplit(text, ',')) {
    const std::vector<std::string> parts = absl::StrSplit(item, '=');
    float value = 0;
    EXPECT_TRUE(absl::SimpleAtof(parts.at(1), &value)) << item;
    pairs.emplace_back(parts[0], value);
  }
  return pairs;
}

}  // namespace

RunArgs FunctionalStep::Args() const {
  RunArgs args;
  for (const auto& [name, value] : feeds) {
    args.feeds.push_back({name, Tensor::Scalar<float>(value)});
  }
  for (const auto& [name, value] : fetches) args.fetches.push_back(name);
  for (const std::string& name : targets) args.targets.push_back(name);
  return args;
}

std::map<std::string, std::vector<FunctionalStep>> FunctionalSteps() {
  std::map<std::string, std::vector<FunctionalStep>> steps;
  std::ifstream file(PathOf("expected.txt"));
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> parts = absl::StrSplit(line, ' ');
    FunctionalStep step;
    step.text = line;
    step.feeds = ParsePairs(parts.at(1));
    step.fetches = ParsePairs(parts.at(2));
    if (parts.at(3) != "-") step.targets = absl::StrSplit(parts[3], ',');
    steps[parts[0]].push_back(step);
  }
  return steps;
}

std::string FunctionalGraphPath(const std::string& name) {
  return PathOf(absl::StrCat(name, ".pbtxt"));
}

}  // namespace leat
