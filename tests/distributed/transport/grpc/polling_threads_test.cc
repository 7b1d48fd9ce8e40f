// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests who polls. Tests a listener on two polling threads, as on a machine
// with many processors: one thread may learn how a call ended while the other
// thread still runs the call's handler. Tests threads that wait for an answer
// and poll in place of a single polling thread.
#include "leat/distributed/transport/grpc/polling_threads.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpcpp/alarm.h"
#include "grpcpp/resource_quota.h"
#include "gtest/gtest.h"
#include "leat/distributed/transport/grpc/listener.h"
#include "leat/distributed/transport/grpc/transport.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/eventually.h"
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

// Is an operation that ends at once.
class Ring final : public Completion {
 public:
  explicit Ring(PollingThreads& polling) {
    alarm_.Set(polling.queue(), std::chrono::system_clock::now(), this);
  }
  void End(bool) override {
    thread_ = std::this_thread::get_id();
    ended_.Set();
  }
  bool HasEnded() { return ended_.IsSet(); }
  bool Wait() { return ended_.Wait(); }
  // Returns the thread that polled. REQUIRES: the operation has ended.
  std::thread::id thread() const { return thread_; }

 private:
  grpc::Alarm alarm_;
  std::thread::id thread_;
  Event ended_;
};

TEST(PollUntilTest, PollsOnThisThread) {
  PollingThreads polling(1);
  // The polling thread may be faster a few times.
  EXPECT_TRUE(Eventually([&] {
    Ring ring(polling);
    polling.PollUntil([&] { return ring.HasEnded(); });
    EXPECT_TRUE(ring.Wait());
    return ring.thread() == std::this_thread::get_id();
  }));
}

TEST(PollUntilTest, LetsThePollingThreadGoOnAfterAMoment) {
  PollingThreads polling(1);
  polling.PollUntil([] { return false; });
  // The polling thread may take the first one before it rests.
  for (int i = 0; i < 2; ++i) {
    Ring ring(polling);
    EXPECT_TRUE(ring.Wait());
    EXPECT_NE(ring.thread(), std::this_thread::get_id());
  }
}

TEST(PollUntilTest, LeavesTheQueueOfAServerAlone) {
  PollingThreads polling(1);
  ASSERT_NE(polling.TakeServerBuilder(), nullptr);
  polling.PollUntil([] {
    ADD_FAILURE() << "polls";
    return true;
  });
}

class CallAndWaitTest : public ::testing::Test {
 protected:
  CallAndWaitTest() {
    methods_.Add(TestService::kEcho,
                 [](const std::shared_ptr<CallContext>&, Payload request,
                    Reply reply) { std::move(reply)(std::move(request)); });
    methods_.Add(TestService::kWait, [this](const std::shared_ptr<CallContext>&,
                                            Payload, Reply reply) {
      waiting_ = std::move(reply);
      has_come_.Set();
    });
    listener_ = server_->Listen("127.0.0.1:0", methods_).value();
  }

  MethodTable methods_;
  Reply waiting_;
  Event has_come_;
  const std::unique_ptr<Transport> caller_ = NewGrpcTransport({}).value();
  const std::unique_ptr<Transport> server_ = NewGrpcTransport({}).value();
  std::unique_ptr<Listener> listener_;
};

TEST_F(CallAndWaitTest, AnswersToOtherCallsComeMeanwhile) {
  std::thread waits([&] {
    const auto answer = caller_->CallAndWait(
        listener_->address(), TestService::kWait, PayloadOf("x"), {});
    EXPECT_TRUE(answer.ok()) << answer.status();
  });
  EXPECT_TRUE(has_come_.Wait());
  for (int i = 0; i < 100; ++i) {
    Event answered;
    caller_->Call(listener_->address(), TestService::kEcho, PayloadOf("y"), {},
                  [&](absl::StatusOr<Payload> answer) {
                    EXPECT_TRUE(answer.ok()) << answer.status();
                    answered.Set();
                  });
    EXPECT_TRUE(answered.Wait());
  }
  std::move(waiting_)(PayloadOf("x"));
  waits.join();
}

TEST_F(CallAndWaitTest, ManyThreadsWaitAtOnce) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 200; ++i) {
        const std::string text = absl::StrCat(thread, " ", i);
        const absl::StatusOr<Payload> answer = caller_->CallAndWait(
            listener_->address(), TestService::kEcho, PayloadOf(text), {});
        ASSERT_TRUE(answer.ok()) << answer.status();
        EXPECT_EQ(answer->header, PayloadOf(text).header);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace leat::testing::polling_threads_test
