// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that shape functions infer what TensorFlow infers. dump_shape_cases.py
// writes nodes, and the shapes that TensorFlow gives them, to
// tensorflow_shape_cases.txt.
#include <deque>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"

namespace leat::shape_functions_test {
namespace {

struct Case {
  std::string op = {};
  int line = 0;
  AttrMap attrs = {};
  std::deque<InferredOutput> inputs = {};
  std::vector<std::string> outputs = {};  // or only "error"
  // If true, Leat's outputs differ from TensorFlow's, and `outputs` holds
  // Leat's.
  bool differs = false;
};

int64_t ToInt(absl::string_view text) {
  int64_t value = 0;
  EXPECT_TRUE(absl::SimpleAtoi(text, &value)) << text;
  return value;
}

std::vector<std::string> SplitList(absl::string_view text) {
  return absl::StrSplit(text, ',', absl::SkipEmpty());
}

// Parses a shape such as "[?,3]" or "<unknown>".
PartialShape ToShape(absl::string_view text) {
  if (text == "<unknown>") return PartialShape();
  EXPECT_TRUE(absl::ConsumePrefix(&text, "[")) << text;
  EXPECT_TRUE(absl::ConsumeSuffix(&text, "]")) << text;
  Dims dims;
  for (const std::string& extent : SplitList(text)) {
    dims.push_back(extent == "?" ? -1 : ToInt(extent));
  }
  absl::StatusOr<PartialShape> shape = PartialShape::Create(dims);
  EXPECT_TRUE(shape.ok()) << shape.status();
  return shape.ok() ? *shape : PartialShape();
}

AttrValue ToAttr(const std::string& type, const std::string& text) {
  if (type == "int") return ToInt(text);
  if (type == "bool") return text == "true";
  if (type == "string") return text;
  if (type == "type") return *ParseDType(text);
  if (type == "shape") return ToShape(text);
  if (type == "list(int)") {
    std::vector<int64_t> values;
    for (const std::string& value : SplitList(text)) {
      values.push_back(ToInt(value));
    }
    return values;
  }
  if (type == "list(type)") {
    std::vector<DType> values;
    for (const std::string& value : SplitList(text)) {
      values.push_back(*ParseDType(value));
    }
    return values;
  }
  if (type == "list(string)") return SplitList(text);
  if (type == "list(shape)") {
    std::vector<PartialShape> shapes;
    for (absl::string_view shape :
         absl::StrSplit(text, ';', absl::SkipEmpty())) {
      shapes.push_back(ToShape(std::string(shape)));
    }
    return shapes;
  }
  ADD_FAILURE() << "attr type " << type;
  return {};
}

template <class T>
Tensor ToTensor(const Shape& shape, absl::string_view text) {
  std::vector<T> values;
  for (const std::string& part : SplitList(text)) {
    double value = 0;
    EXPECT_TRUE(absl::SimpleAtod(part, &value)) << part;
    values.push_back(static_cast<T>(value));
  }
  return Tensor::FromSpan<T>(shape, values);
}

// Parses an input such as "int32 [2] value 3,4", "int32 [2] partly [?,4]" or
// "resource [] handle float [2]".
InferredOutput ToInput(const std::vector<std::string>& words) {
  const DType dtype = *ParseDType(words[0]);
  InferredOutput input;
  input.shape = ToShape(words[1]);
  if (words.size() < 3) return input;
  if (words[2] == "value") {
    const Shape shape = *input.shape.ToShape();
    const std::string text = words.size() > 3 ? words[3] : "";
    Tensor value = dtype == DType::kInt32   ? ToTensor<int32_t>(shape, text)
                   : dtype == DType::kInt64 ? ToTensor<int64_t>(shape, text)
                   : dtype == DType::kInt16 ? ToTensor<int16_t>(shape, text)
                                            : ToTensor<float>(shape, text);
    input.value = std::make_shared<const Tensor>(std::move(value));
  } else if (words[2] == "partly") {
    input.value_as_shape = ToShape(words[3]);
  } else {
    input.handle =
        HandleShape{.dtype = *ParseDType(words[3]), .shape = ToShape(words[4])};
  }
  return input;
}

std::deque<Case> ReadCases() {
  std::deque<Case> cases;
  std::ifstream file(LEAT_TESTS_DIR "/ops/tensorflow_shape_cases.txt");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::vector<std::string> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty() || words[0] == "#") continue;
    if (words[0] == "case") {
      cases.push_back({.op = words[1], .line = number});
    } else if (words[0] == "attr") {
      cases.back().attrs.Set(
          words[1], ToAttr(words[2], words.size() > 3 ? words[3] : ""));
    } else if (words[0] == "in") {
      words.erase(words.begin());
      cases.back().inputs.push_back(ToInput(words));
    } else if (words[0] == "out") {
      cases.back().outputs.push_back(words[1]);
    } else if (words[0] == "ours") {
      if (!cases.back().differs) cases.back().outputs.clear();
      cases.back().differs = true;
      cases.back().outputs.push_back(words[1]);
    } else {
      ADD_FAILURE() << "line " << number << ": " << line;
    }
  }
  return cases;
}

