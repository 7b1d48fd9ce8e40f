// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that the messages between clients, masters and workers have
// TensorFlow's fields. service_messages.txt, which write_service_messages.py
// makes, lists these fields.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/named_tensor.pb.h"
#include "leat/protos/status_payloads.pb.h"
#include "leat/protos/tensorflow_server.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat::service_messages_test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

// Leat's own fields have numbers from here on.
constexpr int kOurNumbers = 1000;

// Maps the number of each field of a message to "name label type". The entry 0
// describes the message itself: its text names the file that declares the
// message.
using Fields = std::map<int, std::string>;

std::map<std::string, Fields> ReadMessages() {
  std::ifstream file(LEAT_TESTS_DIR "/protos/service_messages.txt");
  std::map<std::string, Fields> messages;
  std::string line;
  while (std::getline(file, line)) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    std::string message, name, label, type;
    int number = -1;
    words >> message >> name >> number >> label >> type;
    EXPECT_TRUE(words) << line;
    messages[message][number] = absl::StrCat(name, " ", label, " ", type);
  }
  return messages;
}

std::string Describe(const FieldDescriptor& field) {
  std::string type = field.type_name();
  if (field.message_type() != nullptr) {
    type = absl::StrReplaceAll(field.message_type()->full_name(),
                               {{"leat.pb.", "tensorflow."}});
  }
  if (field.enum_type() != nullptr) {
    type = absl::StrReplaceAll(field.enum_type()->full_name(),
                               {{"leat.pb.", "tensorflow."}});
  }
  // Leat declares this field as an integer. Integers and enums have the same
  // encoding.
  if (field.name() == "status_code") type = "tensorflow.error.Code";
  return absl::StrCat(field.name(), " ",
                      field.is_repeated() ? "repeated" : "optional", " ", type);
}

void ExpectTheirs(const Descriptor& ours, const Fields& theirs) {
  SCOPED_TRACE(ours.full_name());
  for (int i = 0; i < ours.field_count(); ++i) {
    const FieldDescriptor& field = *ours.field(i);
    const auto other = theirs.find(field.number());
    if (field.number() >= kOurNumbers) {
      EXPECT_EQ(other, theirs.end()) << field.name();
      continue;
    }
    ASSERT_NE(other, theirs.end()) << field.name();
    EXPECT_EQ(Describe(field), other->second);
  }
  for (const auto& [number, field] : theirs) {
    if (number == 0) continue;
    EXPECT_TRUE(ours.FindFieldByNumber(number) != nullptr ||
                ours.IsReservedNumber(number))
        << number << " may be used for something other than " << field;
  }
}

TEST(ServiceMessagesTest, HaveTheFieldsThatTensorFlowHas) {
  const std::map<std::string, Fields> theirs = ReadMessages();
  ASSERT_EQ(theirs.size(), 58);
  for (const FileDescriptor* file :
       {pb::RunStepRequest::descriptor()->file(),
        pb::NamedTensorProto::descriptor()->file(),
        pb::ServerDef::descriptor()->file(),
        pb::RunGraphRequest::descriptor()->file()}) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      const Descriptor& message = *file->message_type(i);
      const auto found = theirs.find(message.name());
      ASSERT_NE(found, theirs.end()) << message.name();
      EXPECT_EQ(absl::StrCat("leat/protos/", found->second.at(0).substr(4)),
                file->name());
      ExpectTheirs(message, found->second);
    }
  }
}

// A worker of TensorFlow wrote this payload, which says that the worker was
// restarted.
TEST(ServiceMessagesTest, ReadsTheDetailsOfAStatus) {
  const std::string key =
      "type.googleapis.com/"
      "tensorflow.distributed_runtime.WorkerPossiblyRestarted";
  const std::string entry =
      absl::StrCat("\x0a", std::string(1, static_cast<char>(key.size())), key,
                   std::string("\x12\x00", 2));
  pb::GrpcPayloadContainer details;
  ASSERT_TRUE(details.ParseFromString(absl::StrCat(
      "\x0a", std::string(1, static_cast<char>(entry.size())), entry)));
  ASSERT_EQ(details.payloads().count(key), 1);
  EXPECT_EQ(details.payloads().at(key), "");
}

}  // namespace
}  // namespace leat::service_messages_test
