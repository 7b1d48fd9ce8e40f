// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests kernels that only pass values on (constants, arguments, control flow,
// _Send and _Recv), and the reuse of input bytes for outputs.
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::forwarding_test {
namespace {

using testing::KernelTestHarness;
using testing::TensorValue;

class TableRendezvous final : public Rendezvous {
 public:
  absl::Status Send(const ParsedKey& key, Tensor tensor,
                    bool is_dead) override {
    sent[key.text()] = {std::move(tensor), is_dead};
    return absl::OkStatus();
  }
  void RecvAsync(const ParsedKey& key, Done done) override {
    const auto found = sent.find(key.text());
    if (found == sent.end()) {
      std::move(done)(absl::AbortedError("not sent"), Tensor(), false);
    } else {
      std::move(done)(absl::OkStatus(), found->second.first,
                      found->second.second);
    }
  }
  void StartAbort(const absl::Status&) override {}

  std::map<std::string, std::pair<Tensor, bool>> sent;
};

AttrMap Edge() {
  return {{"tensor_name", std::string("edge_1_x")},
          {"send_device",
           std::string("/job:localhost/replica:0/task:0/device:CPU:0")},
          {"send_device_incarnation", int64_t{1}},
          {"recv_device",
           std::string("/job:localhost/replica:0/task:0/device:CPU:1")}};
}

TEST(ForwardingTest, SendAndRecvMeetUnderTensorFlowsKey) {
  for (const std::string prefix : {"_", "_Host"}) {
    KernelTestHarness harness;
    TableRendezvous rendezvous;
    harness.services().rendezvous = &rendezvous;
    ASSERT_TRUE(
        harness.Run(prefix + "Send", Edge(), {Tensor::Scalar(2.5f)}).ok());
    ASSERT_EQ(rendezvous.sent.size(), 1u);
    EXPECT_EQ(rendezvous.sent.begin()->first,
              "/job:localhost/replica:0/task:0/device:CPU:0;0000000000000001;"
              "/job:localhost/replica:0/task:0/device:CPU:1;edge_1_x;0:0");
    AttrMap attrs = Edge();
    attrs.Set("tensor_type", DType::kFloat);
    const auto received = harness.RunOne(prefix + "Recv", attrs, {});
    ASSERT_TRUE(received.ok()) << received.status();
    EXPECT_EQ(received->scalar<float>(), 2.5f);
  }
}

TEST(ForwardingTest, DeadTensorsTravel) {
  KernelTestHarness harness;
  TableRendezvous rendezvous;
  harness.services().rendezvous = &rendezvous;
  auto send = harness.Make("_Send", Edge(), {DType::kFloat});
  ASSERT_TRUE(send.ok());
  Value dead;
  dead.dead = true;
  ASSERT_TRUE(harness.Run(*send, {dead}).ok());
  AttrMap attrs = Edge();
  attrs.Set("tensor_type", DType::kFloat);
  auto recv = harness.Make("_Recv", attrs, {});
  ASSERT_TRUE(recv.ok());
  const auto received = harness.Run(*recv, {});
  ASSERT_TRUE(received.ok());
  EXPECT_TRUE((*received)[0].dead);
}

TEST(ForwardingTest, RecvRefusesAnotherTypeAndPassesErrorsOn) {
  KernelTestHarness harness;
  TableRendezvous rendezvous;
  harness.services().rendezvous = &rendezvous;
  AttrMap attrs = Edge();
  attrs.Set("tensor_type", DType::kInt32);
  EXPECT_TRUE(absl::IsAborted(harness.Run("_Recv", attrs, {}).status()));
  ASSERT_TRUE(harness.Run("_Send", Edge(), {Tensor::Scalar(2.5f)}).ok());
  EXPECT_TRUE(
      absl::IsInvalidArgument(harness.Run("_Recv", attrs, {}).status()));
}

TEST(ForwardingTest, SwitchKillsTheOtherOutput) {
  KernelTestHarness harness;
  auto kernel = harness.Make("Switch", {}, {DType::kFloat, DType::kBool});
  ASSERT_TRUE(kernel.ok());
  for (const bool predicate : {false, true}) {
    const auto outputs =
        harness.Run(*kernel, {TensorValue(Tensor::Scalar(1.f)),
                              TensorValue(Tensor::Scalar(predicate))});
    ASSERT_TRUE(outputs.ok());
    EXPECT_TRUE((*outputs)[predicate ? 0 : 1].dead);
    EXPECT_EQ((*outputs)[predicate ? 1 : 0].tensor.scalar<float>(), 1.f);
  }
  EXPECT_TRUE(absl::IsInvalidArgument(
      harness
          .Run(*kernel, {TensorValue(Tensor::Scalar(1.f)),
                         TensorValue(Tensor::Vector<bool>({true, false}))})
          .status()));
}

TEST(ForwardingTest, PlaceholderSaysWhatToFeed) {
  KernelTestHarness harness;
  for (const char* op : {"Placeholder", "PlaceholderV2"}) {
    const auto status =
        harness
            .Run(op,
                 {{"dtype", DType::kFloat}, {"shape", PartialShape{-1, 784}}},
                 {})
            .status();
    EXPECT_TRUE(absl::IsInvalidArgument(status));
    EXPECT_EQ(status.message(),
              "You must feed a value for placeholder tensor 'test' with dtype "
              "float and shape [?,784]");
  }
}

TEST(ForwardingTest, ConstOfAnotherTypeIsRefused) {
  KernelTestHarness harness;
  EXPECT_TRUE(absl::IsInvalidArgument(
      harness
          .Run("Const",
               {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(1.f)}}, {})
          .status()));
}

TEST(ForwardingTest, ArgumentsGoByPosition) {
  KernelTestHarness harness;
  const Tensor args[] = {Tensor::Scalar(1.f), Tensor::Scalar(2.f)};
  Tensor returns[2];
  harness.services().args = args;
  harness.services().returns = absl::MakeSpan(returns);
  const AttrMap second = {{"T", DType::kFloat}, {"index", int64_t{1}}};
  const auto arg = harness.RunOne("_Arg", second, {});
  ASSERT_TRUE(arg.ok());
  EXPECT_EQ(arg->scalar<float>(), 2.f);
  ASSERT_TRUE(harness.Run("_Retval", second, {Tensor::Scalar(3.f)}).ok());
  EXPECT_EQ(returns[1].scalar<float>(), 3.f);
  const AttrMap third = {{"T", DType::kFloat}, {"index", int64_t{2}}};
  EXPECT_TRUE(absl::IsInvalidArgument(harness.Run("_Arg", third, {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      harness.Run("_Retval", third, {Tensor::Scalar(3.f)}).status()));
}

TEST(ForwardingTest, BytesAreReusedOnlyWhenNobodyElseHasThem) {
  KernelTestHarness harness;
  Tensor input = Tensor::Filled<float>(Shape{1000}, 1.f);
  const char* bytes = input.raw_data();
  // The tensor is moved into the vector. A braced list would keep a copy, and
  // then the bytes could not be reused.
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(input));
  auto output = harness.RunOne("Neg", {}, std::move(inputs));
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->raw_data(), bytes);

  const Tensor kept = Tensor::Filled<float>(Shape{1000}, 1.f);
  output = harness.RunOne("Neg", {}, {kept});
  ASSERT_TRUE(output.ok());
  EXPECT_NE(output->raw_data(), kept.raw_data());
  EXPECT_EQ(kept.data<float>()[0], 1.f);
}

}  // namespace
}  // namespace leat::forwarding_test
