// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/requests/request_queue.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/testing/held_queue.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/task_client.h"

namespace leat::request_queue_test {
namespace {

using ::leat::testing::HeldQueue;
using ::testing::HasSubstr;
using Code = absl::StatusCode;
using Thread = RequestQueue::Thread;

class RequestQueueTest : public ::testing::Test {
 protected:
  // Gives the queue a request of `bytes` bytes. The handler answers the request
  // at once.
  void Take(Thread thread, size_t bytes) {
    queue_.Take(
        thread, {.header = std::string(bytes, 'x')},
        [this](absl::StatusOr<Payload> answer) {
          answers_.push_back(answer.status());
        },
        [this](Payload message, Reply reply) {
          served_.push_back(message.header.size());
          std::move(reply)(Payload());
        });
  }

  HeldQueue blocking_;
  RequestQueue queue_{"/job:ps/replica:0/task:0", blocking_, 200'000};
  std::vector<size_t> served_;
  std::vector<absl::Status> answers_;
};

TEST_F(RequestQueueTest, ServesSmallMessagesWhereTheyCome) {
  Take(Thread::kTransport, kMaxInlineHeaderBytes);
  EXPECT_EQ(served_, (std::vector<size_t>{kMaxInlineHeaderBytes}));
  EXPECT_EQ(blocking_.size(), 0u);
  Take(Thread::kTransport, kMaxInlineHeaderBytes + 1);
  Take(Thread::kBlocking, 1);
  EXPECT_EQ(blocking_.size(), 2u);
  EXPECT_EQ(served_.size(), 1u);
  blocking_.RunOne();
  blocking_.RunOne();
  EXPECT_EQ(served_.size(), 3u);
}

TEST_F(RequestQueueTest, RefusesWhatItHasNoRoomToKeep) {
  Take(Thread::kBlocking, 150'000);
  Take(Thread::kBlocking, 50'001);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(answers_[0].message()),
              HasSubstr("/job:ps/replica:0/task:0 has no room for a message of "
                        "50001 bytes"));
  EXPECT_THAT(std::string(answers_[0].message()),
              HasSubstr("(--max-transport-bytes)"));
  Take(Thread::kBlocking, 50'000);
  // A small request does not wait in the queue, so it does not count against
  // the limit.
  Take(Thread::kTransport, 1000);
  EXPECT_EQ(served_, (std::vector<size_t>{1000}));
  // A request that was served no longer counts against the limit.
  blocking_.RunOne();
  Take(Thread::kBlocking, 150'000);
  while (blocking_.size() > 0) blocking_.RunOne();
  EXPECT_EQ(served_, (std::vector<size_t>{1000, 150'000, 50'000, 150'000}));
  // Ten requests of the maximum size can be served one after the other, because
  // a request no longer counts once it was served.
  for (int i = 0; i < 10; ++i) {
    Take(Thread::kBlocking, 200'000);
    blocking_.RunOne();
  }
  EXPECT_EQ(served_.size(), 14u);
}

TEST_F(RequestQueueTest, CountsWhatIsBeingServed) {
  queue_.Take(
      Thread::kBlocking, {.header = std::string(200'000, 'x')},
      [](const absl::StatusOr<Payload>&) {},
      [this](const Payload&, Reply reply) {
        Take(Thread::kBlocking, 1);
        std::move(reply)(Payload());
      });
  blocking_.RunOne();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].code(), Code::kResourceExhausted);
  EXPECT_EQ(blocking_.size(), 0u);
}

TEST_F(RequestQueueTest, RefusesOneLargerThanAllItMayKeep) {
  Take(Thread::kBlocking, 200'001);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].code(), Code::kResourceExhausted);
  EXPECT_EQ(blocking_.size(), 0u);
}

TEST_F(RequestQueueTest, BoundsWhatAMessageTakesOnceItIsParsed) {
  pb::CleanupAllRequest many;
  for (int i = 0; i < 60'000; ++i) many.add_container("");
  const std::string header = many.SerializeAsString();
  ASSERT_LT(header.size(), 200'000u);
  pb::CleanupAllRequest parsed;
  const absl::Status status = queue_.Parse(header, parsed);
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("CleanupAllRequest"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("(--max-transport-bytes)"));
  EXPECT_EQ(parsed.container_size(), 0);
}

TEST_F(RequestQueueTest, RefusesBytesThatAreNoMessage) {
  pb::CleanupAllRequest parsed;
  EXPECT_EQ(queue_.Parse("\x0f", parsed).code(), Code::kInvalidArgument);
  EXPECT_TRUE(queue_.Parse("", parsed).ok());
}

// ---------------------------------------------------------------------------
// The master and the worker of a task share one queue.

class NarrowServerTest : public ::testing::Test {
 protected:
  static constexpr int64_t kRoom = 100'000;

  absl::Status Call(const Method& method,
                    const google::protobuf::MessageLite& request) {
    return client_.Start(method, request)->Wait().status();
  }

  testing::InProcessCluster cluster_{{{"worker", 1}},
                                     {.max_transport_bytes = kRoom}};
  const std::unique_ptr<Transport> transport_ =
      *cluster_.transports().Create("in-process");
  testing::TaskClient client_{*transport_, cluster_.Address({"worker", 0})};
};

TEST_F(NarrowServerTest, TheMasterBoundsWhatWaits) {
  pb::CreateSessionRequest create;
  create.set_target(std::string(kRoom, 'x'));
  const absl::Status status = Call(methods::kCreateSession, create);
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("has no room"));
  create.set_target("");
  EXPECT_TRUE(Call(methods::kCreateSession, create).ok());
}

TEST_F(NarrowServerTest, TheMasterBoundsWhatItParses) {
  pb::RunStepRequest step;
  for (int i = 0; i < 35'000; ++i) step.add_fetch("");
  const absl::Status status = Call(methods::kRunStep, step);
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("RunStepRequest"));
}

TEST_F(NarrowServerTest, TheWorkerBoundsBoth) {
  pb::CleanupAllRequest cleanup;
  cleanup.add_container(std::string(kRoom, 'x'));
  EXPECT_THAT(std::string(Call(methods::kCleanupAll, cleanup).message()),
              HasSubstr("has no room"));
  cleanup.Clear();
  for (int i = 0; i < 35'000; ++i) cleanup.add_container("");
  EXPECT_THAT(std::string(Call(methods::kCleanupAll, cleanup).message()),
              HasSubstr("CleanupAllRequest"));
}

}  // namespace
}  // namespace leat::request_queue_test