absl::StatusOr<std::vector<InferredOutput>> Infer(
    absl::string_view name, AttrMap attrs,
    const std::vector<InferredOutput>& inputs) {
  const OpDef* op = BuiltinOps().Find(name);
  if (op == nullptr) return absl::NotFoundError(name);
  absl::Status status = CheckAttrs(*op, attrs, /*fill_defaults=*/true);
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<DType>> outputs = OutputTypes(*op, attrs);
  if (!outputs.ok()) return outputs.status();
  std::vector<const InferredOutput*> pointers;
  for (const InferredOutput& input : inputs) pointers.push_back(&input);
  return InferNode(*op, "node", attrs, pointers,
                   static_cast<int>(outputs->size()));
}

std::vector<InferredOutput> MustInfer(absl::string_view name, AttrMap attrs,
                                      std::vector<InferredOutput> inputs) {
  absl::StatusOr<std::vector<InferredOutput>> outputs =
      Infer(name, std::move(attrs), inputs);
  EXPECT_TRUE(outputs.ok()) << name << ": " << outputs.status();
  return outputs.ok() ? *std::move(outputs) : std::vector<InferredOutput>(8);
}

TEST(ShapeFunctionsTest, InferWhatTensorFlowInfers) {
  const std::deque<Case> cases = ReadCases();
  ASSERT_GT(cases.size(), 150u);
  for (const Case& item : cases) {
    const absl::StatusOr<std::vector<InferredOutput>> outputs =
        Infer(item.op, item.attrs, {item.inputs.begin(), item.inputs.end()});
    std::vector<std::string> shapes;
    if (outputs.ok()) {
      for (const InferredOutput& output : *outputs) {
        shapes.push_back(output.shape.DebugString());
      }
    } else {
      EXPECT_EQ(outputs.status().code(), absl::StatusCode::kInvalidArgument);
      shapes.push_back("error");
    }
    EXPECT_EQ(absl::StrJoin(shapes, " "), absl::StrJoin(item.outputs, " "))
        << "line " << item.line << " (" << item.op << ") " << outputs.status();
  }
}

InferredOutput Placeholder(std::initializer_list<int64_t> dims) {
  InferredOutput output;
  output.shape = PartialShape(dims);
  return output;
}

InferredOutput Constant(Tensor value) {
  InferredOutput output;
  output.shape = value.shape();
  output.value = std::make_shared<const Tensor>(std::move(value));
  return output;
}

// A matrix with this diagonal would have 2^63 columns.
TEST(ShapeFunctionsTest, RefuseAMatrixThatIsTooLarge) {
  const InferredOutput number = Placeholder({});
  const auto outputs =
      Infer("MatrixDiagV3", {{"T", DType::kFloat}},
            {Placeholder({-1, std::numeric_limits<int64_t>::max()}),
             Constant(Tensor::Scalar<int32_t>(1)),
             Constant(Tensor::Scalar<int32_t>(-1)),
             Constant(Tensor::Scalar<int32_t>(-1)), number});
  EXPECT_TRUE(absl::IsInvalidArgument(outputs.status())) << outputs.status();
}

AttrMap IndexAttrs(AttrMap attrs = {}) {
  attrs.Set("T", DType::kInt32);
  attrs.Set("Index", DType::kInt32);
  return attrs;
}

// The expression reshape(x, concat(shape(x)[:1], [10])) keeps the unknown batch
// size.
TEST(ShapeFunctionsTest, FollowAShapeThroughSliceAndConcat) {
  const auto shape =
      MustInfer("Shape", {{"T", DType::kFloat}}, {Placeholder({-1, 2, 5})});
  EXPECT_EQ(shape[0].value_as_shape, PartialShape({-1, 2, 5}));
  const auto batch =
      MustInfer("StridedSlice", IndexAttrs(),
                {shape[0], Constant(Tensor::Vector<int32_t>({0})),
                 Constant(Tensor::Vector<int32_t>({1})),
                 Constant(Tensor::Vector<int32_t>({1}))});
  EXPECT_EQ(batch[0].value_as_shape, PartialShape({-1}));
  const auto target =
      MustInfer("ConcatV2", {{"T", DType::kInt32}, {"N", int64_t{2}}},
                {batch[0], Constant(Tensor::Vector<int32_t>({10})),
                 Constant(Tensor::Scalar<int32_t>(0))});
  EXPECT_EQ(target[0].value_as_shape, PartialShape({-1, 10}));
  const auto result = MustInfer("Reshape", {{"T", DType::kFloat}},
                                {Placeholder({-1, 2, 5}), target[0]});
  EXPECT_EQ(result[0].shape, PartialShape({-1, 10}));
}

