// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how calls of every transport end before they are answered: by a
// deadline, by a cancellation, or by the end of a transport or a listener. One
// file of a test program includes this file and instantiates TransportTest
// (transport_test.h).
#ifndef LEAT_TESTS_TESTING_TRANSPORT_ENDS_SUITE_H_
#define LEAT_TESTS_TESTING_TRANSPORT_ENDS_SUITE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/transport_test.h"

namespace leat::testing {

// A cancellation by the caller reaches the context of the handler.
TEST_P(TransportTest, CancelsAtTheCallee) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  CallOptions options;
  options.cancellation = std::make_shared<Cancellation>();
  const CallResult result;
  transport->Call(listener->address(), TestService::kWait, {}, options,
                  result.Done());
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 1; }));
  EXPECT_FALSE(result.is_done());
  EXPECT_NE(service_.last_context()->peer, "");
  EXPECT_FALSE(service_.last_context()->deadline.has_value());

  options.cancellation->Cancel(absl::AbortedError("the step has failed"));
  const absl::Status status = result.Take().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  EXPECT_TRUE(IsTransportError(status));
  EXPECT_TRUE(Eventually([&] { return service_.num_cancelled() == 1; }));

  // A call that is cancelled before it begins fails without reaching the
  // handler.
  const absl::Status late =
      CallNow(*transport, listener->address(), TestService::kWait, {}, options)
          .status();
  EXPECT_EQ(late.code(), absl::StatusCode::kCancelled) << late;
}

// The handler of kHold ignores the cancellation, but the call ends for its
// caller anyway.
TEST_P(TransportTest, EndsCancelledCallsOfDeafCallees) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  CallOptions options;
  options.cancellation = std::make_shared<Cancellation>();
  const CallResult result;
  transport->Call(listener->address(), TestService::kHold, {}, options,
                  result.Done());
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 1; }));
  options.cancellation->Cancel(absl::AbortedError("the step has failed"));
  EXPECT_EQ(result.Take().status().code(), absl::StatusCode::kCancelled);
  service_.Release();
  EXPECT_EQ(result.num_replies(), 1);
}

TEST_P(TransportTest, KeepsDeadlines) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const auto begin = TestClock().Now();
  // The second call must reach the handler before its deadline, even on a busy
  // machine. So the first call opens the connection, and the second call has
  // three seconds.
  ExpectEcho(*transport, listener->address(), TestService::kEcho, "x", {});
  const CallOptions options = Within(std::chrono::seconds(3));
  const absl::Status status =
      CallNow(*transport, listener->address(), TestService::kWait, {}, options)
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(listener->address()));
  EXPECT_TRUE(IsTransportError(status));
  EXPECT_GE(TestClock().Now(), *options.deadline);
  ASSERT_TRUE(Eventually([&] { return service_.num_cancelled() == 1; }));
  ASSERT_TRUE(service_.last_context()->deadline.has_value());
  const auto difference =
      *service_.last_context()->deadline - *options.deadline;
  // A message carries the time that is left until the deadline. Its travel time
  // is not subtracted. So the deadlines of callee and caller differ by the
  // travel time.
  EXPECT_LT(std::chrono::abs(difference),
            service_.last_begun() - begin + std::chrono::milliseconds(100));

  const absl::Status late =
      CallNow(*transport, listener->address(), TestService::kWait, {},
              Within(std::chrono::seconds(-1)))
          .status();
  EXPECT_EQ(late.code(), absl::StatusCode::kDeadlineExceeded) << late;

  CallOptions never;
  never.deadline = Clock::time_point::max();
  EXPECT_TRUE(CallNow(*transport, listener->address(), TestService::kEcho,
                      PayloadOf("x"), never)
                  .ok());
}

