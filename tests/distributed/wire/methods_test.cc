// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/methods.h"

#include <google/protobuf/descriptor.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "leat/protos/health.pb.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/status.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat::methods_test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

const std::vector<Method>& AllMethods() {
  static const auto* const all =
      new std::vector<Method>{methods::kCreateSession,
                              methods::kExtendSession,
                              methods::kPartialRunSetup,
                              methods::kRunStep,
                              methods::kCloseSession,
                              methods::kListDevices,
                              methods::kReset,
                              methods::kMakeCallable,
                              methods::kRunCallable,
                              methods::kReleaseCallable,
                              methods::kGetStatus,
                              methods::kCreateWorkerSession,
                              methods::kDeleteWorkerSession,
                              methods::kRegisterGraph,
                              methods::kDeregisterGraph,
                              methods::kRunGraph,
                              methods::kCleanupGraph,
                              methods::kCleanupAll,
                              methods::kRecvTensor,
                              methods::kMarkRecvFinished,
                              methods::kLogging,
                              methods::kTracing,
                              methods::kRecvTensors,
                              methods::kFetchChunk};
  return *all;
}

// Returns the field that holds the tensors of a message.
TensorField TensorsOf(const Descriptor& message) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (field.message_type() == pb::NamedTensorProto::descriptor()) {
      return {field.number(), true};
    }
    if (field.message_type() == pb::TensorProto::descriptor()) {
      return {field.number(), false};
    }
  }
  return {};
}

// Returns the message type that is named after the method and `kind`, which is
// "Request" or "Response".
const Descriptor* MessageOf(const Method& method, const char* kind) {
  const std::vector<std::string> parts = absl::StrSplit(method.path, '/');
  const std::string name = absl::StrCat(parts.back(), kind);
  for (const auto* file : {pb::RunStepRequest::descriptor()->file(),
                           pb::RunGraphRequest::descriptor()->file(),
                           pb::LeatPeer::descriptor()->file()}) {
    if (const Descriptor* found = file->FindMessageTypeByName(name)) {
      return found;
    }
  }
  return nullptr;
}

void ExpectEqual(const TensorField& actual, const TensorField& expected) {
  EXPECT_EQ(actual.number, expected.number);
  EXPECT_EQ(actual.named, expected.named);
}

TEST(MethodsTest, KnowTheFieldsOfTheirMessagesThatHoldTensors) {
  for (const Method& method : AllMethods()) {
    SCOPED_TRACE(method.path);
    const Descriptor* const request = MessageOf(method, "Request");
    const Descriptor* const response = MessageOf(method, "Response");
    ASSERT_NE(request, nullptr);
    ASSERT_NE(response, nullptr);
    ExpectEqual(method.request, TensorsOf(*request));
    ExpectEqual(method.response, TensorsOf(*response));
  }
}

TEST(MethodsTest, KnowTheNamesOfTheirSmallRequests) {
  int num_small = 0;
  for (const Method& method : AllMethods()) {
    if (method.small_request == nullptr) continue;
    ++num_small;
    EXPECT_EQ(MessageOf(method, "Request")->name(), method.small_request);
  }
  EXPECT_EQ(num_small, 3);
  EXPECT_EQ(pb::TaskStatusRequest::descriptor()->name(),
            methods::kTaskStatus.small_request);
  EXPECT_EQ(pb::HealthCheckRequest::descriptor()->name(),
            methods::kHealthCheck.small_request);
}

TEST(MethodsTest, HaveDifferentPaths) {
  std::set<std::string> paths = {methods::kTaskStatus.path};
  for (const Method& method : AllMethods()) {
    EXPECT_TRUE(paths.insert(method.path).second) << method.path;
  }
}

TEST(MethodTableTest, FindsWhatWasAdded) {
  MethodTable table;
  std::string called;
  for (const Method& method : AllMethods()) {
    table.Add(method, [&called, method](std::shared_ptr<CallContext> context,
                                        Payload request, Reply reply) {
      called = absl::StrCat(method.path, " by ", context->peer);
      std::move(reply)(std::move(request));
    });
  }
  for (const Method& method : AllMethods()) {
    const MethodTable::Entry* const entry = table.Find(method.path);
    ASSERT_NE(entry, nullptr) << method.path;
    EXPECT_EQ(entry->method.response.number, method.response.number);
    auto context = std::make_shared<CallContext>();
    context->peer = "test";
    Payload request;
    request.header = "h";
    std::string replied;
    entry->handler(context, std::move(request),
                   [&replied](absl::StatusOr<Payload> response) {
                     replied = response->header;
                   });
    EXPECT_EQ(called, absl::StrCat(method.path, " by test"));
    EXPECT_EQ(replied, "h");
  }
  EXPECT_EQ(table.Find("/tensorflow.WorkerService/RecvBuf"), nullptr);
  EXPECT_EQ(table.Find("RunGraph"), nullptr);
}

TEST(MethodTableTest, WrapsHandlers) {
  MethodTable table;
  table.Add(methods::kRunGraph,
            [](std::shared_ptr<CallContext>, Payload request, Reply reply) {
              request.header += " inside";
              std::move(reply)(std::move(request));
            });
  table.Wrap(methods::kRunGraph, [](Handler inner) -> Handler {
    return [inner = std::move(inner)](std::shared_ptr<CallContext> context,
                                      Payload request, Reply reply) {
      request.header += " outside";
      inner(std::move(context), std::move(request), std::move(reply));
    };
  });
  std::string replied;
  Payload request;
  request.header = "h";
  table.Find(methods::kRunGraph.path)
      ->handler(std::make_shared<CallContext>(), std::move(request),
                [&replied](absl::StatusOr<Payload> response) {
                  replied = response->header;
                });
  EXPECT_EQ(replied, "h outside inside");
}

}  // namespace
}  // namespace leat::methods_test
