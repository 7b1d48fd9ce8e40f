// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what every transport carries and refuses, and which listeners it
// reaches. One file of a test program includes this file and instantiates
// TransportTest (transport_test.h).
#ifndef LEAT_TESTS_TESTING_TRANSPORT_SUITE_H_
#define LEAT_TESTS_TESTING_TRANSPORT_SUITE_H_

#include <chrono>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/testing/transport_test.h"

namespace leat::testing {

TEST_P(TransportTest, EchoesPayloads) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const std::string& address = listener->address();
  const Tensor matrix = Tensor::Of<float>(Shape({2, 2}), {1, 2, 3, 4});
  const Tensor text = Tensor::Vector<std::string>({"", "a\0b", "longer"});
  ExpectEcho(*transport, address, TestService::kEcho, "x", {});
  ExpectEcho(*transport, address, TestService::kEcho, "",
             {{"a:0", matrix}, {"", text}, {"c", Tensor::Scalar<bool>(true)}});
  ExpectEcho(*transport, address, TestService::kEchoUnnamed, "y",
             {{"", text}, {"", matrix}});
  const absl::StatusOr<Payload> empty =
      CallNow(*transport, address, TestService::kEcho, Payload());
  ASSERT_TRUE(empty.ok()) << empty.status();
  ExpectSame(*empty, Payload());
}

// A status arrives with its code, its message and its payloads. The message and
// the payloads may contain line breaks, bytes outside ASCII and bytes that are
// not text. The codes are those of absl::StatusCode, 1 to 16.
TEST_P(TransportTest, CarriesStatusesWithPayloads) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  for (int code = 1; code <= 16; ++code) {
    absl::Status error(static_cast<absl::StatusCode>(code),
                       absl::StrCat("first\nsecond % \xc3\xa4 ", code));
    error = AsDerived(error);
    error.SetPayload("other", absl::Cord(std::string("\0\xff", 2)));
    service_.set_error(error);
    const absl::StatusOr<Payload> response =
        CallNow(*transport, listener->address(), TestService::kFail);
    EXPECT_EQ(response.status(), error);
    EXPECT_FALSE(IsTransportError(response.status()));
  }
}

// The transport removes the mark of its own errors (kTransportErrorPayload)
// from a callee's error. So a callee cannot make its error look like an error
// of the transport.
TEST_P(TransportTest, TellsItsOwnErrorsFromTheCallees) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  absl::Status error = absl::UnavailableError("of a call that this one made");
  error.SetPayload(kTransportErrorPayload, absl::Cord());
  service_.set_error(error);
  const absl::StatusOr<Payload> response =
      CallNow(*transport, listener->address(), TestService::kFail);
  EXPECT_EQ(response.status(),
            absl::UnavailableError("of a call that this one made"));
}

TEST_P(TransportTest, UnknownMethodIsUnimplemented) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const absl::Status status = CallNow(*transport, listener->address(),
                                      TestService::kUnknown, PayloadOf("x"))
                                  .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/leat.Test/Unknown"));
}

TEST_P(TransportTest, DroppedRepliesAreInternal) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const absl::Status status =
      CallNow(*transport, listener->address(), TestService::kDrop).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("/leat.Test/Drop"), HasSubstr("dropped")));
}

// A method without a field for tensors can neither receive tensors nor answer
// with tensors.
TEST_P(TransportTest, RefusesTensorsWithoutAField) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const absl::Status sent =
      CallNow(*transport, listener->address(), TestService::kFail,
              PayloadOf("", {{"x", Tensor::Scalar<float>(1)}}))
          .status();
  EXPECT_EQ(sent.code(), absl::StatusCode::kInvalidArgument) << sent;
  const absl::Status received =
      CallNow(*transport, listener->address(), TestService::kMisplace).status();
  EXPECT_EQ(received.code(), absl::StatusCode::kInvalidArgument) << received;
}

TEST_P(TransportTest, UnreachableAddressIsUnavailable) {
  const std::string address = LonelyAddress();
  const auto transport = NewTransport();
  const absl::Status status =
      CallNow(*transport, address, TestService::kEcho).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(address));
  EXPECT_TRUE(IsTransportError(status));
}

// With wait_for_ready, a caller that has seen the task fail reaches the task as
// soon as the task listens again.
TEST_P(TransportTest, ReachesATaskThatHasRestarted) {
  const auto transport = NewTransport();
  auto listener = Listen(*transport);
  const std::string address = listener->address();
  ExpectEcho(*transport, address, TestService::kEcho, "x", {});
  listener.reset();
  EXPECT_EQ(CallNow(*transport, address, TestService::kEcho).status().code(),
            absl::StatusCode::kUnavailable);
  listener = Listen(*transport, address);
  CallOptions options = Within(std::chrono::seconds(20));
  options.wait_for_ready = true;
  const auto response =
      CallNow(*transport, address, TestService::kEcho, PayloadOf("y"), options);
  EXPECT_TRUE(response.ok()) << response.status();
}

