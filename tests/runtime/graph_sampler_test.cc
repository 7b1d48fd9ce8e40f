// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/graph_sampler.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/partitioner/costs/cost_file.h"
#include "leat/partitioner/costs/estimate_costs.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::graph_sampler_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kSteps =
    SamplingSchedule::kWarmUpSteps + SamplingSchedule::kFirstSamples;

// Is the value of a constant, which must be in no file.
constexpr int kSecret = 771177;

class GraphSamplerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    LEAT_CPU_SESSION_ONLY("the times on a GPU are not measured");
  }
  void Start(const LocalSessionOptions& options = {}) {
    LocalSessionOptions with_costs = options;
    with_costs.devices.num_threads = 2;
    with_costs.devices.costs_folder = folder_.Path("costs");
    session_ = NewTestSession(b_.Build().value(), with_costs).value();
  }
  void RunSteps(const RunArgs& args, int steps = kSteps) {
    for (int i = 0; i < steps; ++i) {
      const auto fetched = session_->Run(args);
      ASSERT_TRUE(fetched.ok()) << fetched.status();
    }
  }
  // Ends the session and reads the costs that it has written.
  void End() {
    ASSERT_TRUE(session_->Close().ok());
    session_ = nullptr;
    const absl::Status read = ReadCosts(folder_.Path("costs"), table_);
    ASSERT_TRUE(read.ok()) << read;
    for (const std::string& kind : table_.kinds()) {
      std::ifstream file(folder_.Path("costs/" + CostFileName(kind)));
      text_.append(std::istreambuf_iterator<char>(file), {});
      costs_.AddUnknown(table_.Copy(kind));
    }
  }
  // Returns how many times the kernel with this key has.
  size_t NumTimes(const std::string& key) const {
    const TimeSample* const sample = costs_.FindKernel(key);
    return sample == nullptr ? 0 : sample->times().size();
  }

  const TemporaryFolder folder_;
  GraphBuilder b_;
  std::shared_ptr<Session> session_;
  CostTable table_;
  DeviceCosts costs_;
  std::string text_;
};

TEST_F(GraphSamplerTest, MeasuresByShapeAndDType) {
  const Output x = b_.Placeholder<float>("x", PartialShape());
  const Output y = op::Square(x);
  const Output z = op::Square(op::Cast(x, DType::kDouble));
  Start();
  for (const int64_t size : {3, 5}) {
    RunSteps({.feeds = {{x, Tensor::Filled<float>(Shape{size}, 2)}},
              .fetches = {y, z}},
             kSteps / 2);
  }
  End();
  EXPECT_EQ(NumTimes("Square(float[3]){T=float}"), 4u);
  EXPECT_EQ(NumTimes("Square(float[5]){T=float}"), 6u);
  EXPECT_EQ(NumTimes("Square(double[3]){T=double}"), 4u);
  EXPECT_EQ(NumTimes("Square(double[5]){T=double}"), 6u);
  EXPECT_EQ(table_.RunsPerStep(z.operation().name()), 1);
  EXPECT_EQ(table_.OutputBytes(z.operation().name()), std::vector<double>{40});
}

TEST_F(GraphSamplerTest, CountsTheIterationsOfALoop) {
  const std::vector<Output> ends = While(
      {b_.Const(0), b_.Const(1.0f)},
      [](absl::Span<const Output> v) { return op::Less(v[0], 7); },
      [](absl::Span<const Output> v) {
        return std::vector<Output>{v[0] + 1, op::Sin(v[1])};
      });
  Start();
  RunSteps({.fetches = {ends[1]}});
  End();
  std::optional<double> runs;
  for (const auto& [name, node] : costs_.nodes()) {
    if (name.find("Sin") != name.npos) runs = table_.RunsPerStep(name);
  }
  EXPECT_EQ(runs, 7);
  EXPECT_EQ(NumTimes("Sin(float[]){T=float}"), TimeSample::kMaxTimes);
}

TEST_F(GraphSamplerTest, CountsABranchThatIsNotTaken) {
  const Output taken = b_.Placeholder<bool>("taken", PartialShape({}));
  const Output x = b_.Placeholder<float>("x", PartialShape({2}));
  const auto split = op::Switch(x, taken);
  const Output dead = op::Sin(split.output_true);
  const Output live = op::Cos(split.output_false);
  const Output y = op::Merge({dead, live}).output;
  Start();
  RunSteps({.feeds = {{taken, Tensor::Scalar(false)},
                      {x, Tensor::Filled<float>(Shape{2}, 1)}},
            .fetches = {y}});
  End();
  EXPECT_EQ(table_.RunsPerStep(dead.operation().name()), 0);
  EXPECT_EQ(table_.RunsPerStep(live.operation().name()), 1);
}

