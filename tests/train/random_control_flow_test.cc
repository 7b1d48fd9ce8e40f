// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the gradients of randomly nested branches and loops with central
// differences.
#include <random>

#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/gradient_program.h"

namespace leat::random_control_flow_test {
namespace {

using Variables = absl::Span<const Output>;

// Makes expressions of nested sums, products, branches and loops.
class RandomExpression {
 public:
  explicit RandomExpression(uint32_t seed) : random_(seed) {}

  Output Make(const Outputs& values, int depth) {
    if (depth == 0) return Pick(values);
    switch (Draw(7)) {
      case 0:
        return op::Sin(Make(values, depth - 1) + Make(values, depth - 1));
      case 1:
        return op::Tanh(Make(values, depth - 1)) * Make(values, depth - 1);
      case 2:
        return Make(values, depth - 1) - Pick(values);
      case 3:
        return MakeCond(values, depth);
      case 4:
        return MakeCase(values, depth);
      default:
        return MakeWhile(values, depth);
    }
  }

 private:
  int Draw(int count) {
    return static_cast<int>(random_() % static_cast<uint32_t>(count));
  }
  Output Pick(const Outputs& values) {
    return values[static_cast<size_t>(Draw(static_cast<int>(values.size())))];
  }

  // Makes two expressions, of which the second may use the first. Returns the
  // second expression and a randomly chosen value, which may be one of the two
  // expressions.
  Outputs Branch(Outputs values, int depth) {
    values.push_back(Make(values, depth - 1));
    values.push_back(Make(values, depth - 1));
    return {values.back(), Pick(values)};
  }

  Output MakeCond(const Outputs& values, int depth) {
    const Outputs y = Cond(
        op::Less(Pick(values), Pick(values) + 0.123),
        [&] { return Branch(values, depth); },
        [&] { return Branch(values, depth); });
    return y[0] * 0.5 + y[1];
  }

  Output MakeCase(const Outputs& values, int depth) {
    return Case(op::Cast(Pick(values) * 3.0, DType::kInt32),
                {[&] { return Outputs{Make(values, depth - 1)}; },
                 [&] { return Outputs{Pick(values)}; },
                 [&] { return Outputs{Make(values, depth - 1)}; }})[0];
  }

  Output MakeWhile(const Outputs& values, int depth) {
    const Output zero = values[0].builder()->Const<int32_t>(0);
    const int count = Draw(4);
    const Outputs r = While(
        {Pick(values), zero, Pick(values)},
        [&](Variables v) { return op::Less(v[1], count); },
        [&](Variables v) {
          Outputs all = values;
          all.push_back(v[0]);
          all.push_back(v[2]);
          const Output first = op::Sin(Make(all, depth - 1));
          all.push_back(first);
          const Output second = Draw(2) == 0 ? v[2] : op::Tanh(Pick(all));
          return Outputs{first, v[1] + 1, second};
        });
    return r[0] + r[2];
  }

  std::minstd_rand random_;
};

TEST(RandomControlFlowTest, AgreesWithCentralDifferences) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    GradientProgram p;
    const Outputs inputs = {p.Input("x", Shape{}, {0.37}),
                            p.Input("y", Shape{}, {-0.81}),
                            p.Input("z", Shape{}, {0.59})};
    const Output result =
        RandomExpression(seed).Make(inputs, 3 + static_cast<int>(seed % 3));
    // The product makes sure that every input has a gradient.
    const Output loss = result + inputs[0] * inputs[1] * inputs[2];
    const Outputs gradients = p.Gradients(loss);
    ASSERT_EQ(p.b.status(), absl::OkStatus());
    p.Check(loss, gradients);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace leat::random_control_flow_test
