// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/run_model.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/output_file.h"
#include "leat/protos/config.pb.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tools/op_list.h"
#include "leat/tools/run_report.h"
#include "leat/tools/tensors/npy.h"
#include "nlohmann/json.hpp"

namespace leat::run_model_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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
    options_.model.path = Path("run_model_test.pbtxt");
    ASSERT_TRUE(WriteFile(options_.model.path, kGraph).ok());
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
  options_.model.path = Path("no_such_model.pb");
  EXPECT_EQ(RunModel(options_).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(RunModelTest, SaysWhichFlagHelpsAGraphThatHasNoDevice) {
  options_.fetches = {"y"};
  options_.session.devices = "cpu";
  const absl::Status refused = RunModel(options_).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(refused.message()),
      AllOf(HasSubstr("Cannot assign a device for operation y"),
            HasSubstr("(--clear-devices)"), HasSubstr("(--devices cpu:N)")));
  options_.model.clear_devices = true;
  EXPECT_TRUE(RunModel(options_).ok());
}

// Runs the SavedModels that TensorFlow has written.
class RunSavedModelTest : public RunModelTest {
 protected:
  void SetUp() override {
    RunModelTest::SetUp();
    options_.session.devices = "cpu";
    SetModel("half_plus_two");
  }

  void SetModel(const std::string& name) {
    options_.model.path =
        absl::StrCat(LEAT_TESTS_DIR, "/train/saved_model/tensorflow/", name);
  }

  void ExpectFails(absl::StatusCode code, const std::string& what) {
    const absl::Status status = RunModel(options_).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }
};

TEST_F(RunSavedModelTest, FetchesAllOutputsOfItsSignature) {
  const auto result = RunModel(options_);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->fetched.size(), 1u);
  EXPECT_EQ(result->fetched[0].first, "y");
  EXPECT_TRUE(
      Identical(result->fetched[0].second, Tensor::Vector<float>({2.5, 0})));
}

TEST_F(RunSavedModelTest, FetchesByKeysAndByTensors) {
  options_.model.signature = "serving_default";
  options_.fetches = {"a/read:0", "^b/Assign", "y"};
  const auto result = RunModel(options_);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->fetched.size(), 2u);
  EXPECT_EQ(result->fetched[0].first, "a/read:0");
  EXPECT_EQ(result->fetched[0].second.data<float>()[0], 0.5f);
  EXPECT_EQ(result->fetched[1].first, "y");
}

TEST_F(RunSavedModelTest, NamesTheKeysAndSignaturesThatThereAre) {
  options_.fetches = {"z"};
  ExpectFails(absl::StatusCode::kInvalidArgument, "no output 'z'; it has 'y'");
  options_.fetches = {};
  options_.feeds[0] = "w=@" + Path("run_model_x.npy");
  ExpectFails(absl::StatusCode::kInvalidArgument, "no input 'w'; it has 'x'");
  options_.feeds = {};
  options_.model.signature = "classify";
  ExpectFails(absl::StatusCode::kNotFound,
              "no signature 'classify'; it has 'serving_default'");
  SetModel("x_plus_y");
  options_.model.signature = "";
  ExpectFails(absl::StatusCode::kNotFound, "'add', 'both'");
  options_.model.tags = {"gpu"};
  ExpectFails(absl::StatusCode::kNotFound, "available tags");
  options_.model.path = Path("run_model_test.pbtxt");
  ExpectFails(absl::StatusCode::kInvalidArgument, "--tag and --signature");
}

TEST_F(RunSavedModelTest, KeepsDevicesIfItIsTold) {
  options_.model.keep_devices = true;
  ExpectFails(absl::StatusCode::kInvalidArgument, "--keep-devices");
  options_.session.devices = "cpu:2";
  EXPECT_TRUE(RunModel(options_).ok());
}

// Describes a SlowSession, whose steps fetch nothing. `clock` is simulated.
struct SlowTarget {
  Clock& clock;
  // The following fields hold the durations of the calls. If the session runs
  // more steps than `steps` has elements, it starts again with the first
  // element.
  std::chrono::milliseconds init = {};
  std::chrono::milliseconds plan = {};
  std::vector<std::chrono::milliseconds> steps = {std::chrono::milliseconds(0)};
  std::chrono::milliseconds close = {};
};

class SlowCallable final : public Callable::Implementation {
 public:
  explicit SlowCallable(const SlowTarget& target) : target_(target) {}
  absl::StatusOr<std::vector<Tensor>> Run(absl::Span<const Tensor>,
                                          pb::RunMetadata*) override {
    target_.clock.Sleep(target_.steps[num_run_++ % target_.steps.size()]);
    return std::vector<Tensor>{};
  }