// The kernel of a _Send also runs if its input is dead, whose shape is not
// known.
TEST_F(GraphSamplerTest, DoesNotMeasureHowLongADeadTensorIsSent) {
  const Output taken = b_.Placeholder<bool>("taken", PartialShape({}));
  const Output x = b_.Placeholder<float>("x", PartialShape({2}));
  const auto split = op::Switch(x, taken);
  std::vector<Output> branches;
  {
    const Scope other = b_.OnDevice("/cpu:1");
    branches = {op::Sin(split.output_true), op::Cos(split.output_false)};
  }
  const Output y = op::Merge(branches).output;
  Start({.devices = {.num_cpus = 2}});
  RunSteps({.feeds = {{taken, Tensor::Scalar(false)},
                      {x, Tensor::Filled<float>(Shape{2}, 1)}},
            .fetches = {y}});
  End();
  EXPECT_THAT(text_, HasSubstr("_Send(float[2])"));
  EXPECT_THAT(text_, Not(HasSubstr("_Send(float[])")));
}

TEST_F(GraphSamplerTest, WritesNoValueOfAConstant) {
  const Output secret = b_.Const(kSecret);
  const Output text = b_.Const(std::string("771177"));
  const Output sum = op::AddV2(b_.Placeholder<int32_t>("x"), secret);
  Start();
  RunSteps({.feeds = {{"x", Tensor::Scalar<int32_t>(kSecret)}},
            .fetches = {sum, text}});
  End();
  EXPECT_THAT(text_, HasSubstr("Const(){dtype=int32, value=int32[]}"));
  EXPECT_THAT(text_, Not(HasSubstr("771177")));
}

TEST_F(GraphSamplerTest, MeasuresTheValueOfAVariable) {
  const Tensor ones = Tensor::Filled<float>(Shape{6}, 1);
  const auto v = b_.Variable("v", b_.Const(ones), {.use_resource = false});
  const Output y = op::Square(v.value());
  const Output add = op::AssignAdd(v.handle(), ones);
  Start();
  ASSERT_TRUE(session_->Run({.targets = {v.initializer()}}).ok());
  RunSteps({.fetches = {y}, .targets = {add.operation()}});
  End();
  EXPECT_EQ(NumTimes("Square(float[6]){T=float}"), 10u);
  EXPECT_EQ(NumTimes("AssignAdd(float[6], float[6]){T=float, "
                     "use_locking=false}"),
            10u);
}

TEST_F(GraphSamplerTest, DropsAStepThatFails) {
  const Output x = b_.Placeholder<float>("x", PartialShape({2}));
  const Output y = op::CheckNumerics(op::Square(x), "bad");
  Start();
  for (int i = 0; i < kSteps; ++i) {
    EXPECT_FALSE(
        session_
            ->Run({.feeds = {{x, Tensor::Filled<float>(Shape{2}, NAN)}},
                   .fetches = {y}})
            .ok());
  }
  ASSERT_TRUE(session_->Close().ok());
  session_ = nullptr;
  ASSERT_TRUE(ReadCosts(folder_.Path("costs"), table_).ok());
  EXPECT_THAT(table_.kinds(), ElementsAre());
}

TEST_F(GraphSamplerTest, MeasuresNothingThatWaits) {
  const Output queue = op::FIFOQueueV2(b_, {DType::kFloat});
  const Operation put = op::QueueEnqueueV2(queue, {b_.Const(1.0f)});
  const Scope after = b_.ControlDependencies({put});
  const Output got = op::QueueDequeueV2(queue, {DType::kFloat})[0];
  Start();
  RunSteps({.fetches = {got}});
  End();
  EXPECT_EQ(table_.RunsPerStep(got.operation().name()), 1);
  EXPECT_THAT(text_, Not(HasSubstr("QueueDequeueV2(")));
}

