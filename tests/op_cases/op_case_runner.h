// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the cases of tests/op_cases/*.jsonl (see make_cases.py) on the kernels
// of a device. Compares the outputs, or the error, with TensorFlow's.
#ifndef LEAT_TESTS_OP_CASES_OP_CASE_RUNNER_H_
#define LEAT_TESTS_OP_CASES_OP_CASE_RUNNER_H_

#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
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
#include "leat/tests/testing/temporary_folder.h"

namespace leat::op_cases_test {

using nlohmann::json;
using testing::FailingAllocations;
using testing::NthFailure;

inline std::vector<std::string> CaseFiles() {
  std::vector<std::string> files;
  const std::string folder = testing::TestsDir() + "/op_cases";
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

// Runs the ops of a case one after the other, as one step. Each output is moved
// to the op that reads it last, so that this op may change it in place.
class Chain {
 public:
  Chain(testing::KernelTestHarness& harness, const json& spec)
      : harness_(harness), spec_(spec) {
    if (spec.contains("before")) before_ = spec["before"];
    for (const json& step : before_) CountReaders(step);
    CountReaders(spec);
  }
  ~Chain() { harness_.EndStep(); }

  // Returns the outputs of the last op.
  absl::StatusOr<std::vector<Tensor>> Run() {
    return RunFailing(std::numeric_limits<int64_t>::max());
  }

  // Does the same as Run, but makes allocation number `n` of the last op fail.
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

inline void CheckOutputs(const absl::StatusOr<std::vector<Tensor>>& outputs,
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

// Makes each allocation of the kernel fail, one at a time. The kernel must
// return RESOURCE_EXHAUSTED, or the right outputs if it can work without the
// memory. The kernel must not keep any memory after the failure. Returns the
// number of allocations.
inline int64_t CheckFailures(testing::KernelTestHarness& harness,
                             const json& spec) {
  Allocator& allocator = harness.device().allocator();
  // This first run creates the variables of the case. The harness keeps the
  // variables.
  CheckOutputs(Chain(harness, spec).Run(), spec);
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

// Returns true if the case expects an error that only CPUs report. A GPU does
// not check labels: as in TensorFlow, a label out of range makes the loss NaN.
inline bool FailsOnCpusOnly(const json& spec) {
  return spec.contains("error") &&
         absl::StartsWith(spec["error"][1].get<std::string>(),
                          "which is outside the valid range of [0, ");
}

// Returns true if the device of the harness has a kernel for each op of the
// case.
inline bool HasKernels(testing::KernelTestHarness& harness, const json& spec) {
  if (harness.device().info().type == kCpu) return true;
  if (FailsOnCpusOnly(spec)) return false;
  json steps = spec.contains("before") ? spec["before"] : json::array();
  steps.push_back(spec);
  std::vector<std::vector<DType>> outputs;  // the output types of each step
  for (const json& step : steps) {
    std::vector<DType> types;
    for (const json& input : step["inputs"]) {
      types.push_back(input.is_object()
                          ? outputs.at(input["from"][0]).at(input["from"][1])
                          : ParseDType(input[0].get<std::string>()).value());
    }
    const auto kernel =
        harness.Make(step["op"].get<std::string>(),
                     testing::AttrsFromJson(step["attrs"]), types);
    if (absl::IsNotFound(kernel.status())) return false;
    outputs.push_back(kernel.ok() ? kernel->node().output_types
                                  : std::vector<DType>());
  }
  return true;
}

// Calls `check` for each case of a file, if the device of the harness has
// kernels for the case. Returns the number of these cases.
inline int ForEachCase(
    testing::KernelTestHarness& harness, const std::string& file,
    absl::FunctionRef<void(testing::KernelTestHarness&, const json&)> check) {
  int count = 0;
  for (const json& spec : testing::ReadJsonLines("op_cases/" + file)) {
    if (!spec.contains("op")) continue;  // the line that names the source
    SCOPED_TRACE(absl::StrCat(spec["op"].get<std::string>(), " ",
                              spec["name"].get<std::string>(), " on ",
                              harness.device().info().type));
    if (!HasKernels(harness, spec)) continue;
    ++count;
    check(harness, spec);
  }
  return count;
}

inline void CheckCase(testing::KernelTestHarness& harness, const json& spec) {
  CheckOutputs(Chain(harness, spec).Run(), spec);
}

// Returns true if the case sets an element to several updates.
inline bool UpdatesAnElementTwice(const json& spec) {
  if (spec["op"] != "TensorScatterUpdate" || spec.contains("error")) {
    return false;
  }
  const Tensor indices = testing::TensorFromJson(spec["inputs"][1]);
  const auto* bytes = static_cast<const char*>(indices.raw_data());
  const auto row_bytes = SizeOf(indices.dtype()) *
                         static_cast<size_t>(indices.dim(indices.rank() - 1));
  std::set<std::string> rows;
  for (size_t at = 0; at < static_cast<size_t>(indices.num_bytes());
       at += row_bytes) {
    if (!rows.emplace(bytes + at, row_bytes).second) return true;
  }
  return false;
}

// Does the same as CheckCase for a device with several threads. Passes over
// cases in which any of several updates may be the last.
inline void CheckCaseInThreads(testing::KernelTestHarness& harness,
                               const json& spec) {
  if (!UpdatesAnElementTwice(spec)) CheckCase(harness, spec);
}

}  // namespace leat::op_cases_test

#endif  // LEAT_TESTS_OP_CASES_OP_CASE_RUNNER_H_
