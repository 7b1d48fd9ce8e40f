// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests control flow on references. RefSwitch, RefMerge, and a loop of
// RefEnter, RefNextIteration and RefExit must forward the variable itself.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/graph_text.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::reference_control_flow_test {
namespace {

// Returns a node whose attr T is float.
std::string FloatOp(const std::string& name, const std::string& op,
                    const std::vector<std::string>& inputs,
                    const std::string& attrs = "") {
  return NodeText(name, op, inputs, Float() + attrs);
}

std::string Const(const std::string& name, float value) {
  return NodeText(name, "Const", {},
                  Attr("dtype", "type: DT_FLOAT") +
                      Attr("value", absl::StrCat("tensor { dtype: DT_FLOAT "
                                                 "tensor_shape {} float_val: ",
                                                 value, " }")));
}

// Returns the nodes of a variable "v" and the node "init", which sets it to 1.
std::string Variable() {
  return NodeText("v", "VariableV2", {},
                  Attr("dtype", "type: DT_FLOAT") + Attr("shape", "shape {}")) +
         Const("one", 1) + FloatOp("init", "Assign", {"v", "one"});
}

std::shared_ptr<Session> NewSession(const std::string& text) {
  auto session = NewTestSession(ImportText(text, BuiltinOps()));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *session : nullptr;
}

float Fetch(Session& session, const char* name, std::vector<Feed> feeds = {}) {
  const auto result =
      session.Run({.feeds = std::move(feeds), .fetches = {name}});
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? (*result)[0].scalar<float>() : -1;
}

TEST(ReferenceControlFlowTest, ABranchUpdatesTheVariable) {
  const auto session = NewSession(
      Variable() +
      NodeText("p", "Placeholder", {}, Attr("dtype", "type: DT_BOOL")) +
      Const("ten", 10) + FloatOp("switch", "RefSwitch", {"v", "p"}) +
      FloatOp("add", "AssignAdd", {"switch:1", "ten"}) +
      FloatOp("sub", "AssignSub", {"switch", "one"}) +
      FloatOp("merge", "RefMerge", {"sub", "add"}, Attr("N", "i: 2")) +
      FloatOp("after", "AssignAdd", {"merge", "one"}));
  ASSERT_NE(session, nullptr);
  ASSERT_TRUE(session->Run({.targets = {"init"}}).ok());
  EXPECT_EQ(Fetch(*session, "after", {{"p", Tensor::Scalar(true)}}), 12);
  EXPECT_EQ(Fetch(*session, "v"), 12);
  EXPECT_EQ(Fetch(*session, "after", {{"p", Tensor::Scalar(false)}}), 12);
  EXPECT_EQ(Fetch(*session, "merge", {{"p", Tensor::Scalar(false)}}), 11);
  EXPECT_EQ(Fetch(*session, "v"), 11);
}

// The loop computes: while (v < limit) v += 2. A reference to the variable goes
// around the loop.
TEST(ReferenceControlFlowTest, ALoopUpdatesTheVariable) {
  const std::string frame = Attr("frame_name", "s: 'loop'");
  const auto session = NewSession(
      Variable() + Const("limit", 8) + Const("two", 2) +
      FloatOp("enter", "RefEnter", {"v"}, frame) +
      FloatOp("limit_enter", "Enter", {"limit"},
              frame + Attr("is_constant", "b: true")) +
      FloatOp("two_enter", "Enter", {"two"},
              frame + Attr("is_constant", "b: true")) +
      FloatOp("merge", "RefMerge", {"enter", "next"}, Attr("N", "i: 2")) +
      FloatOp("less", "Less", {"merge", "limit_enter"}) +
      NodeText("cond", "LoopCond", {"less"}, "") +
      FloatOp("switch", "RefSwitch", {"merge", "cond"}) +
      FloatOp("add", "AssignAdd", {"switch:1", "two_enter"}) +
      FloatOp("next", "RefNextIteration", {"add"}) +
      FloatOp("exit", "RefExit", {"switch"}) +
      FloatOp("after", "AssignAdd", {"exit", "one"}));
  ASSERT_NE(session, nullptr);
  ASSERT_TRUE(session->Run({.targets = {"init"}}).ok());
  EXPECT_EQ(Fetch(*session, "after"), 10);
  EXPECT_EQ(Fetch(*session, "v"), 10);
  EXPECT_EQ(Fetch(*session, "exit"), 10);  // the loop's body does not run
}

}  // namespace
}  // namespace leat::reference_control_flow_test