// A failed call does not make the next call to the same address fail.
TEST_P(TransportTest, ReachesWhoListensNow) {
  const auto transport = NewTransport();
  auto listener = Listen(*transport);
  const std::string address = listener->address();
  for (int i = 0; i < 3; ++i) {
    listener.reset();
    for (int call = 0; call < 3; ++call) {
      EXPECT_EQ(
          CallNow(*transport, address, TestService::kEcho).status().code(),
          absl::StatusCode::kUnavailable);
    }
    listener = Listen(*transport, address);
    ExpectEcho(*transport, address, TestService::kEcho, "x", {});
  }
}

TEST_P(TransportTest, WaitsForReady) {
  const std::string address = LonelyAddress();
  const auto transport = NewTransport();
  CallOptions options = Within(std::chrono::seconds(20));
  options.wait_for_ready = true;
  const CallResult result;
  transport->Call(address, TestService::kEcho, PayloadOf("x"), options,
                  result.Done());
  TestClock().Sleep(std::chrono::milliseconds(50));
  EXPECT_FALSE(result.is_done());
  const auto listener = Listen(*transport, address);
  const absl::StatusOr<Payload> response = result.Take();
  ASSERT_TRUE(response.ok()) << response.status();
}

TEST_P(TransportTest, WaitsForReadyUntilTheDeadlineOrTheEnd) {
  const std::string address = LonelyAddress();
  const auto transport = NewTransport();
  CallOptions options = Within(std::chrono::milliseconds(50));
  options.wait_for_ready = true;
  const absl::Status late =
      CallNow(*transport, address, TestService::kEcho, {}, options).status();
  EXPECT_EQ(late.code(), absl::StatusCode::kDeadlineExceeded) << late;

  options.deadline.reset();
  options.cancellation = std::make_shared<Cancellation>();
  const CallResult result;
  transport->Call(address, TestService::kEcho, {}, options, result.Done());
  options.cancellation->Cancel(absl::AbortedError("enough"));
  EXPECT_EQ(result.Take().status().code(), absl::StatusCode::kCancelled);
}

// The sizes are close to the sizes at which a transport begins to treat tensors
// differently. The pattern of the bytes reveals lost, repeated and misplaced
// bytes.
TEST_P(TransportTest, LargeTensorsKeepTheirBytes) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  for (const int64_t bytes :
       {1, 1023, 1024, 1025, 65535, 65536, 1 << 20, (1 << 20) + 1, 64 << 20}) {
    Tensor tensor = Tensor::Filled<uint8_t>(Shape({bytes}), 0);
    const absl::Span<uint8_t> data = tensor.mutable_data<uint8_t>();
    for (int64_t i = 0; i < bytes; ++i) {
      data[static_cast<size_t>(i)] = static_cast<uint8_t>(i * 7 + (i >> 9));
    }
    ExpectEcho(*transport, listener->address(), TestService::kEcho, "x",
               {{"large", tensor}});
  }
}

TEST_P(TransportTest, KeepsElementsOfEveryKind) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  const std::string long_text(100'000, 'x');
  const WireTensors tensors = {
      {"bool", Tensor::Vector<bool>({true, false, true})},
      {"bools", Tensor::Filled<bool>(Shape({3000}), true)},
      {"int8", Tensor::Vector<int8_t>({-1, 0, 1})},
      {"int64", Tensor::Filled<int64_t>(Shape({100, 100}), INT64_MIN)},
      {"half", Tensor::Filled<half>(Shape({50, 50}), half(1.5f))},
      {"bfloat16", Tensor::Scalar<bfloat16>(bfloat16(-2.0f))},
      {"float", Tensor::Filled<float>(Shape({1, 1, 1000}), -0.0f)},
      {"double", Tensor::Filled<double>(Shape({1000}), 1e300)},
      {"complex", Tensor::Filled<std::complex<float>>(Shape({500}), {1, 2})},
      {"string", Tensor::Filled<std::string>(Shape({2, 2}), long_text)},
      {"nothing", Tensor::Filled<float>(Shape({0, 3}), 0)},
      {"no text", Tensor::Filled<std::string>(Shape({0}), "")},
  };
  ExpectEcho(*transport, listener->address(), TestService::kEcho, "x", tensors);
}

