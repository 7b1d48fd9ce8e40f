// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests constants of variants in a GraphDef: lists in TensorFlow's encoding are
// read, every step sees the constant unchanged, and malformed encodings are
// refused.
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/core/variant_encodings.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::variant_constants_test {
namespace {

using ::testing::HasSubstr;

constexpr char kNodes[] = R"(
  node { name: "list" op: "Const"
         attr { key: "dtype" value { type: DT_VARIANT } } }
  node { name: "element" op: "Placeholder"
         attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "longer" op: "TensorListPushBack"
         input: "list" input: "element"
         attr { key: "element_dtype" value { type: DT_FLOAT } } }
  node { name: "length" op: "TensorListLength" input: "list" }
  node { name: "new_length" op: "TensorListLength" input: "longer" }
)";

// Returns the nodes of kNodes with `list` as the value of the constant.
pb::GraphDef GraphWith(const pb::TensorProto& list) {
  pb::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kNodes, &graph));
  *(*graph.mutable_node(0)->mutable_attr())["value"].mutable_tensor() = list;
  return graph;
}

pb::TensorProto AList() {
  pb::TensorProto list;
  EXPECT_TRUE(list.ParseFromString(absl::HexStringToBytes(kAListHex)));
  return list;
}

TEST(VariantConstantsTest, AreReadAndStayWhatTheyAre) {
  const auto graph = ImportGraphDef(GraphWith(AList()), BuiltinOps());
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  for (int step = 0; step < 3; ++step) {
    auto out = (*session)->Run(
        {.feeds = {{"element", Tensor::Of<float>(Shape({1, 2}), {3, 4})}},
         .fetches = {"new_length"}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), 4);
    out = (*session)->Run({.fetches = {"length"}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), 3);
  }
}

TEST(VariantConstantsTest, AreWrittenAgain) {
  const auto graph = ImportGraphDef(GraphWith(AList()), BuiltinOps());
  ASSERT_TRUE(graph.ok()) << graph.status();
  pb::GraphDef exported;
  ASSERT_TRUE(ExportGraphDef(*graph, exported).ok());
  const auto again = ImportGraphDef(exported, BuiltinOps());
  ASSERT_TRUE(again.ok()) << again.status();
  pb::GraphDef third;
  ASSERT_TRUE(ExportGraphDef(*again, third).ok());
  EXPECT_EQ(exported.node(0).DebugString(), third.node(0).DebugString());
}

TEST(VariantConstantsTest, BadOnesAreRefusedWithTheirNode) {
  for (const char* type :
       {"tensorflow::TensorList", "tensorflow::data::Optional", "unknown"}) {
    pb::TensorProto list;
    list.set_dtype(pb::DT_VARIANT);
    list.mutable_tensor_shape();
    list.add_variant_val()->set_type_name(type);
    const auto graph = ImportGraphDef(GraphWith(list), BuiltinOps());
    EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(graph.status().message()), HasSubstr("'list'"));
    EXPECT_THAT(std::string(graph.status().message()), HasSubstr(type));
  }
}

}  // namespace
}  // namespace leat::variant_constants_test
