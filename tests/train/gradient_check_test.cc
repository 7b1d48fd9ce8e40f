// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares every registered gradient with central differences, on the CPU and
// on GPUs, in float64 (float32 if an op has no float64). Each case runs once
// with shapes that are known when the graph is built, and once with shapes that
// only the feeds determine.
#include <cmath>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradient_registry.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/session.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/gradient_cases.h"

namespace leat::gradient_check_test {
namespace {

// Returns distinct values in [low, high], in a fixed order that looks random.
std::vector<double> Values(int64_t count, double low, double high, int salt) {
  std::vector<double> values(count);
  const int64_t modulus = 1009;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t x = (i * 377 + salt * 131 + 57) % modulus;
    values[i] = low + (high - low) * (x + 0.5) / modulus;
  }
  return values;
}

Tensor AsTensor(const Shape& shape, const std::vector<double>& values,
                bool single) {
  if (!single) return Tensor::FromSpan<double>(shape, values);
  const std::vector<float> narrow(values.begin(), values.end());
  return Tensor::FromSpan<float>(shape, narrow);
}

std::vector<double> AsDoubles(const Tensor& tensor) {
  std::vector<double> values;
  if (tensor.dtype() == DType::kFloat) {
    for (float v : tensor.data<float>()) values.push_back(v);
  } else if (tensor.dtype() == DType::kDouble) {
    for (double v : tensor.data<double>()) values.push_back(v);
  }
  return values;
}

class GradientCheck {
 public:
  GradientCheck(const GradientCase& c, bool known_shapes) : case_(c) {
    for (size_t i = 0; i < c.shapes.size(); ++i) {
      xs_.push_back(b_.Placeholder(
          c.single ? DType::kFloat : DType::kDouble, "x" + std::to_string(i),
          known_shapes ? PartialShape(c.shapes[i]) : PartialShape()));
      points_.push_back(Values(c.shapes[i].num_elements(), c.low, c.high,
                               static_cast<int>(i)));
    }
    const Output y = c.build(b_, xs_);
    // The loss is a weighted sum, so that each element of y has a different
    // weight.
    const Output flat = op::Reshape(y, Ints(b_, {-1}));
    const Output positions =
        op::Cast(op::Range(0, op::Size(flat), 1), y.dtype());
    loss_ = op::Sum(flat * op::Sin(positions + 1.0), 0);
    const Output ys[] = {loss_};
    for (const Gradient& gradient : Gradients(ys, xs_)) {
      gradients_.push_back(gradient.AsDense());
    }
  }

  void Run() {
    ASSERT_TRUE(b_.status().ok()) << b_.status();
    absl::StatusOr<Graph> graph = b_.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    auto session = NewTestSession(*graph);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *session;
    std::vector<Tensor> analytic = Fetch(gradients_);
    ASSERT_EQ(analytic.size(), xs_.size());
    const double step = case_.single ? 1e-2 : 1e-5;
    const double tolerance = case_.single ? 2e-2 : 1e-6;
    for (size_t i = 0; i < xs_.size(); ++i) {
      EXPECT_EQ(analytic[i].shape(), case_.shapes[i]) << "input " << i;
      const std::vector<double> got = AsDoubles(analytic[i]);
      for (size_t k = 0; k < points_[i].size() && k < got.size(); ++k) {
        const double want = Difference(i, k, step);
        EXPECT_NEAR(got[k], want, tolerance * (1 + std::fabs(want)))
            << "input " << i << ", element " << k;
      }
    }
  }

 private:
  std::vector<Tensor> Fetch(const std::vector<Output>& outputs) {
    RunArgs args;
    for (size_t i = 0; i < xs_.size(); ++i) {
      args.feeds.push_back(
          {xs_[i], AsTensor(case_.shapes[i], points_[i], case_.single)});
    }
    for (const Output& output : outputs) args.fetches.push_back(output);
    absl::StatusOr<std::vector<Tensor>> result = session_->Run(args);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : std::vector<Tensor>();
  }

  double Loss() {
    const std::vector<Tensor> loss = Fetch({loss_});
    return loss.empty() ? NAN : AsDoubles(loss[0])[0];
  }

  double Difference(size_t input, size_t element, double step) {
    double& x = points_[input][element];
    const double at = x;
    x = at + step;
    const double above = Loss();
    x = at - step;
    const double below = Loss();
    x = at;
    return (above - below) / (2 * step);
  }

