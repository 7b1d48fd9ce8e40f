// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the C++ functions that OpCode writes for ops.
#include "leat/graph/gen/op_code.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"

namespace leat::op_code_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string DeclarationOf(const OpSpec& spec) {
  const absl::StatusOr<OpDef> op = ParseOpSpec(spec);
  EXPECT_TRUE(op.ok()) << op.status();
  return op.ok() ? gen::OpCode(*op).Declaration() : "";
}

TEST(OpCodeTest, CommentsAFunctionWithWhatTheOpDoesAndTakes) {
  EXPECT_EQ(gen::OpCode(*BuiltinOps().Find("Transpose")).Declaration(),
            R"(// Permutes the axes of x as perm says.
//
//   Transpose(x: T, perm: Tperm) -> y: T
//   T: any type
//   Tperm: int32 or int64
Output Transpose(
    Operand x,
    Operand perm,
    SourceLocation location = SourceLocation::Current());

)");
}

TEST(OpCodeTest, SaysWhichValuesAttrsMayHave) {
  EXPECT_THAT(DeclarationOf(
                  {.name = "Op",
                   .inputs = {"x: L"},
                   .attrs = {"L: list({int8, half, bool}) >= 2", "k: int >= 3",
                             "p: {'SAME', 'VALID'} = 'SAME'", "n: int >= 0",
                             "f: func", "dims: list(int) >= 0 = [1, 2]"}}),
              HasSubstr(R"(//   Op(x: L)
//   L: list of int8, half or bool of length >= 2
//   k: int >= 3
//   p: "SAME" or "VALID"
//   n: int >= 0
//   f: func
//   dims: list(int)
Operation Op()"));
}

TEST(OpCodeTest, BreaksLongLinesOfComments) {
  const std::string name(35, 'n');
  EXPECT_THAT(
      DeclarationOf({.name = "Op",
                     .doc = "Does something that takes a sentence of nearly "
                            "one hundred characters to say and to read.",
                     .inputs = {name + "0: float", name + "1: float"}}),
      StartsWith(
          "// Does something that takes a sentence of nearly one hundred "
          "characters to say\n// and to read.\n//\n//   Op(" +
          name + "0: float,\n//       " + name + "1: float)\nOperation Op("));
}

TEST(OpCodeTest, AnInvalidTensorStandsForTheDefault) {
  EXPECT_THAT(gen::OpCode(*BuiltinOps().Find("ImageSummary")).Definition(),
              HasSubstr("  if (attrs.bad_color.IsValid())  "
                        "op_args.attrs.Set(\"bad_color\", "
                        "std::move(attrs.bad_color));\n"));
}

}  // namespace
}  // namespace leat::op_code_test
