// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that graphs survive parsing and writing in binary and in text form.
// make_graphs.py wrote the graphs (tests/graphs) with TensorFlow.
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "leat/protos/graph.pb.h"
#include "leat/protos/meta_graph.pb.h"

namespace leat::round_trip_test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::TextFormat;
using google::protobuf::util::MessageDifferencer;

std::string ReadGraph(const std::string& name) {
  std::ifstream file(std::string(LEAT_TESTS_DIR "/graphs/") + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::unique_ptr<Message> NewMessage(const std::string& name) {
  if (name == "meta_graph.pbtxt") {
    return std::make_unique<pb::MetaGraphDef>();
  }
  return std::make_unique<pb::GraphDef>();
}

// Returns the number of unknown fields in `message` and in all messages that it
// contains.
int CountUnknownFields(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  int count = reflection.GetUnknownFields(message).field_count();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      count += CountUnknownFields(reflection.GetMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      count +=
          CountUnknownFields(reflection.GetRepeatedMessage(message, field, i));
    }
  }
  return count;
}

class RoundTripTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RoundTripTest, BinaryAndTextFormsGiveAnEqualMessage) {
  const std::string text = ReadGraph(GetParam());
  ASSERT_FALSE(text.empty());
  const std::unique_ptr<Message> read = NewMessage(GetParam());
  ASSERT_TRUE(TextFormat::ParseFromString(text, read.get()));
  ASSERT_GT(read->ByteSizeLong(), 1000);
  EXPECT_EQ(CountUnknownFields(*read), 0);

  const std::unique_ptr<Message> from_binary = NewMessage(GetParam());
  ASSERT_TRUE(from_binary->ParseFromString(read->SerializeAsString()));
  EXPECT_TRUE(MessageDifferencer::Equals(*read, *from_binary));
  EXPECT_EQ(CountUnknownFields(*from_binary), 0);

  std::string written;
  ASSERT_TRUE(TextFormat::PrintToString(*from_binary, &written));
  const std::unique_ptr<Message> from_text = NewMessage(GetParam());
  ASSERT_TRUE(TextFormat::ParseFromString(written, from_text.get()));
  EXPECT_TRUE(MessageDifferencer::Equals(*read, *from_text));
}

INSTANTIATE_TEST_SUITE_P(TensorFlowGraphs, RoundTripTest,
                         ::testing::Values("attr_kinds.pbtxt",
                                           "control_flow_functional.pbtxt",
                                           "control_flow_primitive.pbtxt",
                                           "meta_graph.pbtxt", "mlp_ref.pbtxt",
                                           "mlp_resource.pbtxt"),
                         [](const ::testing::TestParamInfo<const char*>& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(RoundTripTest, CountsUnknownFieldsAtAnyDepth) {
  // The bytes are GraphDef.node {name: "a", field 99: 1}.
  const std::string bytes("\x0a\x06\x0a\x01\x61\x98\x06\x01", 8);
  pb::GraphDef graph;
  ASSERT_TRUE(graph.ParseFromString(bytes));
  EXPECT_EQ(graph.node(0).name(), "a");
  EXPECT_EQ(CountUnknownFields(graph), 1);
}

TEST(RoundTripTest, EnumsWithoutANameKeepTheirNumber) {
  pb::NodeDef node;
  (*node.mutable_attr())["T"].set_type(static_cast<pb::DataType>(77));
  pb::NodeDef read;
  ASSERT_TRUE(read.ParseFromString(node.SerializeAsString()));
  EXPECT_EQ(static_cast<int>(read.attr().at("T").type()), 77);
}

}  // namespace
}  // namespace leat::round_trip_test
