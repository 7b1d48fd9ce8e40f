// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests which values a program may pass as an argument of an op function, and
// what the builder makes of them.
#include "leat/graph/builder/operand.h"

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"

namespace leat::operand_test {
namespace {

using ::testing::HasSubstr;

// A value that cannot be an argument does not compile.
static_assert(std::is_convertible_v<int, Operand>);
static_assert(std::is_convertible_v<const char*, Operand>);
static_assert(std::is_convertible_v<std::string, Operand>);
static_assert(std::is_convertible_v<std::vector<float>, Operand>);
static_assert(std::is_convertible_v<Dims, Operand>);
static_assert(!std::is_convertible_v<std::nullptr_t, Operand>);
static_assert(!std::is_convertible_v<std::vector<std::string>, Operand>);
static_assert(!std::is_convertible_v<std::vector<Output>, Operand>);
static_assert(!std::is_convertible_v<DType, Operand>);
static_assert(!std::is_convertible_v<Output*, Operand>);
static_assert(std::is_convertible_v<std::vector<Output>, OperandList>);
static_assert(std::is_convertible_v<std::array<Output, 2>, OperandList>);
static_assert(!std::is_convertible_v<Output, OperandList>);
static_assert(!std::is_convertible_v<std::vector<int>, OperandList>);

static_assert(std::is_invocable_v<decltype(&op::Add), Output, float,  //
                                  SourceLocation>);
static_assert(!std::is_invocable_v<decltype(&op::Add), Output,
                                   std::vector<Output>, SourceLocation>);
static_assert(!std::is_invocable_v<decltype(&op::AddN), Output,  //
                                   SourceLocation>);

template <class T, class V>
concept MakesConst = requires(GraphBuilder& b, const V& value) {
  b.Const<T>(value);
};
static_assert(MakesConst<float, int>);
static_assert(MakesConst<std::string, const char*>);
static_assert(MakesConst<void, bool>);
static_assert(!MakesConst<int32_t, std::string>);
static_assert(!MakesConst<std::string, int>);
static_assert(!MakesConst<void, Output>);
static_assert(!MakesConst<void, std::vector<int>>);

// Returns the tensor of the Const that is input `i` of the output's node.
Tensor ValueOf(const Output& output, int i) {
  return output.operation().input(i).operation().attr<Tensor>("value");
}

std::string Message(const GraphBuilder& b) {
  return std::string(b.status().message());
}

// Returns `text` followed by " (FILE:LINE)", which a builder adds to the
// message of an error. FILE is this file, and LINE is `line`.
std::string At(int line, absl::string_view text) {
  return absl::StrCat(text, " (", SourceLocation::Current().file, ":", line,
                      ")");
}

TEST(OperandTest, AListOfNumbersIsATensor) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2, 3, 4});
  const Output y = op::Transpose(x, {1, 0, 2});
  EXPECT_EQ(y.shape(), PartialShape({3, 2, 4}));
  EXPECT_EQ(y.operation().input(1).name(), "Transpose/perm:0");
  EXPECT_TRUE(Identical(ValueOf(y, 1), Tensor::Vector<int32_t>({1, 0, 2})));
  EXPECT_EQ(op::Reshape(x, {-1, 8}).shape(), PartialShape({3, 8}));
  EXPECT_EQ(op::Reshape(x, {24}).shape(), PartialShape({24}));
  const Output one = b.Placeholder<float>("one", {1, 1});
  EXPECT_EQ(op::Reshape(one, {}).shape(), PartialShape(Shape{}));
  EXPECT_EQ(op::Sum(x, {0, 2}).shape(), PartialShape({3}));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, AVariableStandsForItsValue) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2, 3});
  const Variable w = b.Variable("w", Tensor::Filled<float>(Shape{3, 4}, 0.5f));
  EXPECT_EQ(op::MatMul(x, w).operation().input(1), w.value());
  EXPECT_EQ((w * 2).operation().input(0), w.value());
  EXPECT_EQ(op::ConcatV2({w, w}, 0).shape(), PartialShape({6, 4}));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, AVariableStartsFromNumbers) {
  GraphBuilder b;
  const Scope scope = b.NameScope("net");
  const Variable bias = b.Variable("bias", {{0.5, 1}, {2, 3}});
  EXPECT_EQ(bias.dtype(), DType::kFloat);
  EXPECT_EQ(bias.shape(), PartialShape({2, 2}));
  const Operation initial =
      bias.initializer().input(bias.initializer().num_inputs() - 1).operation();
  EXPECT_EQ(initial.name(), "net/bias/initial_value");
  EXPECT_EQ(b.Variable("count", 0).dtype(), DType::kInt32);
  EXPECT_EQ(b.Variable("word", "a").dtype(), DType::kString);
  const Tensor many = Tensor::Filled<double>(Shape{3}, 1);
  EXPECT_EQ(b.Variable("many", many).dtype(), DType::kDouble);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, AListOfListsIsAMatrix) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2, 3});
  const Output y = op::Pad(x, {{1, 1}, {0, 2}});
  EXPECT_EQ(y.shape(), PartialShape({4, 5}));
  EXPECT_TRUE(
      Identical(ValueOf(y, 1), Tensor::Of<int32_t>(Shape{2, 2}, {1, 1, 0, 2})));
  const Output column = op::Add(x, {{1}, {2}});
  EXPECT_TRUE(
      Identical(ValueOf(column, 1), Tensor::Of<float>(Shape{2, 1}, {1, 2})));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, AListWithOutputsIsAPack) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  const Output rows = b.Placeholder<int64_t>("rows", Shape{});
  const Scope scope = b.NameScope("model");
  const Scope device = b.OnDevice("/cpu:1");
  const Output y = op::Reshape(x, {rows, -1});
  const Operation pack = y.operation().input(1).operation();
  EXPECT_EQ(pack.op(), "Pack");
  EXPECT_EQ(pack.name(), "model/Reshape/shape");
  EXPECT_EQ(pack.output(0).dtype(), DType::kInt64);
  EXPECT_EQ(pack.input(0), rows);
  EXPECT_EQ(pack.input(1).name(), "model/Reshape/shape/1:0");
  EXPECT_TRUE(
      Identical(ValueOf(pack.output(0), 1), Tensor::Scalar<int64_t>(-1)));
  for (const Operation& made : {pack, pack.input(1).operation()}) {
    EXPECT_EQ(b.graph().node(made.id()).def->device, "/device:CPU:1");
  }
  const Output square = op::Add(x, {{x, 1}, {2, x}});
  EXPECT_EQ(square.operation().input(1).operation().input(1).name(),
            "model/Add/y/1:0");
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, AListArgumentTakesNumbersAndLists) {
  GraphBuilder b;
  const Output x = b.Placeholder<double>("x", Shape{2});
  const Output h = b.Placeholder<double>("h", Shape{3});
  EXPECT_EQ(op::ConcatV2({x, h}, 0).shape(), PartialShape({5}));
  const Output y = op::ConcatV2({x, {7, 8}, h}, 0);
  EXPECT_EQ(y.shape(), PartialShape({7}));
  EXPECT_EQ(y.operation().input(1).name(), "ConcatV2_1/values_1:0");
  EXPECT_TRUE(Identical(ValueOf(y, 1), Tensor::Vector<double>({7, 8})));
  const std::vector<Output> both = {x, x};
  EXPECT_EQ(op::AddN(both).operation().num_inputs(), 2);
  EXPECT_EQ(op::AddN({x}).operation().num_inputs(), 1);
  EXPECT_EQ(op::Pack({x, x}).shape(), PartialShape({2, 2}));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, TakesContainersAndStrings) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2, 3});
  const std::vector<int> perm = {1, 0};
  EXPECT_TRUE(Identical(ValueOf(op::Transpose(x, perm), 1),
                        Tensor::Vector<int32_t>({1, 0})));
  EXPECT_EQ(op::Reshape(x, x.shape().dims()).shape(), x.shape());
  const std::vector<float> bias = {1, 2, 3};
  EXPECT_EQ(op::Add(x, bias).shape(), x.shape());
  const Output text = b.Placeholder<std::string>("text", Shape{2});
  const Output joined = op::StringJoin(b, {text, "!", {"a", "b"}});
  EXPECT_EQ(ValueOf(joined, 1).scalar<std::string>(), "!");
  EXPECT_TRUE(
      Identical(ValueOf(joined, 2), Tensor::Vector<std::string>({"a", "b"})));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, NumbersFollowTheRulesOfDTypes) {
  GraphBuilder b;
  const Output x = b.Placeholder<bfloat16>("x", Shape{2});
  const Output wide = b.Placeholder<int64_t>("wide", Shape{1});
  const auto input_type = [](const Output& y, int i) {
    return y.operation().input(i).dtype();
  };
  // The op determines the dtype.
  EXPECT_EQ(input_type(op::Switch(x, true).output_true, 1), DType::kBool);
  // An Output among the arguments determines the dtype.
  EXPECT_EQ(input_type(op::Add(x, {1, 2}), 1), DType::kBfloat16);
  EXPECT_EQ(input_type(op::Slice(x, wide, {1}), 2), DType::kInt64);
  // The default of the attr determines the dtype.
  EXPECT_EQ(input_type(op::Transpose(x, {0}), 1), DType::kInt32);
  // If several numbers take their dtype from the same attr, they determine the
  // dtype together.
  const Output condition = b.Placeholder<bool>("condition", Shape{2});
  EXPECT_EQ(op::SelectV2(condition, 0, 1.5).dtype(), DType::kFloat);
  EXPECT_EQ(op::SelectV2(condition, 0, 1).dtype(), DType::kInt32);
  EXPECT_EQ(op::SelectV2(condition, true, false).dtype(), DType::kBool);
  EXPECT_EQ(input_type(op::GatherV2(x, {0, 1}, 0), 1), DType::kInt32);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, MakesConstantsOfLists) {
  GraphBuilder b;
  const auto value = [](const Output& c) {
    return c.operation().attr<Tensor>("value");
  };
  EXPECT_TRUE(Identical(value(b.Const<int32_t>({1, 2})),
                        Tensor::Vector<int32_t>({1, 2})));
  EXPECT_TRUE(
      Identical(value(b.Const<int64_t>({5})), Tensor::Vector<int64_t>({5})));
  EXPECT_TRUE(Identical(value(b.Const<float>({{1, 0}, {0.5, 1}})),
                        Tensor::Of<float>(Shape{2, 2}, {1, 0, 0.5f, 1})));
  EXPECT_TRUE(Identical(value(b.Const<double>({{1}, {2}})),
                        Tensor::Of<double>(Shape{2, 1}, {1, 2})));
  EXPECT_TRUE(Identical(value(b.Const<std::string>({"a", "b"})),
                        Tensor::Vector<std::string>({"a", "b"})));
  EXPECT_TRUE(Identical(value(b.Const<bool>({true, false})),
                        Tensor::Vector<bool>({true, false})));
  EXPECT_EQ(b.Const({1, 2}).dtype(), DType::kInt32);
  EXPECT_EQ(b.Const({1, 2.5}, "fractions").name(), "fractions:0");
  EXPECT_EQ(b.Const({1, 2.5}).dtype(), DType::kFloat);
  EXPECT_EQ(b.Const<float>({}).shape(), PartialShape({0}));
  EXPECT_EQ(b.Const<int64_t>(1).dtype(), DType::kInt64);
  EXPECT_EQ(b.Const(1).dtype(), DType::kInt32);
  EXPECT_EQ(b.Const("text").dtype(), DType::kString);
  EXPECT_EQ(b.Const(Tensor::Scalar<uint8_t>(1)).dtype(), DType::kUint8);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(OperandTest, AsOutputPacksLists) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const Output y = b.AsOutput({x, 2}, DType::kFloat, "pair");
  EXPECT_EQ(y.name(), "pair:0");
  EXPECT_EQ(y.shape(), PartialShape({2}));
  EXPECT_EQ(b.AsOutput({1, 2}, DType::kHalf).dtype(), DType::kHalf);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

// Each of the following tests makes one mistake.
class OperandErrorTest : public ::testing::Test {
 protected:
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2, 3});
  Output n = b.Placeholder<int32_t>("n", Shape{});
};

