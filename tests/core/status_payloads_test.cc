// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/status_payloads.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/protos/status_payloads.pb.h"

namespace leat::status_payloads_test {
namespace {

constexpr char kTask[] = "/job:ps/replica:0/task:0";

int CountPayloads(const absl::Status& status) {
  int count = 0;
  status.ForEachPayload([&](absl::string_view, const absl::Cord&) { ++count; });
  return count;
}

absl::Status Decoded(absl::string_view bytes) {
  absl::Status status = absl::AbortedError("x");
  DecodePayloads(bytes, status);
  return status;
}

std::string Container(int count, size_t value_size) {
  pb::GrpcPayloadContainer container;
  for (int i = 0; i < count; ++i) {
    (*container.mutable_payloads())[absl::StrCat("url", i)] =
        std::string(value_size, 'v');
  }
  return container.SerializeAsString();
}

TEST(StatusPayloadsTest, ADerivedErrorIsKnownAsSuch) {
  const absl::Status error = absl::NotFoundError("w");
  EXPECT_FALSE(IsDerived(error));
  const absl::Status derived = AsDerived(error);
  EXPECT_TRUE(IsDerived(derived));
  EXPECT_TRUE(IsDerived(AsDerived(derived)));
  EXPECT_EQ(derived.code(), error.code());
  EXPECT_EQ(derived.message(), "w");
  EXPECT_FALSE(IsDerived(absl::OkStatus()));
  EXPECT_TRUE(AsDerived(absl::OkStatus()).ok());
}

TEST(StatusPayloadsTest, NamesTheTaskOnceAndKeepsPayloads) {
  const absl::Status error = AsDerived(absl::NotFoundError("no w"));
  const absl::Status from = WithTask(error, kTask);
  EXPECT_EQ(from.message(), absl::StrCat("From ", kTask, ":\nno w"));
  EXPECT_EQ(from.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(IsDerived(from));
  EXPECT_EQ(WithTask(from, "/job:worker/replica:0/task:1"), from);
  EXPECT_TRUE(WithTask(absl::OkStatus(), kTask).ok());
}

// The expected bytes are what TensorFlow's grpc_util.h writes for payloads with
// these names. Field 1 of the container is a map. Each entry of the map has a
// key (field 1) and a value (field 2). The value may be empty.
TEST(StatusPayloadsTest, EncodesAsTensorFlowDoes) {
  const std::string derived = "type.googleapis.com/tensorflow.DerivedStatus";
  const std::string restarted =
      "type.googleapis.com/"
      "tensorflow.distributed_runtime.WorkerPossiblyRestarted";
  const auto entry = [](const std::string& url) {
    const std::string body =
        absl::StrCat("\x0a", std::string(1, static_cast<char>(url.size())), url,
                     std::string("\x12\x00", 2));
    return absl::StrCat("\x0a", std::string(1, static_cast<char>(body.size())),
                        body);
  };
  EXPECT_EQ(EncodePayloads(AsDerived(absl::AbortedError("x"))), entry(derived));
  EXPECT_EQ(EncodePayloads(AsWorkerPossiblyRestarted(absl::AbortedError("x"))),
            entry(restarted));
  EXPECT_EQ(EncodePayloads(absl::AbortedError("x")), "");
  EXPECT_EQ(EncodePayloads(absl::OkStatus()), "");
}

TEST(StatusPayloadsTest, DecodesWhatItEncodes) {
  absl::Status sent = AsDerived(absl::AbortedError("x"));
  sent.SetPayload("type.googleapis.com/a", absl::Cord("\x01\x02"));
  absl::Status received = absl::AbortedError("x");
  received.SetPayload("already", absl::Cord("there"));
  DecodePayloads(EncodePayloads(sent), received);
  EXPECT_TRUE(IsDerived(received));
  EXPECT_EQ(received.GetPayload("type.googleapis.com/a"),
            absl::Cord("\x01\x02"));
  EXPECT_EQ(received.GetPayload("already"), absl::Cord("there"));
  EXPECT_EQ(CountPayloads(received), 3);
}

TEST(StatusPayloadsTest, AMalformedContainerSetsNothing) {
  const std::string good = Container(2, 3);
  EXPECT_EQ(CountPayloads(Decoded(good)), 2);
  EXPECT_EQ(CountPayloads(Decoded("")), 0);
  for (size_t length = 1; length < good.size(); ++length) {
    // A cut between the two entries leaves a valid container of one entry.
    if (length == good.size() / 2) continue;
    EXPECT_EQ(CountPayloads(Decoded(absl::string_view(good).substr(0, length))),
              0)
        << length;
  }
  EXPECT_EQ(CountPayloads(Decoded("\x0a\x05\x0a\x03\xff\xfe\xfd")), 0);
  EXPECT_EQ(CountPayloads(Decoded(absl::StrCat(good, "\x0b"))), 0);
}

TEST(StatusPayloadsTest, APeerCannotSetManyOrLongOnes) {
  EXPECT_EQ(CountPayloads(Decoded(Container(16, 400))), 16);
  EXPECT_EQ(CountPayloads(Decoded(Container(17, 1))), 0);
  EXPECT_EQ(CountPayloads(Decoded(Container(1, 8000))), 1);
  EXPECT_EQ(CountPayloads(Decoded(Container(1, 8192))), 0);
  EXPECT_EQ(CountPayloads(Decoded(std::string(100 << 20, '\x0a'))), 0);
}

TEST(StatusPayloadsTest, LeavesOutWhatAPeerWouldRefuse) {
  absl::Status big = AsDerived(absl::AbortedError("x"));
  big.SetPayload("a", absl::Cord(std::string(5000, 'a')));
  big.SetPayload("b", absl::Cord(std::string(5001, 'b')));
  const absl::Status received = Decoded(EncodePayloads(big));
  EXPECT_TRUE(IsDerived(received));
  EXPECT_TRUE(received.GetPayload("a").has_value());
  EXPECT_FALSE(received.GetPayload("b").has_value());

  absl::Status many = AsDerived(absl::AbortedError("x"));
  for (int i = 0; i < 40; ++i) {
    many.SetPayload(absl::StrCat("type.googleapis.com/tensorflow.Longer", i),
                    absl::Cord(std::string(40, 'v')));
  }
  EXPECT_TRUE(IsDerived(Decoded(EncodePayloads(many))));
  EXPECT_EQ(CountPayloads(Decoded(EncodePayloads(many))), 16);
}

TEST(StatusPayloadsTest, WhatItEncodesIsWithinTheLimits) {
  for (size_t size = 8100; size < 8200; ++size) {
    absl::Status status = absl::AbortedError("x");
    status.SetPayload("u", absl::Cord(std::string(size, 'v')));
    const std::string bytes = EncodePayloads(status);
    EXPECT_EQ(CountPayloads(Decoded(bytes)), bytes.empty() ? 0 : 1) << size;
  }
}

}  // namespace
}  // namespace leat::status_payloads_test
