// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/late_reads.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat::late_reads_test {
namespace {

const std::string kPs = "/job:ps/replica:0/task:0/device:CPU:0";
const std::string kWorker = "/job:worker/replica:0/task:0/device:CPU:0";

// Makes a reference variable "v" on a parameter server. The Identity "v/read"
// reads the variable before an update.
class LateReadsTest : public ::testing::Test {
 protected:
  LateReadsTest() {
    v_ = b_.Variable("v", b_.Const(1.0f), {.use_resource = false});
    update_ = op::AssignAdd(v_.handle(), 1.0f).operation();
  }

  // Adds a node that takes the value of `v` and runs after `operations`.
  Operation Reader(const std::vector<Operation>& operations,
                   const std::string& device = kPs) {
    const Scope after = b_.ControlDependencies(operations);
    const Scope there = b_.OnDevice(device);
    return op::Neg(v_.value()).operation();
  }

  // Runs ReadReferencesLate and returns the name of the node that `reader` then
  // reads.
  std::string InputOf(const Operation& reader) {
    PrepareOptions options;
    options.policies = &BuiltinPolicies();
    auto graph =
        PrepareGraph(b_.Build().value(),
                     {{.name = kPs, .type = "CPU", .incarnation = 1},
                      {.name = kWorker, .type = "CPU", .incarnation = 1}},
                     options);
    EXPECT_TRUE(graph.ok()) << graph.status();
    EXPECT_TRUE(ReadReferencesLate(*graph).ok());
    const Node& node = graph->node(graph->Find(reader.name()));
    return graph->node(node.inputs[0].node).name();
  }

  GraphBuilder b_;
  Scope device_ = b_.OnDevice(kPs);
  Variable v_;
  Operation update_;
};

TEST_F(LateReadsTest, ANodeAfterAnUpdateReadsItself) {
  EXPECT_EQ(InputOf(Reader({update_})), "v");
}

TEST_F(LateReadsTest, TheUpdateMayLieFarBefore) {
  const std::vector<Operation> first = {update_};
  const std::vector<Operation> second = {b_.Group(first)};
  EXPECT_EQ(InputOf(Reader({b_.Group(second)})), "v");
}

TEST_F(LateReadsTest, OtherNodesTakeTheValueThatTheIdentityHasRead) {
  EXPECT_EQ(InputOf(Reader({})), "v/read");
}

TEST_F(LateReadsTest, ATensorThatTravelsIsNotReadLate) {
  EXPECT_EQ(InputOf(Reader({update_}, kWorker)), "v/read");
}

TEST_F(LateReadsTest, UpdatesOfOtherVariablesDoNotCount) {
  const Variable w = b_.Variable("w", b_.Const(1.0f), {.use_resource = false});
  EXPECT_EQ(InputOf(Reader({op::AssignAdd(w.handle(), 1.0f).operation()})),
            "v/read");
}

TEST_F(LateReadsTest, AnUpdateOfAnUpdatedReferenceCounts) {
  const Output twice = op::AssignAdd(op::AssignAdd(v_.handle(), 1.0f), 1.0f);
  EXPECT_EQ(InputOf(Reader({twice.operation()})), "v");
}

// If the control input of the Identity is dead, the Identity is dead, too. A
// reference is never dead, so the Merge would take the reference for a live
// input.
TEST_F(LateReadsTest, AMergeTakesTheIdentity) {
  const std::vector<Operation> update = {update_};
  const Scope after = b_.ControlDependencies(update);
  const Operation merge = b_.AddOp(
      {.op = "Merge", .inputs = {OperandList({v_.value(), b_.Const(2.0f)})}});
  EXPECT_EQ(InputOf(merge), "v/read");
}

// The pass handles the variables in batches of 64, one bit for each. 130
// variables need three batches.
TEST_F(LateReadsTest, ManyVariablesDoNotDisturbEachOther) {
  std::vector<Variable> variables;
  std::vector<Operation> readers;
  for (int i = 0; i < 130; ++i) {
    variables.push_back(b_.Variable(absl::StrCat("many_", i), b_.Const(1.0f),
                                    {.use_resource = false}));
  }
  for (int i = 0; i < 130; ++i) {
    const std::vector<Operation> update = {
        op::AssignAdd(variables[i].handle(), 1.0f).operation()};
    // Every second reader waits for an update of another variable than the one
    // that it reads.
    const Variable& read = variables[i % 2 == 0 ? i : i - 1];
    const Scope after = b_.ControlDependencies(update);
    const Scope there = b_.OnDevice(kPs);
    readers.push_back(op::Neg(read.value()).operation());
  }
  for (int i = 0; i < 130; i += 13) {
    EXPECT_EQ(InputOf(readers[i]), i % 2 == 0
                                       ? absl::StrCat("many_", i)
                                       : absl::StrCat("many_", i - 1, "/read"));
  }
}

}  // namespace
}  // namespace leat::late_reads_test
