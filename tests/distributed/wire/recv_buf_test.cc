// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the messages of RecvBuf. The bytes of a response are those of
// TensorFlow.
#include "leat/distributed/wire/recv_buf.h"

#include <string>

#include "gtest/gtest.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/protos/worker.pb.h"

namespace leat::recv_buf_test {
namespace {

constexpr char kSender[] = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr char kReceiver[] = "/job:worker/replica:0/task:1/device:CPU:0";

TEST(RecvBufTest, ARequestNamesABuffer) {
  const std::string buffer = RunOfCollective(1, 2, 3, 4) + ":0:5:6";
  EXPECT_EQ(buffer, "1:2:3:4:0:5:6");
  const ParsedKey key = BufferKey(kSender, 7, kReceiver, buffer);
  ASSERT_TRUE(key.is_well_formed());
  EXPECT_TRUE(key.is_in_loop());
  const Payload payload =
      EncodeRecvBufRequest({.step_id = 8, .key = key, .request_id = 9});
  pb::RecvBufRequest message;
  ASSERT_TRUE(ParseSmall(payload.header, message).ok());
  EXPECT_EQ(message.buf_rendezvous_key(), buffer);
  const auto decoded = DecodeRecvBufRequest(payload.header);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->key.text(), key.text());
  EXPECT_EQ(decoded->step_id, 8);
  EXPECT_EQ(decoded->request_id, 9);
}

TEST(RecvBufTest, AStrangeNameIsMalformed) {
  for (const char* name : {"", "1:2", "1:2:x:0:0", "1:2:0:0:;:0"}) {
    EXPECT_FALSE(BufferKey(kSender, 7, kReceiver, name).is_well_formed())
        << name;
  }
}

// Otherwise a peer could read any tensor of a step as bytes.
TEST(RecvBufTest, ARequestNamesNoOrdinaryTensor) {
  const std::string ordinary = RendezvousKey{.send_device = kSender,
                                             .send_incarnation = 7,
                                             .recv_device = kReceiver,
                                             .tensor_name = "edge_1_x"}
                                   .ToString();
  EXPECT_FALSE(BufferKey(kSender, 7, kReceiver, ordinary).is_well_formed());
  pb::RecvBufRequest message;
  message.set_step_id(8);
  message.set_src_device(kSender);
  message.set_src_incarnation(7);
  message.set_dst_device(kReceiver);
  message.set_buf_rendezvous_key(ordinary);
  EXPECT_EQ(
      DecodeRecvRequest(RecvForm::kBuffer, ToPayload(message).header).status(),
      absl::InvalidArgumentError(
          "RecvBufRequest names no buffer of a collective"));
}

TEST(RecvBufTest, AResponseMayHaveSeveralPieces) {
  // Any { type_url: "type.googleapis.com/tensorflow.RecvBufRespExtra",
  //       value: RecvBufRespExtra { "ab", "c" } }
  pb::RecvBufResponse message;
  message.mutable_transport_options()->set_type_url(
      "type.googleapis.com/tensorflow.RecvBufRespExtra");
  message.mutable_transport_options()->set_value(
      "\x0a\x02"
      "ab"
      "\x0a\x01"
      "c");
  const auto tensor = DecodeRecvBufResponse(message.SerializeAsString(),
                                            HostAllocator(), 1 << 20);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(std::string(tensor->raw_data(), 3), "abc");
}

TEST(RecvBufTest, AResponseHasTheBytesOfATensor) {
  const Tensor sent = Tensor::Vector<float>({1, 2});
  const auto response = EncodeRecvBufResponse(sent);
  ASSERT_TRUE(response.ok()) << response.status();
  const auto received =
      DecodeRecvBufResponse(response->header, HostAllocator(), 1 << 20);
  ASSERT_TRUE(received.ok()) << received.status();
  EXPECT_EQ(std::string(received->raw_data(), 8),
            std::string(sent.raw_data(), 8));
}

TEST(RecvBufTest, OtherResponsesAreRefused) {
  EXPECT_FALSE(DecodeRecvBufResponse("", HostAllocator(), 1 << 20).ok());
  EXPECT_FALSE(DecodeRecvBufResponse("\xff", HostAllocator(), 1 << 20).ok());
}

}  // namespace
}  // namespace leat::recv_buf_test