TEST_F(OperandErrorTest, FractionsWhereIntegersBelong) {
  const int line = __LINE__ + 1;
  op::Transpose(x, {0.5, 1});
  EXPECT_EQ(Message(b),
            At(line,
               "node 'Transpose' (Transpose): input 'perm': Value for "
               "attr 'Tperm' of float is not in the list of allowed "
               "values: int32, int64"));
}

TEST_F(OperandErrorTest, StringsWhereNumbersBelong) {
  const int line = __LINE__ + 1;
  op::Reshape(x, {"a", "b"});
  EXPECT_EQ(Message(b),
            At(line,
               "node 'Reshape' (Reshape): input 'shape': Value for attr "
               "'Tshape' of string is not in the list of allowed values: "
               "int32, int64"));
}

TEST_F(OperandErrorTest, NumbersThatDoNotFit) {
  const int line = __LINE__ + 1;
  op::Reshape(n, {n, 3000000000});
  EXPECT_EQ(Message(b),
            At(line,
               "node 'Reshape' (Reshape): input 'shape': cannot make a "
               "constant of type int32 from int64[] 3000000000"));
}

TEST_F(OperandErrorTest, AListOfNumbersThatDoNotFit) {
  const int line = __LINE__ + 1;
  op::Add(n, {1, 2.5});
  EXPECT_EQ(Message(b), At(line,
                           "node 'Add' (Add): input 'y': cannot make a "
                           "constant of type int32 from double[2] 1 2.5"));
}

