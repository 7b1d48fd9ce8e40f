// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/op_registry.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/device.h"
#include "leat/core/dtype_list.h"
#include "leat/graph/op_table.h"

namespace leat::op_registry_test {
namespace {

using ::testing::HasSubstr;

OpSpec Unary(const std::string& name) {
  return {.name = name,
          .inputs = {"x: T"},
          .outputs = {"y: T"},
          .attrs = {"T: type"}};
}

TEST(OpRegistryTest, FindsWhatWasAdded) {
  OpRegistry registry;
  registry.Add(Unary("B"));
  registry.Add(Unary("A"), {OnCpu()});
  ASSERT_NE(registry.Find("A"), nullptr);
  EXPECT_EQ(registry.Find("A")->name, "A");
  EXPECT_EQ(registry.Find("C"), nullptr);
  EXPECT_EQ(*registry.Lookup("B"), registry.Find("B"));
  EXPECT_EQ(registry.Signatures("A").size(), 1u);
  EXPECT_TRUE(registry.Signatures("B").empty());
  EXPECT_TRUE(registry.Signatures("C").empty());
  const std::vector<const OpDef*> ops = registry.Ops();
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0]->name, "A");
  EXPECT_EQ(ops[1]->name, "B");
}

TEST(OpRegistryTest, DefinitionsStayWhereTheyAre) {
  OpRegistry registry;
  registry.Add(Unary("First"));
  const OpDef* const first = registry.Find("First");
  for (int i = 0; i < 1000; ++i) registry.Add(Unary(absl::StrCat("Op", i)));
  EXPECT_EQ(registry.Find("First"), first);
  const OpRegistry moved = std::move(registry);
  EXPECT_EQ(moved.Find("First"), first);
}

TEST(OpRegistryTest, UnknownOpsAreNotFound) {
  const absl::Status status = OpRegistry().Lookup("Nope").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "Op type not registered 'Nope'");
}

TEST(OpRegistryTest, KnowsTheOpsOfItsTable) {
  const OpTable table("op A\nop B\n");
  OpRegistry registry;
  registry.Add(Unary("A"), {OnCpu()});
  registry.AddTable(table);
  EXPECT_EQ(registry.Find("A")->inputs.size(), 1u);
  EXPECT_EQ(registry.Find("B"), table.Find("B"));
  EXPECT_TRUE(registry.Signatures("B").empty());
  EXPECT_EQ(registry.Find("C"), nullptr);
  EXPECT_EQ(registry.Ops().size(), 1u);
  // The program can still register its own op under a name that is in the
  // table.
  registry.Add(Unary("B"));
  EXPECT_EQ(registry.Find("B")->inputs.size(), 1u);
}

TEST(OpRegistryTest, ForeignDefinitionsMayNotReplace) {
  OpRegistry registry;
  registry.Add(Unary("A"));
  OpDef op;
  op.name = "A";
  EXPECT_EQ(registry.AddDef(op).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(registry.Find("A")->inputs.size(), 1u);
  EXPECT_EQ(registry.AddDef(OpDef()).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(OpRegistryDeathTest, OurOwnMistakesEndTheProcessWithTheReason) {
  OpRegistry registry;
  registry.Add(Unary("A"));
  EXPECT_DEATH(registry.Add(Unary("A")), "'A' is already registered");
  EXPECT_DEATH(registry.Add({.name = "B", .inputs = {"x: Q"}}), "x: Q");
}

TEST(OpRegistryTest, SignaturesAreChosenByTypeAndDevice) {
  OpRegistry registry;
  KernelSignature gpu = OnCpu({{"T", {DType::kHalf}}});
  gpu.device_type = kGpu;
  registry.Add(Unary("A"), {OnCpu({{"T", kFloat32And64.dtypes()}}),
                            ExpensiveOnCpu({{"T", {DType::kInt32}}}), gpu});
  const auto find = [&](const char* device, DType type) {
    return registry.FindSignature("A", device, {{"T", type}});
  };
  ASSERT_NE(find(kCpu, DType::kDouble), nullptr);
  EXPECT_EQ(find(kCpu, DType::kDouble)->cost, CostClass::kCheap);
  ASSERT_NE(find(kCpu, DType::kInt32), nullptr);
  EXPECT_EQ(find(kCpu, DType::kInt32)->cost, CostClass::kExpensive);
  EXPECT_EQ(find(kCpu, DType::kHalf), nullptr);
  ASSERT_NE(find(kGpu, DType::kHalf), nullptr);
  EXPECT_EQ(find(kGpu, DType::kDouble), nullptr);
  EXPECT_EQ(registry.FindSignature("A", kCpu, {}), nullptr);
  EXPECT_EQ(registry.FindSignature("Z", kCpu, {}), nullptr);
}

TEST(KernelSignatureTest, EveryTypeOfAListMustBeAllowed) {
  const KernelSignature signature =
      OnCpu({{"L", {DType::kFloat, DType::kInt32}}});
  using Types = std::vector<DType>;
  EXPECT_TRUE(Accepts(signature, {{"L", Types{DType::kInt32, DType::kFloat}}}));
  EXPECT_FALSE(Accepts(signature, {{"L", Types{DType::kInt32, DType::kBool}}}));
  EXPECT_TRUE(Accepts(signature, {{"L", EmptyList()}}));
  EXPECT_FALSE(Accepts(signature, {{"L", int64_t{1}}}));
  EXPECT_FALSE(Accepts(signature, {}));
}

TEST(BuiltinOpsTest, HasTheOpsOfTheTree) {
  EXPECT_NE(BuiltinOps().Find("MatMul"), nullptr);
  EXPECT_NE(BuiltinOps().Find("DecodeJpeg"), nullptr);
  EXPECT_EQ(&BuiltinOps(), &BuiltinOps());
}

// Every constraint and host argument of a signature names an attr or argument
// that the op has.
TEST(BuiltinOpsTest, SignaturesNameExistingAttrsAndArguments) {
  const auto has = [](const std::vector<ArgDef>& args,
                      const std::string& name) {
    return std::any_of(args.begin(), args.end(),
                       [&](const ArgDef& arg) { return arg.name == name; });
  };
  for (const OpDef* op : BuiltinOps().Ops()) {
    for (const KernelSignature& kernel : BuiltinOps().Signatures(op->name)) {
      for (const TypeConstraint& constraint : kernel.constraints) {
        EXPECT_NE(op->FindAttr(constraint.attr), nullptr)
            << op->name << " " << constraint.attr;
      }
      for (const std::string& name : kernel.host_inputs) {
        EXPECT_TRUE(has(op->inputs, name)) << op->name << " " << name;
      }
      for (const std::string& name : kernel.host_outputs) {
        EXPECT_TRUE(has(op->outputs, name)) << op->name << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace leat::op_registry_test
