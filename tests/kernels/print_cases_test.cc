// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that Print, PrintV2 and Assert write TensorFlow's texts.
// make_print_cases.py writes the expected texts to print_cases.jsonl.
#include "gtest/gtest.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/op_case_json.h"

namespace leat::print_cases_test {
namespace {

using nlohmann::json;

// Returns the bytes that a text in the file stands for. In the text, the code
// point N below 256 stands for the byte N.
std::string Bytes(const json& text) {
  return testing::TensorFromJson(
             json::array({"string", json::array(), json::array({text})}))
      .scalar<std::string>();
}

TEST(PrintCasesTest, AreTensorFlowsText) {
  testing::KernelTestHarness harness;
  for (const json& spec : testing::ReadJsonLines("kernels/print_cases.jsonl")) {
    if (!spec.contains("op")) continue;  // the line that names the source
    SCOPED_TRACE(spec.dump());
    std::vector<Tensor> inputs;
    for (const json& input : spec["inputs"]) {
      inputs.push_back(testing::TensorFromJson(input));
    }
    ::testing::internal::CaptureStderr();
    const auto outputs =
        harness.Run(spec["op"].get<std::string>(),
                    testing::AttrsFromJson(spec["attrs"]), std::move(inputs));
    const std::string written = ::testing::internal::GetCapturedStderr();
    if (spec.contains("error")) {
      EXPECT_TRUE(absl::IsInvalidArgument(outputs.status()));
      EXPECT_EQ(outputs.status().message(), Bytes(spec["error"]));
      EXPECT_EQ(written, "");
    } else {
      EXPECT_TRUE(outputs.ok()) << outputs.status();
      EXPECT_EQ(written, Bytes(spec["stderr"]));
    }
  }
}

}  // namespace
}  // namespace leat::print_cases_test
