// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/missing_ops.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "nlohmann/json.hpp"

namespace leat::missing_ops_test {
namespace {

using ::testing::HasSubstr;

TEST(MissingOpsTest, ListsOpsAndTypesWithoutKernel) {
  GraphBuilder b;
  const Output bytes = b.Placeholder<std::string>("bytes");
  AddOp({.op = "DecodeWav", .inputs = {bytes}});
  AddOp({.op = "DecodeWav", .inputs = {bytes}});
  const Output x = b.Placeholder(DType::kUint16, "x");
  op::MatMul(x, x);
  // The branch calls a function, and UnicodeTranscode is inside of the
  // function.
  Cond(
      b.Placeholder<bool>("p"),
      [&] { return std::vector<Output>{op::Identity(bytes)}; },
      [&] {
        return std::vector<Output>{
            AddOp({.op = "UnicodeTranscode",
                   .inputs = {bytes},
                   .attrs = {{"input_encoding", std::string("UTF-8")},
                             {"output_encoding", std::string("UTF-8")}}})
                .output(0)};
      });
  const auto missing = MissingOps(b.Build().value());
  ASSERT_TRUE(missing.ok()) << missing.status();
  ASSERT_EQ(missing->size(), 3u);
  EXPECT_EQ((*missing)[0].op, "DecodeWav");
  EXPECT_EQ((*missing)[0].num_nodes, 2);
  EXPECT_EQ((*missing)[0].node, "DecodeWav");
  EXPECT_EQ((*missing)[1].op, "MatMul");
  EXPECT_EQ((*missing)[1].types, "T=uint16");
  EXPECT_EQ((*missing)[2].op, "UnicodeTranscode");
  const std::string text = MissingOpsText(*missing, /*color=*/false);
  EXPECT_THAT(text, HasSubstr("DecodeWav"));
  EXPECT_THAT(text, HasSubstr("T=uint16"));
  const auto json = nlohmann::json::parse(MissingOpsJson(*missing));
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[0]["nodes"], 2);
}

TEST(MissingOpsTest, SaysThatNothingIsMissing) {
  GraphBuilder b;
  op::Neg(b.Placeholder<float>("x"));
  const auto missing = MissingOps(b.Build().value());
  ASSERT_TRUE(missing.ok()) << missing.status();
  EXPECT_EQ(MissingOpsText(*missing, /*color=*/false),
            "Leat has a kernel for every node.\n");
  EXPECT_EQ(MissingOpsJson(*missing), "[]\n");
}

}  // namespace
}  // namespace leat::missing_ops_test
