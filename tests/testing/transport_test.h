// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TransportTest is the fixture for tests of transports. These tests check the
// promises of distributed/transport/transport.h. transport_suite.h and
// transport_ends_suite.h contain the tests that every transport must pass. A
// program that includes them instantiates TransportTest with the names of its
// transports.
#ifndef LEAT_TESTS_TESTING_TRANSPORT_TEST_H_
#define LEAT_TESTS_TESTING_TRANSPORT_TEST_H_

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/testing/test_service.h"

namespace leat::testing {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Holds the transport that one instance of the tests uses.
struct TransportCase {
  std::string name = {};  // the name of the transport
  bool is_unix = false;   // if true, it listens at Unix sockets
};

// Each test has one TestService, which all its listeners serve. Tests and the
// fixture run on one thread; handlers run on threads of the transport.
class TransportTest : public ::testing::TestWithParam<TransportCase> {
 protected:
  // Makes a transport. All transports of one test reach each other.
  std::unique_ptr<Transport> NewTransport(TransportOptions options = {}) {
    const std::string& name = GetParam().name;
    auto transport = name == "in-process"
                         ? absl::StatusOr<std::unique_ptr<Transport>>(
                               network_->NewTransport(options))
                         : BuiltinTransports().Create(name, options);
    EXPECT_TRUE(transport.ok()) << transport.status();
    return *std::move(transport);
  }

  // Returns an address to listen at: a free port or a new Unix socket.
  std::string NewAddress() {
    if (!GetParam().is_unix) return "127.0.0.1:0";
    return absl::StrCat("unix:", folder_.Path("s"), ++num_addresses_);
  }

  // Serves the methods of `service_`. Returns null, and fails the test, if the
  // transport cannot listen at the address.
  std::unique_ptr<Listener> Listen(Transport& transport,
                                   const std::string& address) {
    auto listener = transport.Listen(address, service_.methods());
    EXPECT_TRUE(listener.ok()) << listener.status();
    return listener.ok() ? *std::move(listener) : nullptr;
  }
  std::unique_ptr<Listener> Listen(Transport& transport) {
    return Listen(transport, NewAddress());
  }

  // Returns an address at which nobody listens any more.
  std::string LonelyAddress() {
    const auto transport = NewTransport();
    return Listen(*transport)->address();
  }

  // Returns options with a deadline that is `time` from now.
  static CallOptions Within(std::chrono::nanoseconds time) {
    CallOptions options;
    options.deadline = TestClock().Now() + time;
    return options;
  }

  // Expects that both payloads have the same header, and identical tensors with
  // the same names.
  static void ExpectSame(const Payload& actual, const Payload& expected) {
    EXPECT_EQ(actual.header, expected.header);
    ASSERT_EQ(actual.tensors.size(), expected.tensors.size());
    for (size_t i = 0; i < actual.tensors.size(); ++i) {
      EXPECT_EQ(actual.tensors[i].name, expected.tensors[i].name);
      EXPECT_TRUE(
          Identical(actual.tensors[i].tensor, expected.tensors[i].tensor))
          << i << ": " << actual.tensors[i].tensor.DebugString();
    }
  }

  // Calls `method` with the text and the tensors and expects them in the
  // answer.
  static void ExpectEcho(Transport& transport, const std::string& address,
                         const Method& method, const std::string& text,
                         const WireTensors& tensors) {
    const absl::StatusOr<Payload> response =
        CallNow(transport, address, method, PayloadOf(text, tensors));
    ASSERT_TRUE(response.ok()) << response.status();
    ExpectSame(*response, PayloadOf(text, tensors));
  }

  // Time is simulated unless the transport has sockets.
  const std::unique_ptr<SimulatedClock> clock_ =
      GetParam().name == "in-process" ? std::make_unique<SimulatedClock>()
                                      : nullptr;
  TemporaryFolder folder_;
  int num_addresses_ = 0;
  TestService service_;
  // Is the network of the in-process transports. Other transports do not use
  // it.
  const std::shared_ptr<InProcessNetwork> network_ =
      std::make_shared<InProcessNetwork>(2, TestClock());
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TRANSPORT_TEST_H_
