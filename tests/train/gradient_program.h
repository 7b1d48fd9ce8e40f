// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GradientProgram holds the graph of a test and the float64 values that the
// graph is fed. It compares gradients with central differences.
#ifndef LEAT_TESTS_TRAIN_GRADIENT_PROGRAM_H_
#define LEAT_TESTS_TRAIN_GRADIENT_PROGRAM_H_

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat {

using Outputs = std::vector<Output>;

// Owns a graph builder, the placeholders of the graph, the values that these
// placeholders are fed, and the session that runs the graph. Errors make the
// test fail. A GradientProgram is thread-compatible.
class GradientProgram {
 public:
  // The test adds its function to this builder. The graph is built at the first
  // Fetch, so nothing may be added after that.
  GraphBuilder b;
  // Is the number of CPU devices of the session. Set it before the first Fetch.
  int num_cpus = 1;

  // Adds a float64 placeholder that is fed `point`. If `known_shape` is false,
  // the shape of the placeholder is unknown. REQUIRES: `point` has as many
  // elements as `shape`.
  Output Input(const std::string& name, const Shape& shape,
               std::vector<double> point, bool known_shape = true) {
    inputs_.push_back(
        b.Placeholder(DType::kDouble, name,
                      known_shape ? PartialShape(shape) : PartialShape()));
    shapes_.push_back(shape);
    points_.push_back(std::move(point));
    return inputs_.back();
  }

  // Returns the elements that input number `input` is fed. A test may change
  // them between two runs.
  std::vector<double>& point(size_t input) { return points_[input]; }

  // Runs a step that feeds all inputs and returns the values of `outputs`, or
  // an empty vector after an error.
  std::vector<Tensor> Fetch(const Outputs& outputs) {
    if (session_ == nullptr) {
      absl::StatusOr<Graph> graph = b.Build();
      EXPECT_TRUE(graph.ok()) << graph.status();
      if (!graph.ok()) return {};
      auto session =
          NewTestSession(*graph, {.devices = {.num_cpus = num_cpus}});
      EXPECT_TRUE(session.ok()) << session.status();
      if (!session.ok()) return {};
      session_ = *session;
      const auto init = session_->Run({.targets = {graph->init_op()}});
      EXPECT_TRUE(init.ok()) << init.status();
    }
    RunArgs args;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      args.feeds.push_back(
          {inputs_[i], Tensor::FromSpan<double>(shapes_[i], points_[i])});
    }
    for (const Output& output : outputs) args.fetches.push_back(output);
    absl::StatusOr<std::vector<Tensor>> result = session_->Run(args);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : std::vector<Tensor>();
  }

  // Fetches a float64 scalar. Returns NaN after an error.
  double Scalar(const Output& output) {
    const std::vector<Tensor> result = Fetch({output});
    return result.empty() ? NAN : result[0].data<double>()[0];
  }

  // Adds the gradients of `loss` with respect to all inputs, as dense tensors.
  // If an input has no gradient, makes the test fail.
  Outputs Gradients(const Output& loss) {
    const Output ys[] = {loss};
    Outputs result;
    for (const Gradient& gradient : leat::Gradients(ys, inputs_)) {
      EXPECT_FALSE(gradient.IsNone());
      result.push_back(gradient.AsDense());
    }
    EXPECT_EQ(b.status(), absl::OkStatus());
    return result;
  }

  // Compares `gradients`, one per input, with the central differences of `loss`
  // at the inputs' points, with a tolerance of 1e-6. The tolerance is relative
  // for values above 1.
  void Check(const Output& loss, const Outputs& gradients) {
    ASSERT_EQ(b.status(), absl::OkStatus());
    const std::vector<Tensor> analytic = Fetch(gradients);
    ASSERT_EQ(analytic.size(), inputs_.size());
    // The truncation error is of order kStep^2, far below the tolerance.
    constexpr double kStep = 1e-5;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      EXPECT_EQ(analytic[i].shape(), shapes_[i]) << "input " << i;
      for (size_t k = 0; k < points_[i].size(); ++k) {
        double& x = points_[i][k];
        const double at = x;
        x = at + kStep;
        const double above = Scalar(loss);
        x = at - kStep;
        const double below = Scalar(loss);
        x = at;
        const double want = (above - below) / (2 * kStep);
        EXPECT_NEAR(analytic[i].data<double>()[k], want,
                    1e-6 * (1 + std::fabs(want)))
            << "input " << i << ", element " << k;
      }
    }
  }

  // Compares the gradients that Gradients(loss) computes with the central
  // differences.
  void Check(const Output& loss) { Check(loss, Gradients(loss)); }

 private:
  // These vectors have one element per input.
  Outputs inputs_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<double>> points_;
  std::shared_ptr<Session> session_;  // null before the first Fetch
};

// Returns the sum of all elements of `x`, a scalar.
inline Output Total(const Output& x) {
  return op::Sum(op::Reshape(x, Tensor::Vector<int32_t>({-1})), 0);
}

}  // namespace leat

#endif  // LEAT_TESTS_TRAIN_GRADIENT_PROGRAM_H_
