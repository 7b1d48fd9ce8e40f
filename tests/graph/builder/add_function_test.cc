// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the structure and the errors of functions that nodes name in attrs.
// tests/train/dataset_stages_test.cc and dataset_iterator_test.cc run such
// functions.
#include "leat/graph/builder/add_function.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"

namespace leat::add_function_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Outputs = std::vector<Output>;
using Arguments = absl::Span<const Output>;

const FunctionTensor kVector{.dtype = DType::kFloat, .shape = {-1}};

TEST(AddFunctionTest, TakesItsArgumentsAndThenWhatItCaptures) {
  GraphBuilder b;
  const Output scale = b.Const(2.0f, "scale");
  const auto added =
      AddFunction(b, "f", {kVector, kVector}, [&](Arguments x) -> Outputs {
        return {x[0] * scale, x[1], op::Shape(x[0])};
      });
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_THAT(added->captured, ElementsAre(scale));
  ASSERT_EQ(added->results.size(), 3u);
  EXPECT_EQ(added->results[1].dtype, DType::kFloat);
  EXPECT_EQ(added->results[1].shape, PartialShape({-1}));
  EXPECT_EQ(added->results[2].dtype, DType::kInt32);
  EXPECT_EQ(added->results[2].shape, PartialShape({1}));

  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ValidateFunctions(*graph), absl::OkStatus());
  const Function* const function = graph->functions().Find("f");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(ValidateBody(*function, BuiltinOps(), graph->functions()),
            absl::OkStatus());
  ASSERT_EQ(function->signature.inputs.size(), 3u);
  EXPECT_EQ(function->signature.inputs[2].name, "scale");
  EXPECT_EQ(function->signature.outputs.size(), 3u);
  EXPECT_EQ(function->returns[1].second, function->signature.inputs[1].name);
}

TEST(AddFunctionTest, AddsFunctionsWithinFunctions) {
  GraphBuilder b;
  std::string inner;
  const auto added = AddFunction(b, "f", {kVector}, [&](Arguments x) {
    const auto nested =
        AddFunction(b, "f", {}, [&](Arguments) -> Outputs { return {x[0]}; });
    EXPECT_TRUE(nested.ok()) << nested.status();
    EXPECT_THAT(nested->captured, ElementsAre(x[0]));
    inner = nested->function.name;
    return Cond(
        op::Less(op::Rank(x[0]), 2), [&] { return Outputs{x[0]}; },
        [&] { return Outputs{-x[0]}; });
  });
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_NE(inner, added->function.name);
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->functions().size(), 4u);
  EXPECT_NE(graph->functions().Find(inner), nullptr);
}

TEST(AddFunctionTest, ReportsWhatABodyCannotDo) {
  GraphBuilder b;
  const Operation outside = b.Group({}, "outside");
  const auto none =
      AddFunction(b, "none", {}, [](Arguments) { return Outputs{Output()}; });
  EXPECT_THAT(none.status().message(),
              HasSubstr("'none' returns as tensor 0 an output of no node"));
  const auto waits = AddFunction(b, "waits", {kVector}, [&](Arguments x) {
    const Scope after = b.ControlDependencies({&outside, 1});
    return Outputs{op::Identity(x[0])};
  });
  EXPECT_THAT(waits.status().message(),
              HasSubstr("'waits' has a control dependency on an operation "
                        "outside of it"));
  // An error within the body is that of the builder.
  EXPECT_EQ(b.status(), absl::OkStatus());
  const auto wrong = AddFunction(b, "wrong", {kVector}, [&](Arguments x) {
    return Outputs{op::MatMul(x[0], x[0])};
  });
  EXPECT_TRUE(absl::IsInvalidArgument(wrong.status())) << wrong.status();
  EXPECT_THAT(wrong.status().message(),
              HasSubstr("node 'MatMul' (MatMul) of 'wrong'"));
  EXPECT_EQ(wrong.status(), b.status());
  EXPECT_EQ(AddFunction(b, "late", {},
                        [](Arguments) -> Outputs {
                          ADD_FAILURE() << "was called after an error";
                          return {};
                        })
                .status(),
            b.status());
}

}  // namespace
}  // namespace leat::add_function_test
