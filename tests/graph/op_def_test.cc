// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/op_def.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/codec/op_def_codec.h"
#include "leat/graph/op_spec.h"
#include "leat/protos/op_def.pb.h"

namespace leat::op_def_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

AttrDef ParseAttr(const std::string& text) {
  const auto op = ParseOpSpec({.name = "Op", .attrs = {text}});
  EXPECT_TRUE(op.ok()) << op.status();
  return op.ok() ? op->attrs[0] : AttrDef{};
}

AttrValue DefaultOf(const std::string& text) {
  return ParseAttr(text).default_value.value_or(AttrValue());
}

ArgDef ParseArg(const std::string& text) {
  const auto op = ParseOpSpec(
      {.name = "Op",
       .inputs = {text},
       .attrs = {"T: type", "N: int >= 2", "L: list(type)", "s: string"}});
  EXPECT_TRUE(op.ok()) << op.status();
  return op.ok() ? op->inputs[0] : ArgDef{};
}

void ExpectRefused(const OpSpec& spec, const std::string& declaration) {
  const absl::Status status = ParseOpSpec(spec).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << declaration;
  EXPECT_THAT(std::string(status.message()), HasSubstr(spec.name));
  EXPECT_THAT(std::string(status.message()), HasSubstr(declaration));
}

