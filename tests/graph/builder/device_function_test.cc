// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the device functions that GraphBuilder::OnDevice takes.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"

namespace leat::device_function_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string DeviceOf(const Operation& operation) {
  return operation.builder()->graph().node(operation.id()).def->device;
}
std::string DeviceOf(const Output& output) {
  return DeviceOf(output.operation());
}

// Is a device function that returns the same device for every node. Appends to
// `asked` the name of each node for which it is called.
struct Fixed {
  std::string device = {};
  std::vector<std::string>* asked = nullptr;

  std::string operator()(const NodeDef& node) const {
    if (asked != nullptr) asked->push_back(node.name);
    return device;
  }
};

TEST(DeviceFunctionTest, SaysWhatInnerScopesLeaveOpen) {
  GraphBuilder b;
  const Scope outer = b.OnDevice("/replica:1/task:5/cpu:3");
  const Scope function = b.OnDevice(Fixed{"/job:worker/task:1"});
  EXPECT_EQ(DeviceOf(b.Const(1.0f)),
            "/job:worker/replica:1/task:1/device:CPU:3");
  const Scope inner = b.OnDevice("/job:ps/gpu:0");
  EXPECT_EQ(DeviceOf(b.Const(1.0f)), "/job:ps/replica:1/task:1/device:GPU:0");
}

TEST(DeviceFunctionTest, IsAskedFromTheInnermostOut) {
  GraphBuilder b;
  std::vector<std::string> seen;
  const auto sees = [&](std::string device) {
    return [&seen, device](const NodeDef& node) {
      seen.push_back(node.device);
      return device;
    };
  };
  const Scope far = b.OnDevice(sees("/job:a/task:0/cpu:0"));
  const Scope job = b.OnDevice("/job:b");
  const Scope near = b.OnDevice(sees("/task:1"));
  const Scope cpu = b.OnDevice("/cpu:1");
  EXPECT_EQ(DeviceOf(b.Const(1.0f)), "/job:b/task:1/device:CPU:1");
  EXPECT_THAT(seen, ElementsAre("/device:CPU:1", "/job:b/task:1/device:CPU:1"));
}

TEST(DeviceFunctionTest, SeesTheNode) {
  GraphBuilder b;
  std::vector<std::string> seen;
  const Scope scope = b.OnDevice([&](const NodeDef& node) {
    seen.push_back(
        absl::StrCat(node.name, " ", node.op->name, " ",
                     node.attrs.Has("shape")
                         ? node.attrs.Get<PartialShape>("shape")->DebugString()
                         : ""));
    return std::string();
  });
  const Scope names = b.NameScope("a");
  EXPECT_EQ(DeviceOf(b.Placeholder<float>("x", {-1, 2}) + 1.0f), "");
  EXPECT_THAT(seen, ElementsAre("a/x Placeholder [?,2]", "a/add/y Const ",
                                "a/add AddV2 "));
}

TEST(DeviceFunctionTest, EndsWithItsScope) {
  GraphBuilder b;
  const Scope outer = b.OnDevice("/job:a");
  {
    const Scope function = b.OnDevice(Fixed{"/task:1"});
    const Scope inner = b.OnDevice("/cpu:0");
  }
  EXPECT_EQ(DeviceOf(b.Const(1.0f)), "/job:a");
}

