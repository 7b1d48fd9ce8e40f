// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/op_table.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/op_table_text.h"
#include "leat/tests/testing/spec_text.h"

namespace leat::op_table_test {
namespace {

using ::testing::ElementsAre;

TEST(OpTableTest, ParsesTheOpsOfAText) {
  const OpTable table(
      "# A comment.\n"
      "op Second\n"
      "  is_stateful\n"
      "# Another comment.\n"
      "  input values: N * T\n"
      "  output out: float\n"
      "  attr N: int >= 1\n"
      "  attr T: type\n"
      "op First\n");
  EXPECT_THAT(table.Names(), ElementsAre("First", "Second"));
  EXPECT_EQ(table.Find("Third"), nullptr);
  const OpDef* const second = table.Find("Second");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(table.Find("Second"), second);
  EXPECT_TRUE(second->is_stateful);
  EXPECT_EQ(second->inputs[0].number_attr, "N");
  EXPECT_EQ(second->outputs[0].type, DType::kFloat);
  EXPECT_EQ(second->attrs.size(), 2u);
  EXPECT_TRUE(table.Find("First")->attrs.empty());
}

TEST(OpTableDeathTest, AMistakeInTheTextEndsTheProcessWithTheReason) {
  const OpTable table("op A\n  inputt x: float\nop B\n  input x: Q\n");
  EXPECT_DEATH(table.Find("A"), "op 'A' has the unknown line '  inputt x");
  EXPECT_DEATH(table.Find("B"), "op 'B', declaration 'x: Q'");
}

// If the parser missed a part of a definition, the part would be missing from
// the output of SpecText.
TEST(TensorFlowOpsTest, AreParsedWithoutLoss) {
  std::string text(
      absl::string_view(kTensorFlowOpsText)
          .substr(0, absl::string_view(kTensorFlowOpsText).find('\n') + 1));
  const std::vector<absl::string_view> names = TensorFlowOps().Names();
  ASSERT_GT(names.size(), 1500u);
  for (const absl::string_view name : names) {
    const OpDef* const op = TensorFlowOps().Find(name);
    ASSERT_NE(op, nullptr) << name;
    text += testing::SpecText(*op);
  }
  EXPECT_TRUE(text == kTensorFlowOpsText);
}

TEST(TensorFlowOpsTest, MayBeLookedUpBySeveralThreads) {
  const OpTable table(kTensorFlowOpsText);
  const std::vector<absl::string_view> names = table.Names();
  std::vector<std::vector<const OpDef*>> found(4);
  std::vector<Thread> threads;
  for (auto& ops : found) {
    threads.emplace_back("lookup", [&] {
      for (const absl::string_view name : names)
        ops.push_back(table.Find(name));
    });
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
  EXPECT_EQ(found[3], found[0]);
}

}  // namespace
}  // namespace leat::op_table_test
