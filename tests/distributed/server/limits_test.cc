// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that a server refuses what exceeds the limits of a session, and that
// other sessions go on meanwhile.
#include "leat/distributed/limits.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/task_client.h"

namespace leat::limits_test {
namespace {

using ::leat::testing::InProcessCluster;
using ::leat::testing::TaskClient;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = absl::StatusCode;

const TaskId kWorker = {"worker", 0};
constexpr char kOnPs[] = "/job:ps/task:0";
constexpr char kOnWorker[] = "/job:worker/task:0";

// Is a session whose steps increment a counter on the parameter server.
class Counting {
 public:
  explicit Counting(InProcessCluster& cluster) {
    {
      const Scope ps = b_.OnDevice(kOnPs);
      const Variable count = b_.Variable("count", b_.Const(0.0f));
      add_ = op::AssignAddVariableOp(count.handle(), b_.Const(1.0f));
      value_ = count.value();
    }
    const Scope worker = b_.OnDevice(kOnWorker);
    doubled_ = value_ * 2.0f;
    const Graph graph = *b_.Build();
    auto session = cluster.NewSession(graph, kWorker);
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return;
    session_ = *std::move(session);
    EXPECT_TRUE(session_->Run({.targets = {graph.init_op()}}).ok());
  }

  void GoesOn() {
    if (session_ == nullptr) return;
    const absl::Status added = session_->Run({.targets = {add_}}).status();
    EXPECT_TRUE(added.ok()) << added;
    ++expected_;
    const auto out = session_->Run({.fetches = {doubled_}});
    EXPECT_TRUE(out.ok()) << out.status();
    if (out.ok()) {
      EXPECT_EQ((*out)[0].scalar<float>(), 2 * expected_);
    }
  }

 private:
  GraphBuilder b_;
  Operation add_;
  Output value_, doubled_;
  std::shared_ptr<Session> session_;
  float expected_ = 0;
};

class LimitsTest : public ::testing::Test {
 protected:
  void Start(const ServerLimits& limits) {
    cluster_ = std::make_unique<InProcessCluster>(
        std::map<std::string, int>{{"ps", 1}, {"worker", 1}}, limits);
    other_ = std::make_unique<Counting>(*cluster_);
    other_->GoesOn();
  }
  void TearDown() override {
    other_->GoesOn();
    other_.reset();
    EXPECT_EQ(cluster_->Leaks(), "");
  }
  std::shared_ptr<Session> NewSession(GraphBuilder& b,
                                      RemoteSessionOptions options = {}) {
    auto session =
        cluster_->NewSession(*b.Build(), kWorker, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  void ExpectRefused(const absl::Status& status, absl::string_view why) {
    EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(why)));
    other_->GoesOn();
  }

  // Extends a session's graph by one constant of `floats` floats at a time,
  // until an extension is refused with `why`. Returns the number of constants
  // in the session's graph at the end.
  int Grow(int64_t floats, absl::string_view why) {
    GraphBuilder b;
    const auto add = [&b, floats](int value) {
      return b.Const(Tensor::Filled(Shape{floats}, static_cast<float>(value)));
    };
    const Output first = add(0);
    auto session = NewSession(b);
    int taken = 0;
    absl::Status status;
    while (status.ok() && taken < 100) {
      add(++taken);
      status = session->Extend(*b.Build());
    }
    ExpectRefused(status, why);
    // The session still accepts a small extension, and still runs steps.
    GraphBuilder small;
    const Operation nothing = op::NoOp(small);
    EXPECT_EQ(session->Extend(*small.Build()), absl::OkStatus());
    EXPECT_EQ(session->Run({.fetches = {first}, .targets = {nothing}}).status(),
              absl::OkStatus());
    return taken;
  }

