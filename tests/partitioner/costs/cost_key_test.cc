// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cost_key.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"

namespace leat::cost_key_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

NodeDef Def(const std::string& op, const AttrMap& attrs) {
  return {.name = "n", .op = BuiltinOps().Find(op), .attrs = attrs};
}

TEST(CostKeyTest, HasOpInputsAndAttrs) {
  const NodeDef def = Def("MatMul", {{"T", DType::kFloat},
                                     {"transpose_a", false},
                                     {"transpose_b", true},
                                     {"_class", std::string("loc:@v")}});
  EXPECT_EQ(CostKey(def, {{DType::kFloat, {32, 784}},
                          {RefOf(DType::kFloat), {100, 784}}}),
            "MatMul(float[32,784], float[100,784]){T=float, transpose_a=false, "
            "transpose_b=true}");
}

TEST(CostKeyTest, DiffersByDTypeShapeAndAttr) {
  const NodeDef def = Def("MatMul", {{"transpose_a", false}});
  const NodeDef transposed = Def("MatMul", {{"transpose_a", true}});
  const std::vector<TensorSpec> small = {{DType::kFloat, {2, 2}}};
  const std::vector<TensorSpec> large = {{DType::kFloat, {2, 3}}};
  const std::vector<TensorSpec> wide = {{DType::kDouble, {2, 2}}};
  EXPECT_NE(CostKey(def, small), CostKey(def, large));
  EXPECT_NE(CostKey(def, small), CostKey(def, wide));
  EXPECT_NE(CostKey(def, small), CostKey(transposed, small));
}

TEST(CostKeyTest, HasNoValueOfATensor) {
  const Tensor secret = Tensor::Scalar<int32_t>(771177);
  const std::string key =
      CostKey(Def("Const", {{"dtype", DType::kInt32}, {"value", secret}}), {});
  EXPECT_EQ(key, "Const(){dtype=int32, value=int32[]}");
}

TEST(CostKeyTest, HasTextsThatMatterAndNoNames) {
  EXPECT_EQ(CostKey(Def("VarHandleOp", {{"container", std::string("c")},
                                        {"shared_name", std::string("secret")},
                                        {"dtype", DType::kFloat}}),
                    {}),
            "VarHandleOp(){dtype=float}");
  EXPECT_THAT(
      CostKey(Def("Einsum", {{"equation", std::string("ij,jk->ik")}}), {}),
      HasSubstr("equation=ij,jk->ik"));
  EXPECT_THAT(
      CostKey(Def("MaxPool", {{"padding", std::string("SAME")},
                              {"ksize", std::vector<int64_t>{1, 2, 2, 1}}}),
              {}),
      HasSubstr("ksize=[1, 2, 2, 1], padding=SAME"));
  EXPECT_THAT(CostKey(Def("RandomUniform", {{"seed", int64_t{771177}}}), {}),
              Not(HasSubstr("771177")));
}

TEST(CostKeyTest, HasALimitAndIsPrintable) {
  const NodeDef def = Def("ConcatV2", {});
  std::vector<TensorSpec> inputs(5000, {DType::kFloat, {1}});
  const std::string key = CostKey(def, inputs);
  EXPECT_EQ(key.size(), kMaxCostKey);
  inputs.back().shape = {2};
  const std::string other = CostKey(def, inputs);
  EXPECT_EQ(other.size(), kMaxCostKey);
  EXPECT_NE(key, other);
  EXPECT_THAT(
      CostKey(Def("Einsum", {{"equation", std::string("\xe2\x80\xae\n")}}), {}),
      HasSubstr(R"(equation=\xe2\x80\xae\n)"));
}

}  // namespace
}  // namespace leat::cost_key_test
