// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/session_kernels.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/local_session.h"

namespace leat::session_kernels_test {
namespace {

using ::testing::HasSubstr;

class SessionKernelsTest : public ::testing::Test {
 protected:
  // Returns a node of a new graph, because each graph that a master registers
  // has its own nodes.
  static NodeDef NodeOf(const std::string& op, AttrMap attrs) {
    Graph graph(BuiltinOps());
    NodeDef def;
    def.name = "w";
    def.op = BuiltinOps().Find(op);
    def.attrs = std::move(attrs);
    const auto id = graph.Add(std::move(def), {});
    EXPECT_TRUE(id.ok()) << id.status();
    return *graph.node(*id).def;
  }
  static AttrMap Attrs(int64_t extent) {
    return {{"dtype", DType::kFloat}, {"shape", PartialShape{extent}}};
  }
  static AttrMap Annotated(AttrMap attrs, const std::string& colocated_with) {
    attrs.Set("_class", std::vector<std::string>{"loc:@" + colocated_with});
    return attrs;
  }
  auto Get(const NodeDef& node, int device = 0) {
    return kernels_.Get(node, *devices_->devices()[device], kCpu);
  }

  const std::unique_ptr<DeviceSet> devices_ =
      DeviceSet::Create({.num_cpus = 2, .num_threads = 1}).value();
  SessionKernels kernels_{BuiltinKernels()};
};

TEST_F(SessionKernelsTest, GivesTheSameKernelOfAStatefulNodeAgain) {
  const auto first = Get(NodeOf("VariableV2", Attrs(2)));
  ASSERT_TRUE(first.ok()) << first.status();
  const auto again = Get(NodeOf("VariableV2", Attrs(2)));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*first, *again);
  const auto elsewhere = Get(NodeOf("VariableV2", Attrs(2)), 1);
  ASSERT_TRUE(elsewhere.ok()) << elsewhere.status();
  EXPECT_NE(*first, *elsewhere);
}

// A TensorFlow master registers a variable with different annotations in every
// graph.
TEST_F(SessionKernelsTest, IgnoresAnnotationsOfStatefulNodes) {
  const auto first =
      Get(NodeOf("VariableV2", Annotated(Attrs(2), "w/Initializer/ones")));
  ASSERT_TRUE(first.ok()) << first.status();
  for (const AttrMap& attrs : {Annotated(Attrs(2), "w/read"), Attrs(2)}) {
    const auto again = Get(NodeOf("VariableV2", attrs));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*first, *again);
  }
}

TEST_F(SessionKernelsTest, RefusesAnotherDeclaredAttr) {
  ASSERT_TRUE(Get(NodeOf("VariableV2", Annotated(Attrs(2), "w"))).ok());
  const auto other = Get(NodeOf("VariableV2", Attrs(3)));
  EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("'w'"));
}

TEST_F(SessionKernelsTest, RefusesAnotherOp) {
  ASSERT_TRUE(Get(NodeOf("VariableV2", Attrs(2))).ok());
  const auto other = Get(NodeOf("VarHandleOp", Attrs(2)));
  EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace leat::session_kernels_test
