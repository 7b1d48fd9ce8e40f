// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "leat/tests/graph/optimizer/passes_testing.h"

namespace leat::testing::fusion_pass_test {
namespace {

class FusionTest : public PassesTest {
 protected:
  static AttrMap ConvAttrs(const std::string& format) {
    return {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
            {"padding", std::string("SAME")},
            {"data_format", format}};
  }
};

TEST_F(FusionTest, JoinsProductBiasAndActivation) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), w = Feed(*b, "w"), c = Feed(*b, "c");
    const Output p = Feed(*b, "p");
    if (b == &given) {
      const Output product =
          Add(*b, "MatMul", "product", {x, w}, {{"transpose_b", true}}, {p});
      const Output biased = Add(*b, "BiasAdd", "biased", {product, c});
      const Output y = Add(*b, "Relu", "y", {biased});
      Add(*b, "ReluGrad", "z", {y, y});
      continue;
    }
    const std::vector<Output> args = {c};
    const Output y =
        Add(*b, "_FusedMatMul", "y", {x, w, absl::MakeConstSpan(args)},
            {{"transpose_b", true},
             {"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}}},
            {p});
    Add(*b, "ReluGrad", "z", {y, y});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, JoinsConvolutionsOfEitherFormat) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), f = Feed(*b, "f"), c = Feed(*b, "c");
    for (const std::string format : {"NHWC", "NCHW"}) {
      if (b == &given) {
        const Output product =
            Add(*b, "Conv2D", "conv" + format, {x, f}, ConvAttrs(format));
        Add(*b, "BiasAdd", "y" + format, {product, c},
            {{"data_format", format}});
        continue;
      }
      AttrMap attrs = ConvAttrs(format);
      attrs.Set("num_args", int64_t{1});
      attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd"});
      const std::vector<Output> args = {c}, none;
      Add(*b, "_FusedConv2D", "y" + format,
          {x, f, absl::MakeConstSpan(args), absl::MakeConstSpan(none)}, attrs);
    }
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, JoinsTheGradientsOfReluAndMaxPool) {
  const AttrMap pool = {{"ksize", std::vector<int64_t>{1, 2, 2, 1}},
                        {"strides", std::vector<int64_t>{1, 2, 2, 1}},
                        {"padding", std::string("VALID")}};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), y = Feed(*b, "y"), g = Feed(*b, "g");
    if (b == &given) {
      const Output grad = Add(*b, "MaxPoolGrad", "grad", {x, y, g}, pool);
      Add(*b, "ReluGrad", "z", {grad, x});
    } else {
      Add(*b, "_LeatMaxPoolReluGrad", "z", {x, y, g}, pool);
    }
    // These windows overlap.
    AttrMap closer = pool;
    closer.Set("strides", std::vector<int64_t>{1, 1, 2, 1});
    const Output sums = Add(*b, "MaxPoolGrad", "sums", {x, y, g}, closer);
    Add(*b, "ReluGrad", "of_sums", {sums, x});
    // The features of this ReluGrad (y) are not the input of the MaxPool (x).
    const Output other = Add(*b, "MaxPoolGrad", "other", {x, y, g}, pool);
    Add(*b, "ReluGrad", "kept", {other, y});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, KeepsWhatOthersSee) {
  keep = {"asked_for"};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), w = Feed(*b, "w"), c = Feed(*b, "c");
    const Output used = Add(*b, "MatMul", "used", {x, w});
    Add(*b, "BiasAdd", "a", {used, c});
    Add(*b, "Neg", "b", {used});
    const Output waited = Add(*b, "MatMul", "waited", {x, w});
    Add(*b, "BiasAdd", "d", {waited, c});
    Add(*b, "Neg", "e", {x}, {}, {waited});
    const Output kept = Add(*b, "MatMul", "asked_for", {x, w});
    Add(*b, "BiasAdd", "f", {kept, c});
    const Output far = Add(*b, "MatMul", "far", {x, w});
    auto scope = b->OnDevice("/cpu:1");
    Add(*b, "BiasAdd", "g", {far, c});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, KeepsWhatNoKernelDoes) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x", DType::kDouble);
    const Output c = Feed(*b, "c", DType::kDouble);
    const Output product = Add(*b, "MatMul", "product", {x, x});
    Add(*b, "BiasAdd", "y", {product, c});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, KeepsTensorFlowsOpsOnForeignTasks) {
  options.foreign_tasks = {kTask};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), w = Feed(*b, "w"), c = Feed(*b, "c");
    const Output product = Add(*b, "MatMul", "product", {x, w});
    Add(*b, "BiasAdd", "y", {product, c});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

}  // namespace
}  // namespace leat::testing::fusion_pass_test