  const GradientCase& case_;
  GraphBuilder b_;
  std::vector<Output> xs_;
  std::vector<std::vector<double>> points_;
  Output loss_;
  std::vector<Output> gradients_;
  std::shared_ptr<Session> session_;
};

std::vector<GradientCase> Cases() {
  std::vector<GradientCase> cases;
  AddElementWise(cases);
  AddBinaryMath(cases);
  AddReductions(cases);
  AddMatrices(cases);
  AddImages(cases);
  AddShapes(cases);
  AddGathers(cases);
  AddMoves(cases);
  AddDiagonals(cases);
  AddCombinations(cases);
  return cases;
}

TEST(GradientCheckTest, AgreesWithCentralDifferencesWhereShapesAreKnown) {
  LEAT_LOCAL_SESSION_ONLY("a server computes with the same kernels");
  int i = 0;
  for (const GradientCase& c : Cases()) {
    SCOPED_TRACE("case " + std::to_string(i++) + ", " + c.op);
    GradientCheck(c, /*known_shapes=*/true).Run();
  }
}

TEST(GradientCheckTest, AgreesWithCentralDifferencesWhereTheyAreNot) {
  LEAT_LOCAL_SESSION_ONLY("a server computes with the same kernels");
  int i = 0;
  for (const GradientCase& c : Cases()) {
    SCOPED_TRACE("case " + std::to_string(i++) + ", " + c.op);
    GradientCheck(c, /*known_shapes=*/false).Run();
  }
}

// The gradient of L2Loss(x) with respect to x is x. The test gathers row 2 of w
// three times and row 0 twice, as rows and by coordinates. So the L2Loss of the
// gathered rows has, with respect to row 2, a gradient of three times this row.
TEST(GradientCheckTest, ReachesVariables) {
  GraphBuilder b;
  const Output start = b.Const(Tensor::Of<double>(Shape{3, 1}, {2, 3, 5}));
  Variable w = b.Variable("w", start);
  Variable ref = b.Variable("ref", start, {.use_resource = false});
  const Output rows =
      op::ResourceGather(w.handle(), Ints(b, {2, 0, 2}), DType::kDouble);
  const Output points = op::ResourceGatherNd(
      w.handle(), b.Const(Tensor::Of<int64_t>(Shape{1, 2}, {2, 0})),
      DType::kDouble);
  const Output ends = op::ResourceGatherNd(
      w.handle(), b.Const(Tensor::Of<int32_t>(Shape{1, 1}, {0})),
      DType::kDouble);
  const Output ys[] = {op::L2Loss(rows) + op::L2Loss(w.value()) +
                           op::L2Loss(points) + op::L2Loss(ends),
                       op::L2Loss(op::RefIdentity(ref.handle()))};
  const Output xs[] = {w.handle(), ref.handle()};
  const std::vector<Gradient> gradients = Gradients(ys, xs);
  const Output by_w = gradients[0].AsDense();
  const Output by_ref = gradients[1].AsDense();
  absl::StatusOr<Graph> graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  RunArgs init;
  init.targets.push_back(graph->init_op());
  ASSERT_TRUE((*session)->Run(init).ok());
  RunArgs args;
  args.fetches = {by_w, by_ref};
  auto result = (*session)->Run(args);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(AsDoubles((*result)[0]), ::testing::ElementsAre(6, 3, 20));
  EXPECT_THAT(AsDoubles((*result)[1]), ::testing::ElementsAre(2, 3, 5));
}

// Two ops need no case: Print passes its gradient on unchanged, and
// PreventGradient reports an error instead.
TEST(GradientCheckTest, CoversEveryGradient) {
  // The test ReachesVariables covers ReadVariableOp, RefIdentity,
  // ResourceGather and ResourceGatherNd.
  std::set<std::string> covered = {"Print",          "PreventGradient",
                                   "ReadVariableOp", "RefIdentity",
                                   "ResourceGather", "ResourceGatherNd"};
  // control_flow_gradients_test.cc covers these.
  for (const char* op : {"If", "StatelessIf", "Case", "StatelessCase", "While",
                         "StatelessWhile"}) {
    covered.insert(op);
  }
  // lowered_control_flow_test.cc covers these.
  covered.insert({"PartitionedCall", "StatefulPartitionedCall"});
  for (const GradientCase& c : Cases()) covered.insert(c.op);
  for (const OpDef* op : BuiltinOps().Ops()) {
    const auto* entry = BuiltinGradients().Find(op->name);
    if (entry == nullptr || entry->function == nullptr) continue;
    // tensor_list_gradients_test.cc and optional_gradients_test.cc cover these.
    if (op->name.starts_with("TensorList")) continue;
    if (op->name.starts_with("Optional")) continue;
    EXPECT_EQ(covered.count(op->name), 1u) << op->name;
  }
}

}  // namespace
}  // namespace leat::gradient_check_test