TEST_F(OperandErrorTest, AListOfTensorsOfSeveralDTypes) {
  const int line = __LINE__ + 1;
  op::Reshape(x, {n, x});
  EXPECT_EQ(Message(b), At(line,
                           "node 'Reshape' (Reshape): input 'shape': its "
                           "list has a tensor of int32 and one of float"));
}

TEST_F(OperandErrorTest, BoolsAmongNumbers) {
  const int line = __LINE__ + 1;
  op::Add(x, {true, 1});
  EXPECT_EQ(Message(b), At(line,
                           "node 'Add' (Add): input 'y': cannot make a "
                           "constant of type float from bool[] true"));
}

TEST_F(OperandErrorTest, RaggedLists) {
  const int line = __LINE__ + 1;
  op::Pad(x, {{1, 1}, {0}});
  EXPECT_THAT(Message(b), HasSubstr("node 'Pad' (Pad): input 'paddings': node "
                                    "'Pad/paddings' (Pack): "));
  EXPECT_THAT(Message(b), HasSubstr(absl::StrCat("operand_test.cc:", line)));
}

TEST_F(OperandErrorTest, OutputsOfAnotherBuilderInAList) {
  GraphBuilder other;
  op::Reshape(x, {other.Placeholder<int32_t>("n"), 1});
  EXPECT_THAT(Message(b),
              AllOf(HasSubstr("node 'Reshape' (Reshape): input 'shape': "),
                    HasSubstr("another GraphBuilder")));
}