// The destructor cancels all calls and returns only after their callbacks have
// returned, even if one of them takes long.
TEST_P(TransportTest, DestroyingATransportEndsItsCalls) {
  const auto callee = NewTransport();
  const auto listener = Listen(*callee);
  auto caller = NewTransport();
  constexpr int kCalls = 10;
  std::vector<CallResult> results(kCalls);
  for (const CallResult& result : results) {
    caller->Call(listener->address(), TestService::kWait, {}, {},
                 result.Done());
  }
  std::atomic<bool> is_through{false};
  caller->Call(listener->address(), TestService::kWait, {}, {},
               [&](const absl::StatusOr<Payload>&) {
                 TestClock().Sleep(std::chrono::milliseconds(100));
                 is_through = true;
               });
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == kCalls + 1; }));
  caller.reset();
  EXPECT_TRUE(is_through);
  for (const CallResult& result : results) {
    ASSERT_EQ(result.num_replies(), 1);
    const absl::Status status = result.Take().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  }
  EXPECT_TRUE(
      Eventually([&] { return service_.num_cancelled() == kCalls + 1; }));
}

// Shutdown lets a running call finish within the grace period, which is long
// here.
TEST_P(TransportTest, ShutdownWaitsForCalls) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const CallResult result;
  transport->Call(listener->address(), TestService::kHold, {}, {},
                  result.Done());
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 1; }));
  std::atomic<bool> has_stopped{false};
  Thread stops("stops", [&] {
    listener->Shutdown(std::chrono::seconds(60));
    has_stopped = true;
  });
  // The listener refuses new calls meanwhile. It may still accept the first
  // call that the test tries.
  EXPECT_TRUE(Eventually([&] {
    return CallNow(*transport, listener->address(), TestService::kEcho)
               .status()
               .code() == absl::StatusCode::kUnavailable;
  }));
  EXPECT_FALSE(has_stopped);
  EXPECT_FALSE(result.is_done());
  service_.Release();
  stops.Join();
  const absl::StatusOr<Payload> response = result.Take();
  EXPECT_TRUE(response.ok()) << response.status();
}

// The call never ends by itself, so Shutdown cancels it when the grace period
// is over.
TEST_P(TransportTest, ShutdownCancelsCallsAfterAWhile) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const CallResult result;
  transport->Call(listener->address(), TestService::kWait, {}, {},
                  result.Done());
  ASSERT_TRUE(Eventually([&] { return service_.num_begun() == 1; }));
  const auto begin = TestClock().Now();
  listener->Shutdown(std::chrono::milliseconds(100));
  EXPECT_GE(TestClock().Now() - begin, std::chrono::milliseconds(100));
  EXPECT_EQ(service_.num_cancelled(), 1);
  const absl::Status status = result.Take().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(listener->address()));
  EXPECT_TRUE(IsTransportError(status));
  listener->Shutdown(std::chrono::seconds(60));  // again
}

// The bytes of an answer can be read after its transport is gone.
TEST_P(TransportTest, AnswersOutliveTheirTransport) {
  auto transport = NewTransport();
  auto listener = Listen(*transport);
  const Tensor tensor = Tensor::Filled<float>(Shape({100'000}), 1.5f);
  const CallResult result;
  transport->Call(listener->address(), TestService::kEcho,
                  PayloadOf("x", {{"a", tensor}}), {}, result.Done());
  absl::StatusOr<Payload> response = result.Take();
  ASSERT_TRUE(response.ok()) << response.status();
  listener.reset();
  transport.reset();
  ASSERT_TRUE(
      response->Materialize(HostAllocator(), nullptr, int64_t{1} << 30).ok());
  ExpectSame(*response, PayloadOf("x", {{"a", tensor}}));
}

// The callee or the caller ends while another thread makes calls. Each call
// gets exactly one reply.
TEST_P(TransportTest, EndsUnderLoad) {
  for (int round = 0; round < 20; ++round) {
    auto callee = NewTransport();
    auto listener = Listen(*callee);
    const std::string address = listener->address();
    auto caller = NewTransport();
    std::vector<CallResult> results(20);
    Thread calls("calls", [&] {
      for (size_t i = 0; i < results.size(); ++i) {
        caller->Call(address,
                     i % 2 == 0 ? TestService::kWait : TestService::kEcho, {},
                     {}, results[i].Done());
      }
    });
    if (round % 2 == 0) listener.reset();
    calls.Join();
    caller.reset();
    for (const CallResult& result : results) {
      EXPECT_EQ(result.num_replies(), 1);
    }
  }
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TRANSPORT_ENDS_SUITE_H_