  testing::SimulatedClock clock_;
  std::unique_ptr<InProcessCluster> cluster_;
  std::unique_ptr<Counting> other_;
};

TEST_F(LimitsTest, BytesOfAMessage) {
  Start({.max_message_bytes = 100'000});
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  const Output sum = op::Sum(x, {0});
  auto session = NewSession(b);
  const auto run = [&](int64_t elements) {
    return session
        ->Run({.feeds = {{x, Tensor::Filled(Shape{elements}, 1.0f)}},
               .fetches = {sum}})
        .status();
  };
  EXPECT_TRUE(run(20'000).ok());
  const absl::Status refused = run(30'000);
  ExpectRefused(refused, "larger than max");
  ExpectRefused(refused, "--max-message-bytes");
  EXPECT_TRUE(run(20'000).ok());
}

TEST_F(LimitsTest, NodesOfAGraph) {
  Start({.import = {.max_nodes = 50}, .lower = {.max_nodes = 50}});
  GraphBuilder b;
  std::vector<Output> nodes;
  for (int i = 0; i < 40; ++i) nodes.push_back(b.Const(static_cast<float>(i)));
  auto session = NewSession(b);
  for (int i = 0; i < 20; ++i) nodes.push_back(b.Const(static_cast<float>(i)));
  // The graph is refused as the graph of a new session, and as an extension of
  // a smaller graph.
  for (const absl::Status& status :
       {cluster_->NewSession(*b.Build(), kWorker).status(),
        session->Extend(*b.Build())}) {
    ExpectRefused(status, "the limit is 50 (max_graph_nodes)");
  }
  EXPECT_TRUE(session->Run({.fetches = {nodes[0]}}).ok());
}

TEST_F(LimitsTest, OutputsOfAGraph) {
  Start({.import = {.max_outputs = 50}});
  GraphBuilder b;
  for (int i = 0; i < 50; ++i) b.Const(static_cast<float>(i), "c");
  EXPECT_TRUE(cluster_->NewSession(*b.Build(), kWorker).ok());
  b.Const(50.0f, "last");
  ExpectRefused(cluster_->NewSession(*b.Build(), kWorker).status(),
                "node 'last': the graph has 51 outputs; the limit is 50 "
                "(max_graph_outputs)");
}

TEST_F(LimitsTest, OutputsOfAGraphThatGrows) {
  Start({.import = {.max_outputs = 50}});
  EXPECT_EQ(Grow(1, "51 outputs; the limit is 50 (max_graph_outputs)"), 50);
}

TEST_F(LimitsTest, BytesOfConstantsInAGraphThatGrows) {
  Start({.import = {.max_total_attr_bytes = 20'500}});
  EXPECT_EQ(Grow(250, "of 500 (what is left of max_total_attr_bytes)"), 20);
}

TEST_F(LimitsTest, BytesOfAConstant) {
  Start({.import = {.max_attr_bytes = 1000}});
  GraphBuilder b;
  const Output small = b.Const(Tensor::Filled(Shape{250}, 1.0f), "small");
  auto session = NewSession(b);
  b.Const(Tensor::Filled(Shape{251}, 1.0f), "large");
  // The graph is refused as the graph of a new session, and as an extension.
  for (const absl::Status& status :
       {cluster_->NewSession(*b.Build(), kWorker).status(),
        session->Extend(*b.Build())}) {
    ExpectRefused(status,
                  "1004 bytes, above the limit of 1000 (max_attr_bytes)");
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("node 'large'"), HasSubstr("attr 'value'")));
  }
  EXPECT_TRUE(session->Run({.fetches = {small}}).ok());
}

TEST_F(LimitsTest, RequestsThatAreRemembered) {
  Start({.max_request_ids = 2});
  const auto transport = *cluster_->transports().Create("in-process");
  TaskClient client(*transport, cluster_->Address(kWorker));
  const auto is_new = [&client](int64_t id) {
    pb::ExtendSessionRequest request;
    request.set_session_handle("gone");
    request.set_request_id(id);
    pb::ExtendSessionResponse response;
    const absl::Status status =
        client.Call(methods::kExtendSession, request, response);
    EXPECT_EQ(status.code(), Code::kAborted) << status;
    return !absl::StrContains(status.message(), "received twice");
  };
  EXPECT_TRUE(is_new(1));
  EXPECT_TRUE(is_new(2));
  EXPECT_FALSE(is_new(1));
  EXPECT_FALSE(is_new(2));
  EXPECT_TRUE(is_new(3));
  EXPECT_TRUE(is_new(1));
  EXPECT_FALSE(is_new(3));
}

TEST_F(LimitsTest, BytesOfAGraph) {
  Start({.max_graph_bytes = 20'000});
  GraphBuilder b;
  const auto add = [&b] {
    std::vector<float> values(3000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0.5f + i;
    return b.Const(Tensor::FromSpan<float>(Shape{3000}, values));
  };
  const Output first = add();
  auto session = NewSession(b);
  add();
  ExpectRefused(session->Extend(*b.Build()), "--max-graph-bytes");
  ExpectRefused(cluster_->NewSession(*b.Build(), kWorker).status(),
                "--max-graph-bytes");
  EXPECT_TRUE(session->Run({.fetches = {first}}).ok());
}

TEST_F(LimitsTest, Sessions) {
  Start({.max_sessions = 2});
  GraphBuilder b;
  b.Const(1.0f);
  auto session = NewSession(b);
  ExpectRefused(cluster_->NewSession(*b.Build(), kWorker).status(),
                "--max-sessions");
  EXPECT_TRUE(session->Close().ok());
  EXPECT_TRUE(cluster_->NewSession(*b.Build(), kWorker).ok());
}

TEST_F(LimitsTest, TimeOfAStep) {
  Start({.max_step_time = std::chrono::seconds(4)});
  GraphBuilder b;
  Output taken;
  {
    const Scope ps = b.OnDevice(kOnPs);
    taken = op::QueueDequeueV2(op::FIFOQueueV2(b, {DType::kFloat}),
                               {DType::kFloat})[0];
  }
  auto session = NewSession(b);
  // The step would wait forever, but the server ends it after four seconds. In
  // the first run the client sets no timeout. In the second run the client's
  // timeout is longer than the server's limit.
  for (const bool has_timeout : {false, true}) {
    RunOptions options;
    if (has_timeout) options.timeout = std::chrono::hours(1);
    const Clock::time_point begun = clock_.Now();
    const absl::Status status =
        session->Run({.fetches = {taken}, .options = options}).status();
    EXPECT_EQ(clock_.Now() - begun, std::chrono::seconds(4));
    EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("timeout of 4s (--max-step-time)"));
    other_->GoesOn();
  }
}

TEST_F(LimitsTest, ElementsOfAQueue) {
  Start({.max_queue_elements = 100});
  GraphBuilder b;
  const Scope ps = b.OnDevice(kOnPs);
  const Output x = b.Placeholder<float>("x", PartialShape{-1});
  // The limit is 100 tensors. Each element of this queue has two tensors, so
  // the queue may have 50 elements.
  const Output queue = op::FIFOQueueV2(b, {DType::kFloat, DType::kFloat},
                                       {.capacity = 1'000'000});
  const Operation put = op::QueueEnqueueManyV2(queue, {x, x});
  // An isolated session has a queue of its own.
  for (const bool isolated : {false, true}) {
    auto session = NewSession(b, {.isolate_state = isolated});
    const auto run = [&](int64_t elements) {
      return session
          ->Run({.feeds = {{x, Tensor::Filled(Shape{elements}, 1.0f)}},
                 .targets = {put}})
          .status();
    };
    EXPECT_TRUE(run(40).ok());
    ExpectRefused(run(51),
                  "51 elements is more than the 50 that a queue may "
                  "have (max_queue_elements)");
    EXPECT_TRUE(run(10).ok());
    ExpectRefused(run(1), "more than 50 (max_queue_elements)");
  }
}

TEST_F(LimitsTest, EntriesOfARendezvous) {
  Start({.max_rendezvous_entries = 4});
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  std::vector<Output> sums;
  for (int i = 0; i < 8; ++i) {
    Output made;
    {
      const Scope ps = b.OnDevice(kOnPs);
      made = x + static_cast<float>(i);
    }
    const Scope worker = b.OnDevice(kOnWorker);
    sums.push_back(i == 0 ? made * 1.0f : sums.back() + made);
  }
  auto session = NewSession(b);
  const auto run = [&](const Output& fetch) {
    return session
        ->Run({.feeds = {{x, Tensor::Scalar(1.0f)}}, .fetches = {fetch}})
        .status();
  };
  EXPECT_TRUE(run(sums[1]).ok());
  ExpectRefused(run(sums[7]), "full with 4 entries (max_rendezvous_entries)");
  EXPECT_TRUE(run(sums[1]).ok());
}

// ---------------------------------------------------------------------------
// Tests the limit on the memory of a session.

class SessionBytesTest : public LimitsTest {
 protected:
  static constexpr int64_t kLimit = 1'000'000;

  SessionBytesTest() {
    Start({.max_session_bytes = kLimit});
    const Scope ps = b_.OnDevice(kOnPs);
    size_ = b_.Placeholder<int32_t>("size", PartialShape{1});
    const Output filled = op::Fill(size_, b_.Const(1.0f));
    sum_ = op::Sum(filled, {0});
    keep_ =
        op::AssignVariableOp(op::VarHandleOp(b_, DType::kFloat, PartialShape(),
                                             {.shared_name = "kept"}),
                             filled);
  }

  RunArgs Args(int64_t bytes) const {
    return {.feeds = {{size_, Tensor::Vector<int32_t>({static_cast<int32_t>(
                                  bytes / sizeof(float))})}}};
  }
  absl::Status Sum(Session& session, int64_t bytes) const {
    RunArgs args = Args(bytes);
    args.fetches = {sum_};
    return session.Run(args).status();
  }
  absl::Status Keep(Session& session, int64_t bytes) const {
    RunArgs args = Args(bytes);
    args.targets = {keep_};
    return session.Run(args).status();
  }

  GraphBuilder b_;
  Output size_, sum_;
  Operation keep_;
};

TEST_F(SessionBytesTest, OfWhatAStepMakes) {
  auto session = NewSession(b_);
  EXPECT_TRUE(Sum(*session, kLimit / 2).ok());
  const absl::Status refused = Sum(*session, kLimit + 1000);
  ExpectRefused(refused, "--max-session-bytes");
  // As in every error of a kernel, the message names the op and the node.
  EXPECT_THAT(std::string(refused.message()), HasSubstr("Fill"));
  // The memory of a step is freed when the step ends.
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Sum(*session, kLimit / 2).ok());
}

TEST_F(SessionBytesTest, OfWhatItLeavesInVariables) {
  auto session = NewSession(b_);
  EXPECT_TRUE(Keep(*session, 600'000).ok());
  ExpectRefused(Sum(*session, 600'000), "--max-session-bytes");
  EXPECT_TRUE(Sum(*session, 300'000).ok());
  // The memory of another session is counted separately.
  auto another = NewSession(b_);
  EXPECT_TRUE(Sum(*another, 600'000).ok());
  // When the other session sets the variable, the bytes of the old value no
  // longer count for the first session.
  EXPECT_TRUE(Keep(*another, 4).ok());
  EXPECT_TRUE(Sum(*session, 600'000).ok());
}

TEST_F(SessionBytesTest, StayChargedWhenTheSessionHasGone) {
  {
    auto session = NewSession(b_);
    EXPECT_TRUE(Keep(*session, 600'000).ok());
  }
  auto session = NewSession(b_);
  // The first session has ended, but the variable and its bytes still exist.
  EXPECT_TRUE(Sum(*session, 600'000).ok());
  EXPECT_TRUE(Keep(*session, 300'000).ok());
  ExpectRefused(Sum(*session, 800'000), "--max-session-bytes");
}

TEST_F(SessionBytesTest, OfIsolatedSessionsToo) {
  auto session = NewSession(b_, {.isolate_state = true});
  EXPECT_TRUE(Keep(*session, 600'000).ok());
  ExpectRefused(Sum(*session, 600'000), "--max-session-bytes");
}

TEST_F(SessionBytesTest, OfTheStateOfOpenPartialRuns) {
  const Output x = b_.Placeholder<float>("x");
  const Output y = b_.Placeholder<float>("y");
  Output z = y;
  for (int i = 0; i < 1000; ++i) z = op::Sqrt(z);
  auto session = NewSession(b_);
  const PartialRunArgs args{.feeds = {x, y}, .fetches = {z}};
  std::vector<PartialRun> runs;
  absl::Status fed;
  while (fed.ok() && runs.size() < 100) {
    const auto run = session->StartPartialRun(args);
    ASSERT_TRUE(run.ok()) << run.status();
    fed = run->Feed({{x, Tensor::Scalar(1.0f)}});
    runs.push_back(*run);
  }
  ExpectRefused(fed, "for the state of a partial run");
  EXPECT_GT(runs.size(), 5);
  runs.clear();
  EXPECT_EQ(session->Close(), absl::OkStatus());
}

}  // namespace
}  // namespace leat::limits_test
