// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks the work of ops against numbers that were counted by hand, and that no
// node, however wrong, has work that is negative or infinite.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/work.h"

namespace leat::work_functions_test {
namespace {

using Ints = std::vector<int64_t>;

struct Case {
  std::string op = {};
  std::string tensors = {};  // such as "float[2,3] int32[] -> float[2,3]"
  Work expected = {};
  AttrMap attrs = {};
  std::string handles = {};
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.op << ": " << c.tensors;
}

// Parses "float[2,3] int32[]".
std::vector<TensorSpec> Specs(const std::string& text) {
  std::vector<TensorSpec> specs;
  for (const absl::string_view word :
       absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const size_t bracket = word.find('[');
    const auto dtype = ParseDType(word.substr(0, bracket));
    EXPECT_TRUE(dtype.has_value()) << word;
    Dims dims;
    for (const absl::string_view extent :
         absl::StrSplit(word.substr(bracket + 1, word.size() - bracket - 2),
                        ',', absl::SkipEmpty())) {
      dims.emplace_back();
      EXPECT_TRUE(absl::SimpleAtoi(extent, &dims.back())) << word;
    }
    const auto shape = Shape::Create(dims);
    EXPECT_TRUE(shape.ok()) << word;
    specs.push_back({.dtype = dtype.value_or(DType::kInvalid),
                     .shape = shape.ok() ? *shape : Shape()});
  }
  return specs;
}

class WorkFunctionsTest : public ::testing::TestWithParam<Case> {};

TEST_P(WorkFunctionsTest, CountsWhatTheKernelDoes) {
  const Case& c = GetParam();
  const OpDef* op = BuiltinOps().Find(c.op);
  ASSERT_NE(op, nullptr);
  const std::vector<std::string> ends = absl::StrSplit(c.tensors, "->");
  ASSERT_EQ(ends.size(), 2u);
  const auto inputs = Specs(ends[0]);
  const auto outputs = Specs(ends[1]);
  const auto handles = Specs(c.handles);
  const Work work = WorkOf(WorkContext(*op, c.attrs, inputs, outputs, handles));
  EXPECT_DOUBLE_EQ(work.flops, c.expected.flops);
  EXPECT_DOUBLE_EQ(work.bytes_read, c.expected.bytes_read);
  EXPECT_DOUBLE_EQ(work.bytes_written, c.expected.bytes_written);
  EXPECT_DOUBLE_EQ(work.scratch_bytes, c.expected.scratch_bytes);
}

const AttrMap kNchw = {{"data_format", std::string("NCHW")}};

AttrMap Equation(const std::string& text) { return {{"equation", text}}; }
AttrMap Windows() { return {{"ksize", Ints{1, 2, 2, 1}}}; }

// Each Work has the flops, the bytes read, the bytes written and the scratch.
std::vector<Case> Products() {
  return {
      {"MatMul",
       "float[3,4] float[3,5] -> float[4,5]",
       {2 * 3 * 20, 108, 80},
       {{"transpose_a", true}}},
      {"_FusedMatMul",
       "float[3,4] float[4,5] float[5] -> float[3,5]",
       {2 * 4 * 15, 148, 60}},
      {"BatchMatMulV2",
       "float[2,3,4] float[2,5,4] -> float[2,3,5]",
       {2 * 4 * 30, 256, 120},
       {{"adj_y", true}}},
      {"BatchMatMulV3",
       "int8[4,3] int8[4,5] -> int32[3,5]",
       {2 * 4 * 15, 32, 60},
       {{"adj_x", true}}},
      // An addition and a multiplication of complex numbers count as eight.
      {"BatchMatMul",
       "complex64[1,2,3] complex64[1,3,2] -> complex64[1,2,2]",
       {8 * 3 * 4, 96, 32}},
      {"Einsum",
       "float[3,4] float[4,5] -> float[3,5]",
       {2 * 4 * 15, 128, 60},
       Equation("ij,jk->ik")},
      // Both inputs are copied first.
      {"Einsum",
       "float[2,3,4,5] float[2,6,4,5] -> float[2,4,3,6]",
       {2 * 5 * 144, 2880, 2016, 1440},
       Equation("BTNH,BSNH->BNTS")},
      {"Einsum", "float[3,4] -> float[4]", {24, 48, 16}, Equation("i...->...")},
      {"Einsum", "float[3] -> float[4]", {0, 12, 16}, Equation("no equation")},
      {"LSTMBlockCell",
       "float[2,3] float[2,4] float[2,4] float[7,16] float[4] float[4] "
       "float[4] float[16] -> float[2,4] float[2,4] float[2,4] float[2,4] "
       "float[2,4] float[2,4] float[2,4]",
       {2 * (2 * 112 + 90 * 4), 648 + 256, 224 + 256, 128 + 128}},
      // The weights of the last output are read in each of five steps.
      {"BlockLSTM",
       "int64[] float[5,2,3] float[2,4] float[2,4] float[7,16] float[4] "
       "float[4] float[4] float[16] -> float[5,2,4] float[5,2,4] float[5,2,4] "
       "float[5,2,4] float[5,2,4] float[5,2,4] float[5,2,4]",
       {10 * (2 * 112 + 90 * 4), 752 + 1280 + 4 * 256, 1120 + 1280, 640 + 128}},
      {"GRUBlockCell",
       "float[2,3] float[2,4] float[7,8] float[7,4] float[8] float[4] -> "
       "float[2,4] float[2,4] float[2,4] float[2,4]",
       {2 * 2 * 84 + 57 * 8, 440 + 224, 128 + 224, 224}},
  };
}

std::vector<Case> Images() {
  return {
      {"Conv2D",
       "float[2,5,5,3] float[3,3,3,8] -> float[2,3,3,8]",
       {2 * 27 * 144, 600 + 864, 576, 864}},
      {"_FusedConv2D",
       "float[2,5,5,3] float[3,3,3,8] float[8] -> float[2,3,3,8]",
       {2 * 27 * 144, 600 + 864 + 32, 576, 864}},
      // A window in the padding is not computed.
      {"Conv2D",
       "float[1,3,1,1] float[3,3,3,8] -> float[1,8,1,1]",
       {2 * 3 * 8, 12 + 864, 32, 864},
       kNchw},
      {"Conv2DBackpropInput",
       "int32[4] float[3,3,3,8] float[2,3,3,8] -> float[2,5,5,3]",
       {2 * 27 * 144, 16 + 864 + 576, 600, 864}},
      {"Conv2DBackpropFilter",
       "float[2,5,5,3] int32[4] float[2,3,3,8] -> float[3,3,3,8]",
       {2 * 27 * 144, 600 + 16 + 576, 864, 864}},
      // Two groups.
      {"Conv2D",
       "float[1,2,2,4] float[1,1,2,8] -> float[1,2,2,8]",
       {2 * 2 * 32, 64 + 64, 128, 64}},
      {"DepthwiseConv2dNative",
       "float[1,4,4,2] float[2,2,2,3] -> float[1,3,3,6]",
       {2 * 4 * 54, 128 + 96, 216, 96}},
      {"DepthwiseConv2dNativeBackpropInput",
       "int32[4] float[2,2,2,3] float[1,3,3,6] -> float[1,4,4,2]",
       {2 * 4 * 54, 16 + 96 + 216, 128, 96}},
      {"Conv3D",
       "float[1,2,3,3,1] float[2,2,2,1,4] -> float[1,1,2,2,4]",
       {2 * 8 * 16, 72 + 128, 64, 128}},
      {"MaxPool",
       "float[1,4,4,3] -> float[1,2,2,3]",
       {4 * 12, 192, 48},
       Windows()},
      {"MaxPoolV2",
       "float[1,4,4,3] int32[4] int32[4] -> float[1,2,2,3]",
       {4 * 12, 192 + 32, 48}},
      {"MaxPoolGrad",
       "float[1,4,4,3] float[1,2,2,3] float[1,2,2,3] -> float[1,4,4,3]",
       {2 * 4 * 12, 288, 192},
       Windows()},
      {"MaxPoolGradWithArgmax",
       "float[1,4,4,3] float[1,2,2,3] int64[1,2,2,3] -> float[1,4,4,3]",
       {12, 48 + 96, 192},
       Windows()},
      {"AvgPoolGrad",
       "int32[4] float[1,2,2,3] -> float[1,4,4,3]",
       {2 * 4 * 12, 16 + 48, 192},
       Windows()},
      {"FusedBatchNormV3",
       "float[2,3,4,5] float[5] float[5] float[0] float[0] -> float[2,3,4,5] "
       "float[5] float[5] float[5] float[5] float[0]",
       {6 * 120, 960, 480},
       {{"is_training", true}}},
      {"FusedBatchNormV3",
       "float[2,3,4,5] float[5] float[5] float[5] float[5] -> float[2,3,4,5] "
       "float[5] float[5] float[5] float[5] float[0]",
       {2 * 120, 480, 480},
       {{"is_training", false}}},
      {"FusedBatchNormGradV3",
       "float[2,3,4,5] float[2,3,4,5] float[5] float[5] float[5] float[0] -> "
       "float[2,3,4,5] float[5] float[5] float[0] float[0]",
       {9 * 120, 2 * 960, 480},
       {{"is_training", true}}},
      {"LRN",
       "float[1,1,1,8] -> float[1,1,1,8]",
       {(2 * 5 + 30) * 8, 32, 32},
       {{"depth_radius", int64_t{2}}}},
      {"ResizeBilinear",
       "float[1,2,2,3] int32[2] -> float[1,4,4,3]",
       {9 * 48, 48, 192}},
      {"DecodeJpeg", "string[] -> uint8[10,10,3]", {30 * 300, 32, 300}},
  };
}

std::vector<Case> Rows() {
  return {
      {"GatherV2",
       "float[1000000,8] int64[3] int32[] -> float[3,8]",
       {0, 96 + 24 + 4, 96}},
      {"ResourceGather",
       "resource[] int32[3] -> float[3,8]",
       {0, 96 + 12, 96},
       {},
       "float[1000000,8]"},
      {"ScatterNd",
       "int32[3,1] float[3,8] int32[2] -> float[10,8]",
       {24, 12 + 2 * 96 + 8, 320 + 96}},
      {"TensorScatterAdd",
       "float[10,8] int32[3,1] float[3,8] -> float[10,8]",
       {24, 320 + 12 + 2 * 96, 320 + 96}},
      {"ResourceScatterNdAdd",
       "resource[] int32[3,1] float[3,8] ->",
       {24, 12 + 2 * 96, 96}},
      {"ScatterAdd",
       "float[1000,8] int32[3] float[3,8] -> float[1000,8]",
       {24, 12 + 2 * 96, 96}},
      // The handle says how long the rows are to which one number is added.
      {"ResourceScatterAdd",
       "resource[] int32[3] float[] ->",
       {24, 12 + 4 + 96, 96},
       {},
       "float[1000,8]"},
      {"UnsortedSegmentSum",
       "float[6,4] int32[6] int32[] -> float[3,4]",
       {24, 96 + 24 + 4 + 48, 48 + 48}},
      {"SparseSegmentSum",
       "float[1000,4] int32[3] int32[3] -> float[2,4]",
       {12, 48 + 24, 32}},
      {"SparseSegmentSumGrad",
       "float[2,4] int32[3] int32[3] int32[] -> float[1000,4]",
       {12, 32 + 28 + 48, 16000 + 48}},
      {"ReadVariableOp", "resource[] -> float[10]", {}, {}, "float[10]"},
      {"AssignVariableOp", "resource[] float[10] ->", {}, {}, "float[10]"},
      {"AssignAddVariableOp", "resource[] float[10] ->", {10, 80, 40}},
      {"Assign", "float[10] float[10] -> float[10]", {}},
      {"AssignSub", "float[10] float[10] -> float[10]", {10, 80, 40}},
      {"ApplyGradientDescent",
       "float[10] float[] float[10] -> float[10]",
       {20, 80, 40}},
      {"ResourceApplyAdam",
       "resource[] resource[] resource[] float[] float[] float[] float[] "
       "float[] float[] float[10] ->",
       {12 * 10, 4 * 40, 3 * 40}},
      {"ResourceSparseApplyMomentum",
       "resource[] resource[] float[] float[3,8] int32[3] float[] ->",
       {4 * 24, 3 * 96 + 12, 2 * 96},
       {},
       "float[1000000,8] float[1000000,8]"},
  };
}

std::vector<Case> Movements() {
  return {
      {"Slice", "float[4,6] int32[2] int32[2] -> float[2,3]", {0, 24 + 16, 24}},
      {"Slice", "float[4,6] int32[2] int32[2] -> float[4,6]", {}},
      {"StridedSlice",
       "float[8,6] int32[2] int32[2] int32[2] -> float[4,6]",
       {}},
      {"StridedSlice", "float[8,6] int32[1] int32[1] int32[1] -> float[6]", {}},
      {"StridedSlice",
       "float[8,6] int32[2] int32[2] int32[2] -> float[8,3]",
       {0, 96 + 24, 96}},
      // The slice would keep too large a tensor.
      {"StridedSlice",
       "float[100,6] int32[1] int32[1] int32[1] -> float[6]",
       {0, 24 + 12, 24}},
      {"Split", "int32[] float[4,6] -> float[2,6] float[2,6]", {}},
      {"Split", "int32[] float[4,6] -> float[4,3] float[4,3]", {0, 100, 96}},
      {"Unpack",
       "float[2,2] -> float[2] float[2]",
       {},
       {{"axis", int64_t{-2}}}},
      {"Unpack",
       "float[2,2] -> float[2] float[2]",
       {0, 16, 16},
       {{"axis", int64_t{1}}}},
      {"ConcatV2", "float[2,3] float[2,3] int32[] -> float[4,3]", {0, 52, 48}},
      {"Tile", "float[2,3] int32[2] -> float[4,6]", {0, 32, 96}},
      {"Pad", "float[2,3] int32[2,2] -> float[4,6]", {0, 40, 96}},
      {"Transpose", "float[2,3] int32[2] -> float[3,2]", {0, 32, 24}},
      {"MatrixDiagPart", "float[8,8] -> float[8]", {0, 32, 32}},
      {"Fill", "int32[1] float[] -> float[10]", {0, 0, 40}},
      {"TensorListStack", "variant[] int32[1] -> float[5,2]", {0, 44, 40}},
      {"RandomUniform", "int32[1] -> float[10]", {250, 0, 40}},
      {"CheckNumerics", "float[10] -> float[10]", {10, 40, 0}},
  };
}

std::vector<Case> Elements() {
  return {
      {"Mul", "float[3,1] float[4] -> float[3,4]", {12, 28, 48}},
      {"Mul", "complex64[4] complex64[4] -> complex64[4]", {16, 64, 32}},
      {"AddN", "float[4] float[4] float[4] -> float[4]", {8, 48, 16}},
      {"SquaredDifference", "float[4] float[4] -> float[4]", {8, 32, 16}},
      {"Exp", "float[4] -> float[4]", {60, 16, 16}},
      {"Pow", "float[4] float[] -> float[4]", {120, 20, 16}},
      {"TanhGrad", "float[4] float[4] -> float[4]", {12, 32, 16}},
      {"Sum", "float[4,6] int32[1] -> float[4]", {24, 100, 16}},
      {"Cumsum", "float[4,6] int32[] -> float[4,6]", {24, 100, 96}},
      {"L2Loss", "float[4,6] -> float[]", {48, 96, 4}},
      {"ArgMax", "float[4,6] int32[] -> int64[4]", {24, 100, 32}},
      {"Softmax", "float[2,10] -> float[2,10]", {400, 80, 80}},
      {"SoftmaxCrossEntropyWithLogits",
       "float[2,10] float[2,10] -> float[2] float[2,10]",
       {480, 160, 88}},
      {"TopKV2",
       "float[2,15] int32[] -> float[2,3] int32[2,3]",
       {2 * (2 * 15 + 2 * 3 * 4), 124, 48}},
      {"Unique", "float[10] -> float[7] int32[10]", {100, 40, 68}},
  };
}

// These ops pass on what they get, or make a view of it.
std::vector<Case> Views() {
  std::vector<Case> cases;
  for (const char* op : {"Identity",
                         "StopGradient",
                         "Reshape",
                         "Squeeze",
                         "ExpandDims",
                         "Switch",
                         "Merge",
                         "Enter",
                         "Exit",
                         "NextIteration",
                         "Shape",
                         "Size",
                         "Rank",
                         "Const",
                         "Placeholder",
                         "_Arg",
                         "_Retval",
                         "_Send",
                         "_Recv",
                         "TensorListGetItem",
                         "TensorArrayReadV3",
                         "IteratorGetNext"}) {
    cases.push_back({op, "float[10,10] int32[] -> float[10,10]"});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Products, WorkFunctionsTest,
                         ::testing::ValuesIn(Products()));
INSTANTIATE_TEST_SUITE_P(Images, WorkFunctionsTest,
                         ::testing::ValuesIn(Images()));
INSTANTIATE_TEST_SUITE_P(Rows, WorkFunctionsTest, ::testing::ValuesIn(Rows()));
INSTANTIATE_TEST_SUITE_P(Movements, WorkFunctionsTest,
                         ::testing::ValuesIn(Movements()));
INSTANTIATE_TEST_SUITE_P(Elements, WorkFunctionsTest,
                         ::testing::ValuesIn(Elements()));
INSTANTIATE_TEST_SUITE_P(Views, WorkFunctionsTest,
                         ::testing::ValuesIn(Views()));

// Returns a value that no kernel would accept.
AttrValue WrongValue(const AttrDef& attr, int64_t number) {
  if (attr.type == "int") return number;
  if (attr.type == "bool") return number > 0;
  if (attr.type == "string") {
    return std::string(attr.name == "equation" ? "a...,...a->..." : "NC");
  }
  if (attr.type == "list(int)") return Ints(9, number);
  return {};
}

std::vector<AttrMap> WrongAttrs(const OpDef& op) {
  std::vector<AttrMap> result(1);
  for (const int64_t number : {std::numeric_limits<int64_t>::min(), int64_t{0},
                               std::numeric_limits<int64_t>::max()}) {
    AttrMap& attrs = result.emplace_back();
    for (const AttrDef& attr : op.attrs) {
      attrs.Set(attr.name, WrongValue(attr, number));
    }
  }
  return result;
}

void ExpectSaneWork(const WorkContext& context) {
  // Sums of millions of such numbers are finite.
  constexpr double kMost = 1e30;
  const Work work = WorkOf(context);
  for (const double amount :
       {work.flops, work.bytes_read, work.bytes_written, work.scratch_bytes}) {
    ASSERT_TRUE(amount >= 0 && amount <= kMost)
        << context.op().name << ": " << amount << ", "
        << context.input(0).shape.DebugString();
  }
}

TEST(WrongNodesTest, HaveFiniteWork) {
  constexpr int64_t kHuge = int64_t{1} << 60;
  const std::vector<Shape> shapes = {{},
                                     {0},
                                     {kHuge},
                                     {0, kHuge},
                                     {kHuge, 4},
                                     {2, 2, 2, 2, 2, 2, 2, 2},
                                     {1 << 20, 1 << 20, 1 << 10, 8},
                                     {0, 0, 0, 0, 0, 0, 0, 0}};
  for (const OpDef* op : BuiltinOps().Ops()) {
    for (const AttrMap& attrs : WrongAttrs(*op)) {
      for (const DType dtype : {DType::kInvalid, DType::kFloat, DType::kString,
                                DType::kResource, DType::kComplex128}) {
        for (size_t i = 0; i < shapes.size(); ++i) {
          const TensorSpec spec = {.dtype = dtype, .shape = shapes[i]};
          const TensorSpec next = {.dtype = dtype,
                                   .shape = shapes[(i + 1) % shapes.size()]};
          for (const size_t count : {0, 1, 2, 20}) {
            const std::vector<TensorSpec> some(count, spec);
            const std::vector<TensorSpec> others(count, next);
            ExpectSaneWork(WorkContext(*op, attrs, some, others, some));
            ExpectSaneWork(WorkContext(*op, attrs, some, some, others));
          }
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace leat::work_functions_test