TEST(DeviceFunctionTest, IsAskedOncePerVariableAndNotForWhatStandsBesideIt) {
  for (const bool use_resource : {true, false}) {
    GraphBuilder b;
    std::vector<std::string> asked;
    const Scope function = b.OnDevice(Fixed{"/job:ps/task:1", &asked});
    const Variable w = b.GetVariable("w", DType::kFloat, Shape{},
                                     [&] { return b.Const(1.0f); },
                                     {.use_resource = use_resource});
    EXPECT_THAT(asked, ElementsAre("w"));
    b.Variable("v", w.value(), {.use_resource = use_resource});
    EXPECT_THAT(asked, ElementsAre("w", "v"));
    EXPECT_EQ(DeviceOf(w.handle()), "/job:ps/task:1");
    EXPECT_EQ(DeviceOf(w.value()), "/job:ps/task:1");
    EXPECT_EQ(DeviceOf(w.initializer()), "/job:ps/task:1");
    const Operation initial = w.initializer().input(1).operation();
    EXPECT_EQ(DeviceOf(initial), "");
    EXPECT_THAT(initial.attr<std::vector<std::string>>("_class"),
                ElementsAre("loc:@w"));
    {
      const Scope beside = b.ColocateWith(w.handle().operation());
      EXPECT_EQ(DeviceOf(b.Const(2.0f)), "/job:ps/task:1");
    }
    EXPECT_THAT(asked, ElementsAre("w", "v"));
    ASSERT_TRUE(b.status().ok()) << b.status();
  }
}

TEST(DeviceFunctionTest, GradientsRunWhereTheirOperationDoes) {
  GraphBuilder b;
  Output x, y;
  {
    const Scope function = b.OnDevice(Fixed{"/job:ps"});
    x = b.Placeholder<float>("x", Shape{});
    y = op::Square(x);
  }
  const Scope function = b.OnDevice(Fixed{"/job:worker/cpu:0"});
  const Output ys[] = {y};
  const Output xs[] = {x};
  const Output dx = Gradients(ys, xs)[0].AsDense();
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(DeviceOf(dx), "/job:ps");
}

// The scopes around a body do not apply to the body's nodes. They do apply to
// the nodes that are added to the graph around the body: the loop, the loop's
// counter, and the variables that the body makes.
TEST(DeviceFunctionTest, OfABodyIsInsideOfThoseAroundIt) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  std::vector<std::string> outside, inside;
  const Scope job = b.OnDevice("/job:a");
  const Scope function = b.OnDevice(Fixed{"/task:1/cpu:3", &outside});
  const Scope replica = b.OnDevice("/replica:1");
  Variable w;
  std::string sine;
  const Output y = While(
      {x}, [](absl::Span<const Output> v) { return op::Less(v[0], 5.0f); },
      [&](absl::Span<const Output> v) {
        const Scope name = b.OnDevice("/replica:2");
        const Scope inner = b.OnDevice(Fixed{"/cpu:2", &inside});
        w = b.GetVariable("w", DType::kFloat, Shape{},
                          [&] { return b.Const(1.0f); });
        const Output s = op::Sin(v[0]);
        sine = DeviceOf(s);
        return std::vector<Output>{s + w.value()};
      },
      {.maximum_iterations = 3})[0];
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(sine, "/replica:2/device:CPU:2");
  EXPECT_EQ(DeviceOf(w.handle()), "/job:a/replica:2/task:1/device:CPU:2");
  EXPECT_EQ(DeviceOf(y), "/job:a/replica:1/task:1/device:CPU:3");
  EXPECT_THAT(outside, UnorderedElementsAre("w", "while", "while/iterations"));
  EXPECT_THAT(inside, ::testing::Contains("w"));
}

TEST(DeviceFunctionTest, ErrorsNameTheNodeAndTheCaller) {
  const auto error_of = [](DeviceFunction function) {
    GraphBuilder b;
    const Scope scope = b.OnDevice(std::move(function));
    b.Const(1.0f, "x");
    return std::string(b.status().message());
  };
  EXPECT_THAT(error_of(Fixed{"/rocket:1:2"}),
              AllOf(HasSubstr("node 'x' (Const)"), HasSubstr("/rocket:1:2"),
                    HasSubstr("device_function_test.cc:")));
  EXPECT_THAT(error_of([](const NodeDef&) {
                return absl::NotFoundError("no such task");
              }),
              AllOf(HasSubstr("node 'x' (Const)"), HasSubstr("device function"),
                    HasSubstr("no such task")));
  EXPECT_THAT(error_of(nullptr), HasSubstr("no function"));
}

}  // namespace
}  // namespace leat::device_function_test
