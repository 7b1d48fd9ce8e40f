// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests a listener on two polling threads, as on a machine with many
// processors. One thread may learn how a call ended while the other thread
// still runs the call's handler.
#include "leat/distributed/transport/grpc/polling_threads.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpcpp/resource_quota.h"
#include "gtest/gtest.h"
#include "leat/distributed/transport/grpc/listener.h"
#include "leat/distributed/transport/grpc/transport.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/test_service.h"

namespace leat::testing::polling_threads_test {
namespace {

class TwoPollingThreadsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Listener> Listen(const MethodTable& methods) {
    auto listener =
        ListenWithGrpc("127.0.0.1:0", methods, TransportOptions(), quota_,
                       RealClock(), std::make_shared<PollingThreads>(2));
    EXPECT_TRUE(listener.ok()) << listener.status();
    return *std::move(listener);
  }

  const grpc::ResourceQuota quota_{"test"};
  const std::unique_ptr<Transport> caller_ = NewGrpcTransport({}).value();
};

TEST_F(TwoPollingThreadsTest, AListenerWaitsForHandlersThatHaveReplied) {
  Event go_on;
  std::atomic<bool> has_ended = false;
  MethodTable methods;
  methods.Add(TestService::kEcho, [&](const std::shared_ptr<CallContext>&,
                                      Payload request, Reply reply) {
    std::move(reply)(std::move(request));
    EXPECT_TRUE(go_on.Wait());
    has_ended = true;
  });
  auto listener = Listen(methods);
  EXPECT_TRUE(
      CallNow(*caller_, listener->address(), TestService::kEcho, PayloadOf("x"))
          .ok());
  std::thread ends([&] {
    listener->Shutdown(std::chrono::seconds(0));
    EXPECT_TRUE(has_ended);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(has_ended);
  go_on.Set();
  ends.join();
}

TEST_F(TwoPollingThreadsTest, ManyCallsAtOnceAreAnswered) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 250;
  TestService service;
  const auto listener = Listen(service.methods());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kCalls; ++i) {
        const std::string text = absl::StrCat(thread, " ", i);
        const absl::StatusOr<Payload> response = CallNow(
            *caller_, listener->address(), TestService::kEcho, PayloadOf(text));
        ASSERT_TRUE(response.ok()) << response.status();
        EXPECT_EQ(response->header, PayloadOf(text).header);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace leat::testing::polling_threads_test
