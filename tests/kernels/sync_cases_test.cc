// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes calls to queues, accumulators and lookup tables one after another and
// compares the answers with TensorFlow's. make_sync_cases.py writes
// TensorFlow's answers to sync_cases.jsonl, and make_lookup_cases.py to
// lookup_cases.jsonl.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "leat/core/status_macros.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/testing/waiting_call.h"

namespace leat::sync_cases_test {
namespace {

using nlohmann::json;

class SyncCase {
 public:
  explicit SyncCase(const json& spec) : spec_(spec) {}

  void Check() {
    const auto handle = Call(spec_["op"], spec_["attrs"],
                             Inputs(spec_.value("inputs", json::array())));
    if (spec_.contains("error")) return CheckAnswer(spec_, handle);
    ASSERT_TRUE(handle.ok()) << handle.status();
    handle_ = handle->front();
    for (const json& call : spec_["calls"]) {
      SCOPED_TRACE(call.dump());
      if (call.contains("file")) {
        std::ofstream(folder_.Path("file")) << call["file"].get<std::string>();
      }
      CheckAnswer(call,
                  Call(call["op"], call["attrs"], Inputs(call["inputs"])));
    }
  }

 private:
  // Returns the error with which Call cancels a call that waits.
  static absl::Status Waits() { return absl::DeadlineExceededError("waits"); }

  // Reads the inputs of a call.
  std::vector<Tensor> Inputs(const json& spec) {
    std::vector<Tensor> inputs;
    for (const json& input : spec) {
      inputs.push_back(testing::TensorFromJson(input));
      if (inputs.back().dtype() != DType::kString) continue;
      for (std::string& text : inputs.back().mutable_data<std::string>()) {
        if (text == kFile) text = folder_.Path("file");
      }
    }
    return inputs;
  }

  // Makes a call. Cancels it if it waits. Kernels that read files run on
  // another thread, so they are never done at once, but they end by themselves.
  absl::StatusOr<std::vector<Value>> Call(const json& op, const json& attrs,
                                          std::vector<Tensor> inputs) {
    const std::string name = op.get<std::string>();
    const OpDef* def = testing::AllOps().Find(name);
    if (def == nullptr) return absl::NotFoundError(name);
    std::vector<DType> types;
    std::vector<Value> values;
    if (!handle_.IsEmpty() && !def->inputs.empty()) {
      values.push_back(handle_);
      types.push_back(def->inputs[0].is_ref ? RefOf(DType::kString)
                                            : DType::kResource);
    }
    for (Tensor& input : inputs) {
      types.push_back(input.dtype());
      values.push_back(testing::TensorValue(std::move(input)));
    }
    LEAT_ASSIGN_OR_RETURN(
        const testing::TestKernel kernel,
        harness_.Make(name, testing::AttrsFromJson(attrs), types));
    testing::WaitingCall call(harness_.services(), kernel, std::move(values));
    const bool reads_a_file =
        absl::StartsWith(name, "InitializeTableFromTextFile");
    if (!reads_a_file && !call.is_done()) call.Cancel(Waits());
    return call.Result();
  }

  void CheckAnswer(const json& call,
                   const absl::StatusOr<std::vector<Value>>& answer) const {
    if (call.contains("waits")) {
      EXPECT_EQ(answer.status(), Waits());
      return;
    }
    if (call.contains("error")) {
      EXPECT_EQ(absl::StatusCodeToString(answer.status().code()),
                call["error"][0].get<std::string>());
      EXPECT_EQ(absl::StrReplaceAll(answer.status().message(),
                                    {{folder_.Path("file"), kFile}}),
                call["error"][1].get<std::string>());
      return;
    }
    ASSERT_TRUE(answer.ok()) << answer.status();
    const json& outputs = call["outputs"];
    if (outputs.empty()) return;  // the op has no output, or only a handle
    ASSERT_EQ(answer->size(), outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor expected = testing::TensorFromJson(outputs[i]);
      EXPECT_EQ(testing::Difference(
                    (*answer)[i].tensor, expected,
                    {.tolerance = testing::DefaultTolerance(expected.dtype())}),
                "");
    }
  }

  // Stands for the path of the call's file in inputs and errors.
  static constexpr char kFile[] = "{file}";

  const json& spec_;
  TemporaryFolder folder_;
  testing::KernelTestHarness harness_;
  Value handle_;
};

void CheckAll(const std::string& file) {
  for (const json& spec : testing::ReadJsonLines(file)) {
    if (!spec.contains("op")) continue;  // the line that names the source
    SCOPED_TRACE(absl::StrCat(spec["op"].get<std::string>(), ", ",
                              spec["name"].get<std::string>()));
    SyncCase(spec).Check();
  }
}

TEST(SyncCasesTest, MatchTensorFlow) { CheckAll("kernels/sync_cases.jsonl"); }

TEST(SyncCasesTest, LookupTablesMatchTensorFlow) {
  CheckAll("kernels/lookup_cases.jsonl");
}

}  // namespace
}  // namespace leat::sync_cases_test