// Dense and Flatten layers of Keras compute stack([shape(x)[0], 10]).
TEST(ShapeFunctionsTest, FollowAnExtentThroughPackAndCast) {
  const auto shape =
      MustInfer("Shape", {{"T", DType::kFloat}, {"out_type", DType::kInt64}},
                {Placeholder({7, -1})});
  const auto cast = MustInfer(
      "Cast", {{"SrcT", DType::kInt64}, {"DstT", DType::kInt32}}, {shape[0]});
  std::vector<InferredOutput> extents;
  for (const int32_t i : {0, 1}) {
    extents.push_back(MustInfer(
        "StridedSlice", IndexAttrs({{"shrink_axis_mask", int64_t{1}}}),
        {cast[0], Constant(Tensor::Vector<int32_t>({i})),
         Constant(Tensor::Vector<int32_t>({i + 1})),
         Constant(Tensor::Vector<int32_t>({1}))})[0]);
  }
  ASSERT_NE(extents[0].value, nullptr);
  EXPECT_EQ(extents[0].value->scalar<int32_t>(), 7);
  EXPECT_EQ(extents[1].value, nullptr);
  const auto packed =
      MustInfer("Pack", {{"T", DType::kInt32}, {"N", int64_t{3}}},
                {extents[0], extents[1], Constant(Tensor::Scalar<int32_t>(3))});
  EXPECT_EQ(packed[0].value_as_shape, PartialShape({7, -1, 3}));
}

TEST(ShapeFunctionsTest, KnowSizeAndRankOfKnownShapes) {
  const auto size =
      MustInfer("Size", {{"T", DType::kFloat}}, {Placeholder({2, 3})});
  ASSERT_NE(size[0].value, nullptr);
  EXPECT_EQ(size[0].value->scalar<int32_t>(), 6);
  const auto rank =
      MustInfer("Rank", {{"T", DType::kFloat}}, {Placeholder({2, -1})});
  ASSERT_NE(rank[0].value, nullptr);
  EXPECT_EQ(rank[0].value->scalar<int32_t>(), 2);
  // An int32 cannot count these elements, so the size has no known value.
  EXPECT_EQ(MustInfer("Size", {{"T", DType::kFloat}},
                      {Placeholder({1 << 20, 1 << 20})})[0]
                .value,
            nullptr);
}

TEST(ShapeFunctionsTest, PassHandlesThroughControlFlow) {
  InferredOutput variable = MustInfer(
      "VarHandleOp",
      {{"dtype", DType::kFloat}, {"shape", PartialShape({2, -1})}}, {})[0];
  const AttrMap attrs = {{"T", DType::kResource}};
  AttrMap enter = attrs;
  enter.Set("frame_name", std::string("loop"));
  variable = MustInfer("Enter", enter, {variable})[0];
  variable = MustInfer("Switch", attrs, {variable, Placeholder({})})[1];
  variable = MustInfer("Identity", attrs, {variable})[0];
  AttrMap merge = attrs;
  merge.Set("N", int64_t{2});
  variable = MustInfer("Merge", merge, {variable, variable})[0];
  variable = MustInfer("Exit", attrs, {variable})[0];
  const auto value =
      MustInfer("ReadVariableOp", {{"dtype", DType::kFloat}}, {variable});
  EXPECT_EQ(value[0].shape, PartialShape({2, -1}));
}

// Inference keeps a known value after an op that does not change the value, and
// drops it after other ops.
TEST(ShapeFunctionsTest, PassValuesThroughIdentityOnly) {
  const InferredOutput seven = Constant(Tensor::Vector<int32_t>({7, 8}));
  const AttrMap attrs = {{"T", DType::kInt32}};
  for (const absl::string_view op : {"Identity", "StopGradient", "Exit"}) {
    EXPECT_NE(MustInfer(op, attrs, {seven})[0].value, nullptr) << op;
  }
  for (const absl::string_view op :
       {"ZerosLike", "OnesLike", "Neg", "Square", "Abs", "Relu", "Sign"}) {
    EXPECT_EQ(MustInfer(op, attrs, {seven})[0].value, nullptr) << op;
  }
}

