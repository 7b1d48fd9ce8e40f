// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/in_process_network.h"

#include <atomic>
#include <memory>
#include <utility>

#include "leat/distributed/cluster/address.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/transport_ends_suite.h"
#include "leat/tests/testing/transport_suite.h"

namespace leat::testing::in_process_test {
namespace {

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

// The callee's call is cancelled before the caller gets the error. Otherwise
// the cancelled step could, for example, take an element of a queue that the
// caller's next step needs.
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
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 1; }));
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

TEST_P(InProcessTest, NetworksDoNotReachEachOther) {
  const auto other = std::make_shared<InProcessNetwork>(2, TestClock());
  const auto near = NewTransport();
  const auto far = other->NewTransport();
  const auto listener = Listen(*near, "a:1");
  EXPECT_TRUE(CallNow(*near, "a:1", TestService::kEcho).ok());
  EXPECT_EQ(CallNow(*far, "a:1", TestService::kEcho).status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace leat::testing::in_process_test
