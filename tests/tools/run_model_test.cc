// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/run_model.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/protos/config.pb.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tools/files.h"
#include "leat/tools/npy.h"
#include "leat/tools/op_list.h"
#include "leat/tools/run_report.h"
#include "nlohmann/json.hpp"

namespace leat::run_model_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The graph computes y = -x and s = sqrt(x), and has an op without outputs.
constexpr char kGraph[] = R"(
  node { name: "x" op: "Placeholder"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { unknown_rank: true } } } }
  node { name: "y" op: "Neg" input: "x" device: "/cpu:1"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "s" op: "Sqrt" input: "y"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "done" op: "NoOp" input: "^y" }
)";

class RunModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.model = Path("run_model_test.pbtxt");
    ASSERT_TRUE(WriteFile(options_.model, kGraph).ok());
    ASSERT_TRUE(
        WriteNpy(Tensor::Vector<float>({1, -4}), Path("run_model_x.npy")).ok());
    options_.session.devices = "cpu:2";
    options_.session.num_threads = 1;
    options_.feeds = {"x=@" + Path("run_model_x.npy")};
  }

  std::string Path(const std::string& name) const { return folder_.Path(name); }

  RunModelOptions options_;

 private:
  const TemporaryFolder folder_;
};

TEST_F(RunModelTest, FetchesToMemoryAndToFiles) {
  const std::string file = Path("run_model_y.npy");
  options_.fetches = {"done", "y=@" + file, "s:0"};
  options_.steps = 3;
  const auto result = RunModel(options_);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, 3);
  ASSERT_EQ(result->fetched.size(), 1u);
  EXPECT_EQ(result->fetched[0].first, "s:0");
  EXPECT_EQ(result->fetched[0].second.data<float>()[1], 2.0f);
  const auto written = ReadNpy(file);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_TRUE(Identical(*written, Tensor::Vector<float>({-1, 4})));
}

TEST_F(RunModelTest, RecordsEveryStep) {
  options_.fetches = {"s"};
  options_.steps = 2;
  Trace trace;
  pb::RunMetadata metadata;
  const auto result =
      RunModel(options_, {.trace = &trace, .metadata = &metadata});
  ASSERT_TRUE(result.ok()) << result.status();
  bool has_sqrt = false;
  for (const OpTime& time : trace.TimeByOp()) {
    if (time.op != "Sqrt") continue;
    has_sqrt = true;
    EXPECT_EQ(time.count, 2);
  }
  EXPECT_TRUE(has_sqrt);
  const auto chrome = nlohmann::json::parse(trace.ToChromeJson());
  int num_steps = 0, num_arrows = 0;
  for (const auto& event : chrome["traceEvents"]) {
    num_steps += event["ph"] == "X" && event["cat"] == "step" ? 1 : 0;
    num_arrows += event["ph"] == "s" ? 1 : 0;
  }
  EXPECT_EQ(num_steps, 2);
  EXPECT_GE(num_arrows, 2) << "y is on the other device";
  EXPECT_THAT(RunReportText(*result, &trace, false), HasSubstr("Sqrt"));
  EXPECT_EQ(metadata.partition_graphs_size(), 2);
  EXPECT_EQ(metadata.step_stats().dev_stats_size(), 2);
}

TEST_F(RunModelTest, ReportsValuesThatJsonHasNoNumbersFor) {
  options_.fetches = {"s"};
  const auto result = RunModel(options_);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto json = nlohmann::json::parse(RunReportJson(*result, nullptr));
  EXPECT_EQ(json["fetches"][0]["dtype"], "float");
  EXPECT_EQ(json["fetches"][0]["values"][0], "NaN");
  EXPECT_EQ(json["fetches"][0]["values"][1], 2.0);
}

TEST_F(RunModelTest, RefusesFeedsWithoutFiles) {
  for (const char* feed : {"x", "x=1", "=@x.npy", "x=@", ""}) {
    options_.feeds = {feed};
    const auto result = RunModel(options_);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument)
        << feed;
    EXPECT_THAT(std::string(result.status().message()),
                HasSubstr("NAME=@FILE"));
  }
}

TEST_F(RunModelTest, NamesWhatDoesNotExist) {
  options_.fetches = {"nothing"};
  EXPECT_EQ(RunModel(options_).status().code(), absl::StatusCode::kNotFound);
  options_.model = Path("no_such_model.pb");
  EXPECT_EQ(RunModel(options_).status().code(), absl::StatusCode::kNotFound);
}

TEST(OpListTest, ShowsSignaturesAndDevices) {
  EXPECT_EQ(OpSignature(*BuiltinOps().Find("MatMul")),
            "MatMul(a: T, b: T) -> (product: T)");
  const auto text = OpText(BuiltinOps(), "MatMul", false);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("transpose_a"));
  EXPECT_THAT(*text, HasSubstr("CPU"));
  const auto transpose = OpText(BuiltinOps(), "Transpose", false);
  ASSERT_TRUE(transpose.ok());
  EXPECT_THAT(*transpose,
              StartsWith("Transpose(x: T, perm: Tperm) -> (y: T)\n"
                         "  Permutes the axes of x as perm says.\n"));
  EXPECT_EQ(OpText(BuiltinOps(), "Nope", false).status().code(),
            absl::StatusCode::kNotFound);
  const auto json = OpListJson(BuiltinOps());
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(nlohmann::json::parse(*json).size(), BuiltinOps().Ops().size());
  const auto one = OpListJson(BuiltinOps(), "Transpose");
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(nlohmann::json::parse(*one)[0]["doc"],
            "Permutes the axes of x as perm says.");
}

}  // namespace
}  // namespace leat::run_model_test