TEST(ShapeFunctionsTest, ConstRefusesAValueOfAnotherType) {
  const auto outputs = Infer(
      "Const",
      {{"value", Tensor::Scalar<int32_t>(1)}, {"dtype", DType::kFloat}}, {});
  EXPECT_EQ(outputs.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ShapeFunctionsTest, ReferenceOptimizersTakeOneShape) {
  const AttrMap attrs = {{"T", DType::kFloat}};
  const auto out =
      MustInfer("ApplyMomentum", attrs,
                {Placeholder({2, -1}), Placeholder({-1, 3}), Placeholder({}),
                 Placeholder({2, 3}), Placeholder({})});
  EXPECT_EQ(out[0].shape, PartialShape({2, 3}));
  EXPECT_FALSE(Infer("ApplyMomentum", attrs,
                     {Placeholder({2}), Placeholder({3}), Placeholder({}),
                      Placeholder({2}), Placeholder({})})
                   .ok());
}

TEST(ShapeFunctionsTest, RefuseExtentsThatOverflow) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  EXPECT_FALSE(Infer("ConcatV2", {{"T", DType::kFloat}, {"N", int64_t{2}}},
                     {Placeholder({kHuge}), Placeholder({kHuge}),
                      Constant(Tensor::Scalar<int32_t>(0))})
                   .ok());
  EXPECT_FALSE(Infer("MatMul", {{"T", DType::kFloat}},
                     {Placeholder({kHuge, 0}), Placeholder({0, kHuge})})
                   .ok());
  EXPECT_FALSE(Infer("Range", {{"Tidx", DType::kInt64}},
                     {Constant(Tensor::Scalar<int64_t>(INT64_MIN)),
                      Constant(Tensor::Scalar<int64_t>(INT64_MAX)),
                      Constant(Tensor::Scalar<int64_t>(1))})
                   .ok());
}

// No shape function may crash on a node whose inputs are all unknown, all
// scalars, all of a high rank, or all of one constant value.
TEST(ShapeFunctionsTest, SurviveInputsOfAnyRank) {
  InferredOutput deep;
  deep.shape = PartialShape::UnknownOfRank(Shape::kMaxRank);
  const std::vector<InferredOutput> hostile = {
      {},
      Placeholder({}),
      Placeholder({0}),
      Placeholder({int64_t{1} << 62}),
      Placeholder({-1, -1}),
      Placeholder({0, 1, 0, 1}),
      deep,
      Constant(Tensor::Scalar<int32_t>(-1)),
      Constant(Tensor::Scalar<int64_t>(INT64_MIN)),
      Constant(Tensor::Vector<int32_t>({INT32_MIN, INT32_MAX, -1, 0})),
      Constant(Tensor::Vector<int64_t>({INT64_MIN, INT64_MAX, -1, 1})),
      Constant(Tensor::Filled<int64_t>(Shape{300}, 0)),
      Constant(Tensor::Filled<int32_t>(Shape{2, 2}, -7)),
      Constant(Tensor::Scalar<float>(1)),
  };
  for (const OpDef* op : BuiltinOps().Ops()) {
    AttrMap attrs;
    for (const AttrDef& attr : op->attrs) {
      if (attr.default_value.has_value()) continue;
      if (attr.type == "type") {
        attrs.Set(attr.name, attr.allowed_types.empty()
                                 ? DType::kInt32
                                 : attr.allowed_types.back());
      } else if (attr.type == "int") {
        attrs.Set(attr.name, std::max<int64_t>(2, attr.minimum.value_or(0)));
      } else if (attr.type == "list(int)") {
        attrs.Set(attr.name, std::vector<int64_t>{1, 1, 1, 1});
      } else if (attr.type == "list(type)") {
        attrs.Set(attr.name, std::vector<DType>{DType::kInt32, DType::kFloat});
      } else if (attr.type == "list(shape)") {
        attrs.Set(attr.name, std::vector<PartialShape>(2));
      } else if (attr.type == "shape") {
        attrs.Set(attr.name, PartialShape());
      } else if (attr.type == "string") {
        attrs.Set(attr.name, attr.allowed_strings.empty()
                                 ? std::string("x")
                                 : attr.allowed_strings.back());
      } else if (attr.type == "tensor") {
        attrs.Set(attr.name, Tensor::Scalar<int32_t>(1));
      } else if (attr.type == "func") {
        attrs.Set(attr.name, FunctionRef{.name = "f"});
      } else {
        attrs.Set(attr.name, std::vector<FunctionRef>{{.name = "f"}});
      }
    }
    const absl::StatusOr<std::vector<DType>> types = InputTypes(*op, attrs);
    if (!types.ok()) continue;
    // Each input in turn is `one`, and all other inputs are `common`.
    for (const InferredOutput& common : hostile) {
      for (size_t i = 0; i < types->size(); ++i) {
        for (const InferredOutput& one : hostile) {
          std::vector<InferredOutput> inputs(types->size(), common);
          inputs[i] = one;
          const auto outputs = Infer(op->name, attrs, inputs);
          if (!outputs.ok()) {
            EXPECT_EQ(outputs.status().code(),
                      absl::StatusCode::kInvalidArgument)
                << op->name << ": " << outputs.status();
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace leat::shape_functions_test
