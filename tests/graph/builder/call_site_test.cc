// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the source locations that a builder's errors name.
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"

namespace leat::call_site_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr SourceLocation kElsewhere = {"elsewhere.cc", 7};

std::string Message(const GraphBuilder& b) {
  return std::string(b.status().message());
}

TEST(CallSiteTest, OperatorsNameTheExpression) {
  GraphBuilder b;
  const Output x = b.Placeholder<bool>("x");
  const Output y = -x;
  const int line = __LINE__ - 1;
  EXPECT_FALSE(y.IsValid());
  EXPECT_THAT(Message(b), HasSubstr("node 'Neg' (Neg): "));
  EXPECT_THAT(Message(b), HasSubstr(absl::StrCat("_site_test.cc:", line, ")")));
}

TEST(CallSiteTest, NamesTheNodeOnce) {
  GraphBuilder b;
  op::Neg(b.Placeholder<bool>("x"));
  const std::string message = Message(b);
  EXPECT_EQ(message.find("'Neg'"), message.rfind("'Neg'")) << message;
}

TEST(CallSiteTest, OperationsOfNoNodeNameWhoGotThem) {
  const std::vector<
      std::pair<std::string, std::function<void(GraphBuilder&, Operation)>>>
      uses = {
          {"AddUpdate: an operation that was passed stands for no node",
           [](GraphBuilder& b, Operation none) { b.AddUpdate(none); }},
          {"ColocateWith: an operation that was passed stands for no node",
           [](GraphBuilder& b, Operation none) {
             const Scope scope = b.ColocateWith(none);
           }},
          {"ControlDependencies: an operation that was passed stands for no "
           "node",
           [](GraphBuilder& b, Operation none) {
             const Scope scope = b.ControlDependencies({{none}});
           }},
      };
  for (const auto& [message, use] : uses) {
    GraphBuilder b;
    use(b, Operation());
    EXPECT_THAT(Message(b), HasSubstr(message));
    EXPECT_THAT(Message(b), HasSubstr("call_site_test.cc:"));
    GraphBuilder c;
    use(c, Operation(&c, 123));
    EXPECT_THAT(Message(c), HasSubstr(message));
  }
}

TEST(CallSiteTest, AbsentAttrsNameTheNode) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  EXPECT_EQ(x.operation().attr<int64_t>("nope"), 0);
  EXPECT_THAT(Message(b), HasSubstr("node 'x' (Placeholder): "));
  EXPECT_THAT(Message(b), HasSubstr("nope"));
  EXPECT_THAT(Message(b), HasSubstr("call_site_test.cc:"));
}

TEST(CallSiteTest, ExtentsThatNoShapeHasAreErrors) {
  const std::vector<std::function<void(GraphBuilder&)>> uses = {
      [](GraphBuilder& b) {
        b.Placeholder<float>("x", {-2, 3});
      },
      [](GraphBuilder& b) {
        b.Placeholder<float>("x", {int64_t{1} << 40, int64_t{1} << 40});
      },
      [](GraphBuilder& b) { b.Placeholder(DType::kFloat, "x", {-2}); },
      [](GraphBuilder& b) {
        op::Placeholder(b, DType::kFloat, {.shape = {-2}});
      },
      [](GraphBuilder& b) { op::VarHandleOp(b, DType::kFloat, {-2}); },
  };
  for (const auto& use : uses) {
    GraphBuilder b;
    use(b);
    EXPECT_THAT(Message(b), HasSubstr("node '"));
    EXPECT_THAT(Message(b), HasSubstr("attr 'shape': Shape ["));
    EXPECT_THAT(Message(b), HasSubstr("call_site_test.cc:"));
  }
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {-1, 3});
  While(
      {x}, [&](auto) { return b.Const(true); },
      [](auto state) { return std::vector<Output>{op::Neg(state[0])}; },
      {.shape_invariants = {PartialShape{-2, 3}}});
  EXPECT_THAT(Message(b), HasSubstr("call_site_test.cc:"));
}

TEST(CallSiteTest, IsWhereAddOpIsCalledIfNothingElseTells) {
  GraphBuilder b;
  b.AddOp({.op = "Nope"});
  EXPECT_THAT(Message(b), HasSubstr("node 'Nope' (Nope): "));
  EXPECT_THAT(Message(b), HasSubstr("call_site_test.cc:"));
  GraphBuilder c;
  c.AddOp({.op = "Nope", .location = kElsewhere});
  EXPECT_THAT(Message(c), HasSubstr("(elsewhere.cc:7)"));
}

TEST(CallSiteTest, TheOutermostScopeNamesThePlace) {
  GraphBuilder b;
  const Output x = b.Placeholder<bool>("x");
  {
    const Scope outer = b.CallSite(kElsewhere);
    const Scope inner = b.CallSite({"inner.cc", 1});
    op::Neg(x);
  }
  EXPECT_THAT(Message(b), HasSubstr("(elsewhere.cc:7)"));
}

TEST(CallSiteTest, EndsWithItsScope) {
  GraphBuilder b;
  const Output x = b.Placeholder<bool>("x");
  { const Scope outer = b.CallSite(kElsewhere); }
  op::Neg(x);
  EXPECT_THAT(Message(b), Not(HasSubstr("elsewhere.cc")));
}

TEST(CallSiteTest, GivesAPlaceToErrorsWithoutOne) {
  GraphBuilder b;
  {
    const Scope site = b.CallSite(kElsewhere);
    const Scope names = b.NameScope("layer");
    gradients::IntVector(b, {int64_t{1} << 40});
  }
  EXPECT_THAT(Message(b), HasSubstr("constant 'layer/Const'"));
  EXPECT_THAT(Message(b), HasSubstr("(elsewhere.cc:7)"));
}

TEST(CallSiteTest, OutlivesItsBuilderUnharmed) {
  auto b = std::make_unique<GraphBuilder>();
  const Scope site = b->CallSite(kElsewhere);
  b.reset();
}

}  // namespace
}  // namespace leat::call_site_test
