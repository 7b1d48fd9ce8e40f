// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes calls to queues, accumulators, lookup tables and readers one after
// another and compares the answers with TensorFlow's. make_sync_cases.py writes
// TensorFlow's answers to sync_cases.jsonl, make_lookup_cases.py to
// lookup_cases.jsonl, and make_reader_cases.py to reader_cases.jsonl.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "leat/core/files/file_service.h"
#include "leat/core/status_macros.h"
#include "leat/tests/testing/busy_threads.h"
#include "leat/tests/testing/event.h"
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
    if (spec_.contains("queue")) {
      const json& queue = spec_["queue"];
      const auto made = Call(queue["op"], queue["attrs"], {});
      ASSERT_TRUE(made.ok()) << made.status();
      queue_ = made->front();
    }
    handle_ = handle->front();
    for (const json& call : spec_["calls"]) {
      SCOPED_TRACE(call.dump());
      if (call.contains("file")) {
        std::ofstream(folder_.Path("file")) << call["file"].get<std::string>();
      }
      CheckAnswer(call, Call(call["op"], call["attrs"], Inputs(call["inputs"]),
                             call.contains("waits")));
    }
  }

 private:
  // Returns the error with which Call cancels a call that waits.
  static absl::Status Waits() { return absl::DeadlineExceededError("waits"); }

  // Reads the inputs of a call.
  std::vector<Tensor> Inputs(const json& spec) {
    std::vector<Tensor> inputs;
    for (const json& input : spec) {
      inputs.push_back(WithPaths(input));
    }
    return inputs;
  }

  // Reads a tensor, in whose strings kFile stands for a path.
  Tensor WithPaths(const json& spec) const {
    Tensor tensor = testing::TensorFromJson(spec);
    if (tensor.dtype() != DType::kString) return tensor;
    for (std::string& text : tensor.mutable_data<std::string>()) {
      text = absl::StrReplaceAll(text, {{kFile, folder_.Path("file")}});
    }
    return tensor;
  }

  // Returns the handle that an argument of a call needs, or null if it needs
  // none.
  const Value* HandleFor(const ArgDef& arg) const {
    if (handle_.IsEmpty()) return nullptr;
    if (!arg.is_ref && arg.type != DType::kResource) return nullptr;
    const bool is_queue = arg.name == "handle" || arg.name == "queue_handle";
    return is_queue && !queue_.IsEmpty() ? &queue_ : &handle_;
  }

  // Returns the words of TensorFlow for an error of this project. TensorFlow
  // names the file only if it cannot be opened, and it says no position in a
  // compressed file.
  std::string Words(absl::string_view message) const {
    static const std::regex* const cannot_open =
        new std::regex("^file '(\\{file\\}[^']*)': cannot open: ");
    static const std::regex* const left_out =
        new std::regex("^file '\\{file\\}[^']*': |, at byte [0-9]+$");
    const std::string text =
        absl::StrReplaceAll(message, {{folder_.Path("file"), kFile}});
    return std::regex_replace(std::regex_replace(text, *cannot_open, "$1; "),
                              *left_out, "");
  }

  // Waits until the threads have nothing to do. Work goes from those for files
  // to the others, and back, at most as often as this loop turns.
  void LetThreadsWork() {
    for (int i = 0; i < 20; ++i) {
      testing::Event has_run;
      EXPECT_EQ(harness_.device().files()->Run([&] { has_run.Set(); }),
                absl::OkStatus());
      EXPECT_TRUE(has_run.Wait());
      testing::BusyThreads(harness_.device().compute_queue()).End();
    }
  }

  // Makes a call. Cancels it if the case says that it `waits`. Other calls end
  // by themselves, now or later on another thread. One that does not is
  // cancelled after the WaitLimit, so its answer is wrong.
  absl::StatusOr<std::vector<Value>> Call(const json& op, const json& attrs,
                                          std::vector<Tensor> inputs,
                                          bool waits = false) {
    const std::string name = op.get<std::string>();
    const OpDef* def = testing::AllOps().Find(name);
    if (def == nullptr) return absl::NotFoundError(name);
    std::vector<DType> types;
    std::vector<Value> values;
    for (const ArgDef& arg : def->inputs) {
      const Value* const handle = HandleFor(arg);
      if (handle == nullptr) continue;
      values.push_back(*handle);
      types.push_back(arg.is_ref ? RefOf(DType::kString) : DType::kResource);
    }
    for (Tensor& input : inputs) {
      types.push_back(input.dtype());
      values.push_back(testing::TensorValue(std::move(input)));
    }
    LEAT_ASSIGN_OR_RETURN(
        const testing::TestKernel kernel,
        harness_.Make(name, testing::AttrsFromJson(attrs), types));
    testing::WaitingCall call(harness_.services(), kernel, std::move(values));
    if (waits) {
      LetThreadsWork();
      EXPECT_FALSE(call.is_done());
    }
    if (waits || !call.Wait()) call.Cancel(Waits());
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
      EXPECT_EQ(Words(answer.status().message()),
                call["error"][1].get<std::string>());
      if (absl::IsDataLoss(answer.status())) {
        EXPECT_TRUE(
            absl::StrContains(answer.status().message(), folder_.Path("file")));
      }
      return;
    }
    ASSERT_TRUE(answer.ok()) << answer.status();
    const json& outputs = call["outputs"];
    if (outputs.empty()) return;  // the op has no output, or only a handle
    ASSERT_EQ(answer->size(), outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor expected = WithPaths(outputs[i]);
      EXPECT_EQ(testing::Difference(
                    (*answer)[i].tensor, expected,
                    {.tolerance = testing::DefaultTolerance(expected.dtype())}),
                "");
    }
  }

  // Stands for the path of the call's file in strings and errors.
  static constexpr char kFile[] = "{file}";

  const json& spec_;
  TemporaryFolder folder_;
  testing::KernelTestHarness harness_;
  Value handle_;
  Value queue_;  // of a reader
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

TEST(SyncCasesTest, ReadersMatchTensorFlow) {
  CheckAll("kernels/reader_cases.jsonl");
}

}  // namespace
}  // namespace leat::sync_cases_test