 private:
  const SlowTarget& target_;
  size_t num_run_ = 0;
};

class SlowSession final : public Session {
 public:
  explicit SlowSession(const SlowTarget& target) : target_(target) {}
  using Session::Run;
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs&,
                                          pb::RunMetadata*) override {
    target_.clock.Sleep(target_.init);
    return std::vector<Tensor>{};
  }
  absl::StatusOr<Callable> MakeCallable(const CallableArgs&) override {
    target_.clock.Sleep(target_.plan);
    return Callable(std::make_shared<SlowCallable>(target_));
  }
  absl::StatusOr<PartialRun> StartPartialRun(const PartialRunArgs&) override {
    return absl::UnimplementedError("");
  }
  absl::Status Extend(const Graph&) override { return absl::OkStatus(); }
  std::vector<DeviceInfo> ListDevices() const override { return {}; }
  absl::Status Close() override {
    target_.clock.Sleep(target_.close);
    return absl::OkStatus();
  }

 private:
  const SlowTarget& target_;
};

// Tests what RunModel says while it waits for a SlowTarget.
class RunModelNoticesTest : public RunModelTest {
 protected:
  void SetUp() override {
    RunModelTest::SetUp();
    options_.fetches = {"done"};
    options_.init = {"done"};
    options_.session.target = "grpc://h:1";
    options_.session.on_waiting = [this](absl::string_view message) {
      said_.emplace_back(message);
    };
    options_.clock = &clock_;
    options_.new_session = [this](const Graph&, const SessionOptions&)
        -> absl::StatusOr<std::shared_ptr<Session>> {
      return std::make_shared<SlowSession>(target_);
    };
  }

  testing::SimulatedClock clock_;
  SlowTarget target_{.clock = clock_};
  std::vector<std::string> said_;
};

TEST_F(RunModelNoticesTest, SayForWhatItWaits) {
  target_.init = target_.plan = target_.close = std::chrono::seconds(2);
  target_.steps = {std::chrono::seconds(12), std::chrono::seconds(0)};
  options_.steps = 2;
  const auto result = RunModel(options_);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->step_time, std::chrono::seconds(12));
  const std::string step =
      "this command is waiting for step 1 of 2 on grpc://h:1, which ends after "
      "the --max-step-time of leat serve (--timeout sets a shorter limit); "
      "leat "
      "status grpc://h:1 shows what the cluster is doing";
  EXPECT_THAT(
      said_,
      ElementsAre("this command is waiting for the step of --init on "
                  "grpc://h:1, which ends after the --max-step-time of leat "
                  "serve (--timeout sets a shorter limit); leat status "
                  "grpc://h:1 shows what the cluster is doing",
                  "this command is waiting for the plan of the steps on "
                  "grpc://h:1, which may wait for other tasks as long as "
                  "--setup-timeout of leat serve allows; leat status "
                  "grpc://h:1 shows what the cluster is doing",
                  step, step,
                  "this command is waiting for the end of its session on "
                  "grpc://h:1, for at most 10s"));
}

TEST_F(RunModelNoticesTest, NameTheTimeLimit) {
  target_.steps = {std::chrono::seconds(2)};
  options_.timeout = std::chrono::minutes(1);
  EXPECT_TRUE(RunModel(options_).ok());
  EXPECT_THAT(said_, ElementsAre(HasSubstr(
                         "step 1 of 1 on grpc://h:1, which may take 1m "
                         "(--timeout); ")));
}

TEST_F(RunModelNoticesTest, DoNotComeForStepsThatAreQuick) {
  target_.steps = {std::chrono::milliseconds(900)};
  options_.steps = 100;
  EXPECT_TRUE(RunModel(options_).ok());
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(RunModelNoticesTest, DoNotComeForEachSlowStep) {
  target_.steps = {std::chrono::seconds(4)};
  options_.steps = 14;
  EXPECT_TRUE(RunModel(options_).ok());
  EXPECT_THAT(said_,
              ElementsAre(HasSubstr("step 1 of 14"), HasSubstr("step 3 of 14"),
                          HasSubstr("step 8 of 14")));
}

TEST_F(RunModelNoticesTest, DoNotNameATargetThatThereIsNot) {
  target_.plan = target_.close = std::chrono::seconds(2);
  options_.session.target = "";
  EXPECT_TRUE(RunModel(options_).ok());
  EXPECT_THAT(
      said_, ElementsAre("this command is waiting for the plan of the steps",
                         "this command is waiting for the end of its session"));
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