// What the recorder writes is what planning looks up, by the kernel's key and
// by the node's name.
TEST_F(GraphSamplerTest, PlanningFindsWhatWasMeasured) {
  const auto variable = [&](const char* name, const Shape& shape) {
    return b_.Variable(name, b_.Const(Tensor::Filled<float>(shape, 0.5f)));
  };
  const Variable x = variable("x", Shape{4, 4});
  const Variable bias = variable("bias", Shape{4});
  const Variable image = variable("image", Shape{1, 5, 5, 2});
  const Variable filter = variable("filter", Shape{3, 3, 2, 3});
  const Output product = op::MatMul(x.value(), x.value());
  const Output fused = op::Relu(op::BiasAdd(
      op::MatMul(x.value(), x.value(), {.transpose_b = true}), bias.value()));
  const Output convolution =
      op::Conv2D(image.value(), filter.value(), {1, 1, 1, 1}, "SAME");
  const Variable reference =
      b_.Variable("reference", b_.Const(Tensor::Filled<float>(Shape{6}, 1)),
                  {.use_resource = false});
  const Output rate = b_.Const(0.25f);
  const Operation adam =
      op::ResourceApplyAdam(x.handle(), variable("m", Shape{4, 4}).handle(),
                            variable("v", Shape{4, 4}).handle(), rate, rate,
                            rate, rate, rate, rate, op::Neg(product));
  const Graph client = b_.Build().value();
  Start();
  ASSERT_TRUE(session_->Run({.targets = {client.init_op()}}).ok());
  RunSteps({.fetches = {product, fused, convolution},
            .targets = {reference.initializer(), adam}});
  End();
  ASSERT_EQ(table_.kinds().size(), 1u);

  const auto devices = DeviceSet::Create({}).value();
  const Graph prepared =
      PrepareGraph(client, devices->Infos(), {.policies = &BuiltinPolicies()})
          .value();
  const StepPlan plan =
      PlanStep(prepared,
               {.fetches = {product.name(), fused.name(), convolution.name()},
                .targets = {reference.initializer().name(), adam.name()}},
               devices->Infos(), {.passes = &BuiltinPasses()})
          .value();
  const Graph& graph = plan.partitions.at(0).graph;
  const std::vector<NodeCost> costs = EstimateCosts(
      graph, InferShapes(graph).value(), {.kind = table_.kinds()[0]}, &table_);
  const std::map<std::string, std::string> op_of = {
      {product.operation().name(), "MatMul"},
      {fused.operation().name(), "_FusedMatMul"},
      {convolution.operation().name(), "Conv2D"},
      {reference.initializer().name(), "Assign"},
      {adam.name(), "ResourceApplyAdam"}};
  for (const auto& [name, op] : op_of) {
    const NodeId id = graph.Find(name);
    ASSERT_NE(id, kNoNode) << name;
    EXPECT_EQ(graph.node(id).op(), op);
    EXPECT_EQ(costs[id].origin, CostOrigin::kMeasured) << name;
    EXPECT_EQ(costs[id].runs_per_step, 1) << name;
  }
}

// Samples a step in which the node of `y` runs `num_runs` times. Each of these
// runs has inputs of other shapes. Returns what was measured.
DeviceCosts CostsOfRuns(GraphBuilder& b, const Output& y, int64_t num_runs) {
  const TemporaryFolder folder;
  auto devices = DeviceSet::Create({.costs_folder = folder.Path("costs")});
  auto prepared = PrepareGraph(b.Build().value(), (*devices)->Infos(),
                               {.policies = &BuiltinPolicies()});
  auto plan = PlanStep(*prepared, {.feeds = {"x"}, .fetches = {y.name()}},
                       (*devices)->Infos());
  GraphRunner runner(**devices, (*devices)->resources(), BuiltinKernels());
  const auto graph =
      runner.Register(std::move(plan->partitions[0].graph)).value();
  for (int i = 0; i < SamplingSchedule::kWarmUpSteps; ++i) {
    StepSample(graph->sampler.get(), i, nullptr).End(true);
  }
  StepSample sample(graph->sampler.get(), 7, nullptr);
  EXPECT_TRUE(sample.is_recording());
  for (const GraphSampler::Node& node : graph->sampler->nodes()) {
    if (node.def->name != y.operation().name()) continue;
    std::vector<Shape> shapes(node.def->input_types.size());
    for (int64_t i = 0; i < num_runs; ++i) {
      shapes[0] = Shape{i};
      sample.OnNodeRun({.node = node.def->name, .input_shapes = shapes});
    }
  }
  sample.End(true);
  const CostTable& table = (*devices)->costs()->table();
  return table.Copy(table.kinds().at(0));
}

// A long loop must not fill the memory.
TEST_F(GraphSamplerTest, KeepsSoManyTimesOfAStep) {
  const Output y = op::Square(b_.Placeholder<float>("x"));
  constexpr size_t kRuns = GraphSampler::kMaxTimedRuns + 100;
  const DeviceCosts costs = CostsOfRuns(b_, y, kRuns);
  EXPECT_EQ(costs.kernels().size(), GraphSampler::kMaxTimedRuns);
  EXPECT_EQ(costs.FindNode(y.operation().name())->runs, kRuns);
}

TEST_F(GraphSamplerTest, KeepsSoManyShapesOfAStep) {
  constexpr size_t kInputs = 1000;
  constexpr size_t kMaxRuns = GraphSampler::kMaxInputShapes / kInputs;
  const Output x = b_.Placeholder<float>("x");
  const Output y = op::AddN(std::vector<Output>(kInputs, x));
  const DeviceCosts costs = CostsOfRuns(b_, y, kMaxRuns + 10);
  EXPECT_EQ(costs.kernels().size(), kMaxRuns);
  EXPECT_EQ(costs.FindNode(y.operation().name())->runs, kMaxRuns + 10);
}

}  // namespace
}  // namespace leat::graph_sampler_test