TEST(ParseOpSpecTest, ReadsTheExampleOfTheHeader) {
  const auto op = ParseOpSpec(
      {.name = "ConcatV2",
       .inputs = {"values: N * T", "axis: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"N: int >= 2", "T: type", "Tidx: {int32, int64} = int32"},
       .commutative = true});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(op->name, "ConcatV2");
  ASSERT_EQ(op->inputs.size(), 2u);
  EXPECT_EQ(op->inputs[0],
            (ArgDef{.name = "values", .type_attr = "T", .number_attr = "N"}));
  EXPECT_EQ(op->inputs[1], (ArgDef{.name = "axis", .type_attr = "Tidx"}));
  EXPECT_EQ(op->outputs[0], (ArgDef{.name = "output", .type_attr = "T"}));
  const AttrDef tidx = {.name = "Tidx",
                        .type = "type",
                        .default_value = DType::kInt32,
                        .allowed_types = {DType::kInt32, DType::kInt64}};
  EXPECT_EQ(*op->FindAttr("Tidx"), tidx);
  EXPECT_EQ(op->FindAttr("N")->minimum, 2);
  EXPECT_EQ(op->FindAttr("missing"), nullptr);
  EXPECT_TRUE(op->is_commutative);
  EXPECT_FALSE(op->is_stateful);
}

TEST(ParseOpSpecTest, ReadsEveryFormOfArgument) {
  EXPECT_EQ(ParseArg("x: float"), (ArgDef{.name = "x", .type = DType::kFloat}));
  EXPECT_EQ(ParseArg("x: T"), (ArgDef{.name = "x", .type_attr = "T"}));
  EXPECT_EQ(ParseArg("x:N*T"),
            (ArgDef{.name = "x", .type_attr = "T", .number_attr = "N"}));
  EXPECT_EQ(
      ParseArg(" x : N * resource "),
      (ArgDef{.name = "x", .type = DType::kResource, .number_attr = "N"}));
  EXPECT_EQ(ParseArg("x: L"), (ArgDef{.name = "x", .type_list_attr = "L"}));
  EXPECT_EQ(ParseArg("x: Ref(T)"),
            (ArgDef{.name = "x", .type_attr = "T", .is_ref = true}));
  EXPECT_EQ(ParseArg("x: Ref(float)"),
            (ArgDef{.name = "x", .type = DType::kFloat, .is_ref = true}));
}

TEST(ParseOpSpecTest, ReadsEveryTypeOfAttr) {
  for (const std::string type :
       {"string", "int", "float", "bool", "type", "shape", "tensor", "func"}) {
    EXPECT_EQ(ParseAttr("a: " + type), (AttrDef{.name = "a", .type = type}));
    EXPECT_EQ(ParseAttr("a:list( " + type + " )"),
              (AttrDef{.name = "a", .type = "list(" + type + ")"}));
  }
  EXPECT_THAT(ParseAttr("T: {float,double}").allowed_types,
              ElementsAre(DType::kFloat, DType::kDouble));
  EXPECT_THAT(ParseAttr("p: {'SAME', \"VALID\"}").allowed_strings,
              ElementsAre("SAME", "VALID"));
  const AttrDef list = ParseAttr("T: list({int32, int64}) >= 2");
  EXPECT_EQ(list.type, "list(type)");
  EXPECT_THAT(list.allowed_types, ElementsAre(DType::kInt32, DType::kInt64));
  EXPECT_EQ(list.minimum, 2);
}

std::vector<int> NumbersOf(const std::string& declaration) {
  std::vector<int> numbers;
  for (DType type : ParseAttr(declaration).allowed_types) {
    numbers.push_back(static_cast<int>(type));
  }
  return numbers;
}

// The expected numbers are the types that TensorFlow 2.15 allows for attr T of
// Cumsum (numbertype), Relu (realnumbertype, but Relu also allows qint8) and
// QuantizeV2 (quantizedtype).
TEST(ParseOpSpecTest, NamedSetsAreTensorFlows) {
  EXPECT_THAT(NumbersOf("T: numbertype"),
              UnorderedElementsAre(1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14, 15,
                                   16, 17, 18, 19, 22, 23));
  EXPECT_THAT(NumbersOf("T: realnumbertype"),
              UnorderedElementsAre(1, 2, 3, 4, 5, 6, 9, 14, 17, 19, 22, 23));
  EXPECT_THAT(NumbersOf("T: quantizedtype"),
              UnorderedElementsAre(11, 12, 13, 15, 16));
  EXPECT_EQ(ParseAttr("T: list(numbertype)").type, "list(type)");
  EXPECT_THAT(NumbersOf("T: {quantizedtype, variant}"),
              UnorderedElementsAre(11, 12, 13, 15, 16, 21));
}

TEST(ParseOpSpecTest, ReadsDefaults) {
  EXPECT_EQ(DefaultOf("k: int >= 1 = 3"), AttrValue(int64_t{3}));
  EXPECT_EQ(DefaultOf("k: int = -1"), AttrValue(int64_t{-1}));
  EXPECT_EQ(DefaultOf("s: string = 'NHWC'"), AttrValue(std::string("NHWC")));
  EXPECT_EQ(DefaultOf("s: string = \"\""), AttrValue(std::string()));
  EXPECT_EQ(DefaultOf("s: string = 'a\\'\\n'"), AttrValue(std::string("a'\n")));
  EXPECT_EQ(DefaultOf("p: {'SAME', 'VALID'} = 'VALID'"),
            AttrValue(std::string("VALID")));
  EXPECT_EQ(DefaultOf("b: bool = true"), AttrValue(true));
  EXPECT_EQ(DefaultOf("f: float = 0.5"), AttrValue(0.5f));
  EXPECT_EQ(DefaultOf("f: float = -1e-3"), AttrValue(-1e-3f));
  EXPECT_EQ(DefaultOf("T: type = DT_BFLOAT16"), AttrValue(DType::kBfloat16));
  EXPECT_EQ(DefaultOf("T: {float, double} = float"), AttrValue(DType::kFloat));
  EXPECT_EQ(DefaultOf("l: list(int) = [1, -1]"),
            AttrValue(std::vector<int64_t>{1, -1}));
  EXPECT_EQ(DefaultOf("l: list(int) = []"), AttrValue(std::vector<int64_t>()));
  EXPECT_EQ(DefaultOf("l: list(bool) = [true]"),
            AttrValue(std::vector<bool>{true}));
  EXPECT_EQ(DefaultOf("l: list(type) >= 0 = [DT_INT32]"),
            AttrValue(std::vector<DType>{DType::kInt32}));
  EXPECT_EQ(DefaultOf("l: list(string) = ['a', 'b']"),
            AttrValue(std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(DefaultOf("l: list(shape) = []"),
            AttrValue(std::vector<PartialShape>()));
}

TEST(ParseOpSpecTest, ReadsShapeDefaults) {
  EXPECT_EQ(DefaultOf("shape: shape = {}"), AttrValue(PartialShape(Shape())));
  EXPECT_EQ(DefaultOf("shape: shape = { unknown_rank: true }"),
            AttrValue(PartialShape()));
  EXPECT_EQ(DefaultOf("shape: shape = { dim { size: 2 } dim { size: -1 } }"),
            AttrValue(PartialShape{2, -1}));
}

TEST(ParseOpSpecTest, CountsAndTypeListsAreAtLeastOneLongUnlessToldOtherwise) {
  const auto op = ParseOpSpec({.name = "Op",
                               .inputs = {"a: N * float", "b: L"},
                               .outputs = {"c: M * float", "d: K"},
                               .attrs = {"N: int", "L: list(type)",
                                         "M: int >= 0", "K: list(type) >= 0"}});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(op->FindAttr("N")->minimum, 1);
  EXPECT_EQ(op->FindAttr("L")->minimum, 1);
  EXPECT_EQ(op->FindAttr("M")->minimum, 0);
  EXPECT_EQ(op->FindAttr("K")->minimum, 0);
}

TEST(ParseOpSpecTest, RefusesMalformedAttrs) {
  for (const std::string text : {"",
                                 "a",
                                 "a:",
                                 ": int",
                                 "1a: int",
                                 "a: integer",
                                 "a: int >=",
                                 "a: int >= x",
                                 "a: int =",
                                 "a: int = 1.5",
                                 "a: int = 1 2",
                                 "a: int = 99999999999999999999",
                                 "a: string >= 1",
                                 "a: bool = 1",
                                 "a: float = one",
                                 "a: string = NHWC",
                                 "a: string = 'x",
                                 "a: list(int",
                                 "a: list()",
                                 "a: list(list(int))",
                                 "a: list(int) = 1",
                                 "a: list(int) = [1",
                                 "a: list(int) = [1,]",
                                 "a: {float",
                                 "a: {}",
                                 "a: {float, 'x'}",
                                 "a: {flota}",
                                 "a: {float_ref}",
                                 "a: type = floaty",
                                 "a: shape = [1]",
                                 "a: shape = { dim { size: -2 } }",
                                 "a: shape = { dim { size: 1 }",
                                 "a: tensor = {}",
                                 "a: func = f",
                                 "a: int >= 2 = 1",
                                 "a: {float} = int32",
                                 "a: {'x'} = 'y'",
                                 "a: list(int) >= 1 = []"}) {
    ExpectRefused({.name = "Op", .attrs = {text}}, "'" + text + "'");
  }
}

TEST(ParseOpSpecTest, RefusesMalformedArguments) {
  for (const std::string text :
       {"", "x", "x:", "x: U", "x: s", "x: M * T", "x: T * T", "x: N * L",
        "x: N *", "x: N", "x: Ref(T", "x: Ref()", "x: T T", "x y: T",
        "x: float_ref", "x: invalid"}) {
    const std::vector<std::string> attrs = {"T: type", "N: int",
                                            "L: list(type)", "s: string"};
    ExpectRefused({.name = "Op", .inputs = {text}, .attrs = attrs},
                  "'" + text + "'");
    ExpectRefused({.name = "Op", .outputs = {text}, .attrs = attrs},
                  "'" + text + "'");
  }
}

TEST(ParseOpSpecTest, KeepsWhatTheOpDoesAndWritesItToNoMessage) {
  const auto op = ParseOpSpec({.name = "Op", .doc = "Does a thing."});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(op->doc, "Does a thing.");
  pb::OpDef proto;
  ASSERT_TRUE(OpDefToProto(*op, proto).ok());
  EXPECT_EQ(proto.SerializeAsString().find("thing"), std::string::npos);
  const auto again = OpDefFromProto(proto);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->doc, "");
}

TEST(ParseOpSpecTest, RefusesNamesThatAreTakenOrNoIdentifiers) {
  ExpectRefused({.name = "Op", .attrs = {"a: int", "a: bool"}}, "a: bool");
  ExpectRefused({.name = "Op", .inputs = {"x: float", "x: int32"}}, "x: int32");
  ExpectRefused({.name = "Op-2"}, "Op-2");
  EXPECT_FALSE(ParseOpSpec({.name = ""}).ok());
}

class ArgTypesTest : public ::testing::Test {
 protected:
  const OpDef op_ =
      *ParseOpSpec({.name = "Op",
                    .inputs = {"a: N * T", "b: L", "c: M * int32", "d: string"},
                    .outputs = {"r: Ref(T)", "s: L"},
                    .attrs = {"N: int >= 0", "M: int >= 0", "T: type",
                              "L: list(type) >= 0"}});
  AttrMap attrs_ = {{"N", int64_t{2}},
                    {"M", int64_t{1}},
                    {"T", DType::kFloat},
                    {"L", std::vector<DType>{DType::kBool, DType::kInt64}}};
};

TEST_F(ArgTypesTest, ListsTypesInOrder) {
  EXPECT_THAT(*InputTypes(op_, attrs_),
              ElementsAre(DType::kFloat, DType::kFloat, DType::kBool,
                          DType::kInt64, DType::kInt32, DType::kString));
  EXPECT_THAT(*OutputTypes(op_, attrs_),
              ElementsAre(RefOf(DType::kFloat), DType::kBool, DType::kInt64));
  EXPECT_THAT(*ArgOffsets(op_.inputs, attrs_), ElementsAre(0, 2, 4, 5, 6));
}

TEST_F(ArgTypesTest, ListsMayBeEmpty) {
  attrs_.Set("N", int64_t{0});
  attrs_.Set("L", EmptyList());
  EXPECT_THAT(*InputTypes(op_, attrs_),
              ElementsAre(DType::kInt32, DType::kString));
  EXPECT_THAT(*ArgOffsets(op_.inputs, attrs_), ElementsAre(0, 0, 0, 1, 2));
  EXPECT_THAT(*ArgOffsets({}, attrs_), ElementsAre(0));
}

TEST_F(ArgTypesTest, RefusesCountsThatAreNegativeOrTooLarge) {
  for (const int64_t count :
       {int64_t{-1}, INT64_MIN, int64_t{kMaxArgs} + 1, INT64_MAX}) {
    attrs_.Set("N", count);
    EXPECT_FALSE(InputTypes(op_, attrs_).ok()) << count;
    EXPECT_FALSE(ArgOffsets(op_.inputs, attrs_).ok()) << count;
  }
  // Each length is within the limit, but their sum is not.
  attrs_.Set("N", int64_t{kMaxArgs} - 10);
  attrs_.Set("M", int64_t{11});
  EXPECT_EQ(InputTypes(op_, attrs_).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ArgOffsets(op_.inputs, attrs_).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ArgTypesTest, RefusesMissingAndInvalidTypes) {
  AttrMap no_type = attrs_;
  no_type.Erase("T");
  EXPECT_FALSE(InputTypes(op_, no_type).ok());
  AttrMap invalid = attrs_;
  invalid.Set("T", DType::kInvalid);
  EXPECT_FALSE(InputTypes(op_, invalid).ok());
  AttrMap no_list = attrs_;
  no_list.Set("L", std::string("x"));
  EXPECT_FALSE(OutputTypes(op_, no_list).ok());
}

class CheckAttrsTest : public ::testing::Test {
 protected:
  absl::Status Check(const std::string& name, AttrValue value) {
    AttrMap attrs = {{"k", int64_t{1}}};
    attrs.Set(name, std::move(value));
    return CheckAttrs(op_, attrs, /*fill_defaults=*/true);
  }

  const OpDef op_ = *ParseOpSpec(
      {.name = "Op",
       .attrs = {"k: int >= 1", "T: {float, double} = float",
                 "p: {'SAME', 'VALID'} = 'SAME'", "l: list(int) >= 1 = [7]",
                 "types: list({int32}) = []", "U: type = int32"}});
};

TEST_F(CheckAttrsTest, FillsDefaultsOnlyWhenAsked) {
  AttrMap attrs = {{"k", int64_t{1}}, {"l", std::vector<int64_t>{3, 4}}};
  EXPECT_FALSE(CheckAttrs(op_, attrs, /*fill_defaults=*/false).ok());
  EXPECT_EQ(attrs.size(), 2u);
  ASSERT_TRUE(CheckAttrs(op_, attrs, /*fill_defaults=*/true).ok());
  EXPECT_EQ(*attrs.Get<DType>("T"), DType::kFloat);
  EXPECT_EQ(*attrs.Get<std::string>("p"), "SAME");
  EXPECT_THAT(*attrs.Get<std::vector<int64_t>>("l"), ElementsAre(3, 4));
  EXPECT_TRUE(CheckAttrs(op_, attrs, /*fill_defaults=*/false).ok());
}

TEST_F(CheckAttrsTest, RefusesAMissingAttrWithoutDefault) {
  AttrMap attrs;
  const absl::Status status = CheckAttrs(op_, attrs, /*fill_defaults=*/true);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("attr 'k' of op Op is missing"));
}

TEST_F(CheckAttrsTest, RefusesWhatIsOutOfBounds) {
  EXPECT_TRUE(Check("k", int64_t{1}).ok());
  EXPECT_FALSE(Check("k", int64_t{0}).ok());
  EXPECT_FALSE(Check("k", true).ok());
  EXPECT_FALSE(Check("k", AttrPlaceholder{"k"}).ok());
  EXPECT_FALSE(Check("k", EmptyList()).ok());
  EXPECT_FALSE(Check("l", EmptyList()).ok());
  EXPECT_FALSE(Check("l", std::vector<int64_t>()).ok());
  EXPECT_TRUE(Check("T", DType::kDouble).ok());
  EXPECT_THAT(std::string(Check("T", DType::kInt32).message()),
              HasSubstr("not in the list of allowed values: float, double"));
  EXPECT_TRUE(Check("p", std::string("VALID")).ok());
  EXPECT_FALSE(Check("p", std::string("valid")).ok());
  EXPECT_TRUE(Check("types", std::vector<DType>(3, DType::kInt32)).ok());
  EXPECT_FALSE(
      Check("types", std::vector<DType>{DType::kInt32, DType::kInt64}).ok());
}

TEST_F(CheckAttrsTest, RefusesReferenceTypes) {
  EXPECT_TRUE(Check("U", DType::kInt64).ok());
  EXPECT_FALSE(Check("U", RefOf(DType::kInt64)).ok());
}

TEST_F(CheckAttrsTest, GivesEmptyListsTheirType) {
  AttrMap attrs = {{"k", int64_t{1}}, {"types", EmptyList()}};
  ASSERT_TRUE(CheckAttrs(op_, attrs, /*fill_defaults=*/true).ok());
  EXPECT_EQ(*attrs.Find("types"), AttrValue(std::vector<DType>()));
}

TEST_F(CheckAttrsTest, ToleratesUndeclaredAttrs) {
  EXPECT_TRUE(Check("_output_shapes", EmptyList()).ok());
}

}  // namespace
}  // namespace leat::op_def_test