TEST_F(OperandErrorTest, NoNodeInAList) {
  const int line = __LINE__ + 1;
  op::Reshape(x, {Output(), 1});
  EXPECT_EQ(Message(b), At(line,
                           "node 'Reshape' (Reshape): input 'shape' is "
                           "an output of no node"));
}

TEST_F(OperandErrorTest, TooShortAList) {
  const int line = __LINE__ + 1;
  op::ConcatV2({x}, 0);
  EXPECT_EQ(Message(b), At(line,
                           "node 'ConcatV2' (ConcatV2): input 'values': "
                           "Value for attr 'N' of 1 must be at least "
                           "minimum 2"));
}

TEST_F(OperandErrorTest, ConstantsThatAreNone) {
  const int line = __LINE__ + 1;
  b.Const<int32_t>({1, 2.5}, "c");
  EXPECT_EQ(Message(b), At(line,
                           "constant 'c': cannot make a constant of type "
                           "int32 from double[2] 1 2.5"));
  GraphBuilder c;
  c.Const<float>({"1"});
  EXPECT_THAT(Message(c), HasSubstr("constant 'Const': cannot make one of type "
                                    "float of strings"));
  GraphBuilder d;
  d.Const({d.Placeholder<int32_t>("n"), 1});
  EXPECT_THAT(Message(d), HasSubstr("constant 'Const': its list is no tensor "
                                    "of numbers or of strings"));
}

}  // namespace
}  // namespace leat::operand_test
