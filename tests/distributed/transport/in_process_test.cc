// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/in_process.h"

#include <atomic>
#include <memory>
#include <utility>

#include "leat/distributed/cluster/address.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/transport_ends_suite.h"
#include "leat/tests/testing/transport_suite.h"

namespace leat::testing::in_process_test {
namespace {

using ::leat::testing::AdvanceUntil;

INSTANTIATE_TEST_SUITE_P(InProcess, TransportTest,
                         ::testing::Values(TransportCase{"in-process", false}),
                         [](const auto&) { return "Network"; });

class InProcessTest : public TransportTest {};

INSTANTIATE_TEST_SUITE_P(InProcess, InProcessTest,
                         ::testing::Values(TransportCase{"in-process", false}),
                         [](const auto&) { return "Network"; });

TEST_P(InProcessTest, SharesTheBuffer) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const Tensor tensor = Tensor::Filled<float>(Shape({1000}), 1);
  const absl::StatusOr<Payload> response =
      CallNow(*transport, listener->address(), TestService::kEcho,
              PayloadOf("x", {{"a", tensor}}));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_TRUE(response->tensors[0].tensor.SharesBufferWith(tensor));
}

// With this order, a step that was given up takes nothing from later steps.
TEST_P(InProcessTest, TheCalleeIsCancelledBeforeTheCallerHears) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  CallOptions options;
  options.cancellation = std::make_shared<Cancellation>();
  const CallResult result;
  std::atomic<int> num_cancelled{0};
  transport->Call(listener->address(), TestService::kWait, {}, options,
                  [this, &num_cancelled, done = result.Done()](
                      absl::StatusOr<Payload> reply) mutable {
                    num_cancelled = service_.num_cancelled();
                    std::move(done)(std::move(reply));
                  });
  ASSERT_TRUE(AdvanceUntil([&] { return service_.num_begun() == 1; }));
  options.cancellation->Cancel(absl::AbortedError("the step has failed"));
  EXPECT_FALSE(result.Take().ok());
  EXPECT_EQ(num_cancelled, 1);
}

TEST_P(InProcessTest, ChoosesFreePorts) {
  const auto transport = NewTransport();
  const auto one = Listen(*transport, "10.0.0.1:0");
  const auto two = Listen(*transport, "10.0.0.1:0");
  EXPECT_NE(one->address(), two->address());
  EXPECT_FALSE(HasFreePort(one->address()));
  ExpectEcho(*transport, one->address(), TestService::kEcho, "1", {});
  ExpectEcho(*transport, two->address(), TestService::kEcho, "2", {});
}

// Different spellings of one address mean the same listener.
TEST_P(InProcessTest, TakesAddressesAsTheyAreMeant) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport, "HOST:7");
  ExpectEcho(*transport, "host:7", TestService::kEcho, "x", {});
}

TEST(InProcessNetworkTest, IsOnesOwnUnlessItIsGiven) {
  TestService service;
  const auto one = BuiltinTransports().Create("in-process");
  const auto two = BuiltinTransports().Create("in-process");
  ASSERT_TRUE(one.ok() && two.ok());
  const auto listener = (*one)->Listen("a:1", service.methods());
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_TRUE(CallNow(**one, "a:1", TestService::kEcho).ok());
  EXPECT_EQ(CallNow(**two, "a:1", TestService::kEcho).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(TransportRegistryTest, NamesTheTransportsThatThereAre) {
  const absl::Status status = BuiltinTransports().Create("rdma").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("'rdma'"), HasSubstr("grpc, in-process")));
}

TEST(TransportRegistryTest, RefusesLimitsBelowOne) {
  TransportOptions options;
  options.max_message_bytes = 0;
  EXPECT_EQ(BuiltinTransports().Create("in-process", options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace leat::testing::in_process_test