TEST_P(TransportTest, RefusesMessagesAboveTheLimit) {
  TransportOptions small;
  small.max_message_bytes = 1 << 20;
  const auto small_transport = NewTransport(small);
  const auto large_transport = NewTransport();
  const auto small_listener = Listen(*small_transport);
  const auto large_listener = Listen(*large_transport);
  const WireTensors fits = {{"a", Tensor::Filled<float>(Shape({1 << 17}), 1)}};
  const WireTensors does_not = {
      {"a", Tensor::Filled<float>(Shape({1 << 18}), 1)}};
  const auto expect_refused = [](const absl::StatusOr<Payload>& response) {
    EXPECT_EQ(response.status().code(), absl::StatusCode::kResourceExhausted)
        << response.status();
    EXPECT_THAT(std::string(response.status().message()),
                AllOf(HasSubstr("larger than max"), HasSubstr("1048576"),
                      HasSubstr("--max-message-bytes")));
    EXPECT_TRUE(IsTransportError(response.status()));
  };
  // In the first case the callee refuses the request, which is too large for
  // it. In the second case the caller refuses the response.
  for (const auto& [transport, listener] :
       {std::pair(large_transport.get(), small_listener.get()),
        std::pair(small_transport.get(), large_listener.get())}) {
    ExpectEcho(*transport, listener->address(), TestService::kEcho, "", fits);
    expect_refused(CallNow(*transport, listener->address(), TestService::kEcho,
                           PayloadOf("", does_not)));
    ExpectEcho(*transport, listener->address(), TestService::kEcho, "", fits);
  }
}

// The message of the error names the address, or the file of a Unix socket.
TEST_P(TransportTest, RefusesATakenAddress) {
  const auto transport = NewTransport();
  const auto other = NewTransport();
  auto listener = Listen(*transport);
  const std::string address = listener->address();
  const absl::Status status =
      other->Listen(address, service_.methods()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  const std::string where =
      GetParam().is_unix ? address.substr(address.rfind('/')) : address;
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr(where), ::testing::AnyOf(HasSubstr("already in use"),
                                               HasSubstr("another server"))));
  // The listener still works after the refusal. When the listener is gone, its
  // address can be used again.
  ExpectEcho(*other, address, TestService::kEcho, "x", {});
  listener.reset();
  listener = Listen(*other, address);
  ASSERT_NE(listener, nullptr);
}

TEST_P(TransportTest, RefusesWhatIsNoAddress) {
  const auto transport = NewTransport();
  for (const char* address : {"", "nonsense", "host:", "unix:relative"}) {
    const absl::Status status =
        transport->Listen(address, service_.methods()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  }
}

// One call in five waits and is cancelled, one in five has a deadline that may
// pass, and the others must succeed.
TEST_P(TransportTest, ManyCallsAtOnceGetOneAnswerEach) {
  const auto transport = NewTransport();
  const auto listener = Listen(*transport);
  constexpr int kThreads = 8;
  constexpr int kCalls = 100;
  std::vector<std::vector<CallResult>> results(kThreads);
  std::vector<Thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    results[t].resize(kCalls);
    threads.emplace_back("calls", [&, t] {
      for (int i = 0; i < kCalls; ++i) {
        CallOptions options;
        options.cancellation = std::make_shared<Cancellation>();
        if (i % 5 == 1) options = Within(std::chrono::milliseconds(i));
        const std::string text = absl::StrCat(t, "/", i);
        const Tensor tensor = Tensor::Filled<int32_t>(Shape({i * 10}), i);
        transport->Call(
            listener->address(),
            i % 5 == 0 ? TestService::kWait : TestService::kEcho,
            i % 5 == 0 ? PayloadOf(text) : PayloadOf(text, {{"a", tensor}}),
            options, results[t][i].Done());
        if (i % 5 == 0) options.cancellation->Cancel(absl::AbortedError("x"));
      }
    });
  }
  threads.clear();
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < kCalls; ++i) {
      absl::StatusOr<Payload> response = results[t][i].Take();
      if (i % 5 == 0) {
        EXPECT_EQ(response.status().code(), absl::StatusCode::kCancelled);
      } else if (response.ok()) {
        EXPECT_EQ(response->header, PayloadOf(absl::StrCat(t, "/", i)).header);
      } else {
        ASSERT_EQ(i % 5, 1) << response.status();
        EXPECT_EQ(response.status().code(),
                  absl::StatusCode::kDeadlineExceeded);
      }
      EXPECT_EQ(results[t][i].num_replies(), 1);
    }
  }
}

// The handler calls another method and passes on the answer of that method.
TEST_P(TransportTest, HandlersMayCall) {
  const auto transport = NewTransport();
  const auto last = Listen(*transport);
  MethodTable methods;
  methods.Add(TestService::kEcho, [&](const std::shared_ptr<CallContext>&,
                                      Payload request, Reply reply) {
    Payload passed_on;
    passed_on.header = std::move(request.header);
    transport->Call(last->address(), TestService::kEcho, std::move(passed_on),
                    {}, std::move(reply));
  });
  auto first = transport->Listen(NewAddress(), methods);
  ASSERT_TRUE(first.ok()) << first.status();
  ExpectEcho(*transport, (*first)->address(), TestService::kEcho, "x", {});
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TRANSPORT_SUITE_H_
