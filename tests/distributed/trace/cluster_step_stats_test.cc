// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the step stats of steps on three tasks whose clocks differ. The test's
// transport shifts the times in the responses of each task.
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/server/server.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/step_stats.h"
#include "leat/runtime/step_transfers.h"
#include "leat/tests/testing/in_process_network.h"

namespace leat::cluster_step_stats_test {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

const char kMaster[] = "/job:worker/replica:0/task:0/device:CPU:0";
const char kFirstPs[] = "/job:ps/replica:0/task:0/device:CPU:0";
const char kSecondPs[] = "/job:ps/replica:0/task:1/device:CPU:0";

// Returns how far the clock of the task at `address` is ahead. The last digit
// of the port is the number of the task, and the digits before it select a set
// of clocks.
nanoseconds SkewOf(absl::string_view address) {
  if (absl::EndsWith(address, ":1101")) return hours(1);
  if (absl::EndsWith(address, ":1102")) return -milliseconds(7250);
  if (absl::EndsWith(address, ":1201")) return microseconds(20);
  if (absl::EndsWith(address, ":1202")) return -microseconds(20);
  return nanoseconds(0);
}

void Move(nanoseconds by, pb::RunGraphResponse& response) {
  const int64_t micros = by.count() / 1000;
  for (auto& device : *response.mutable_step_stats()->mutable_dev_stats()) {
    for (pb::NodeExecStats& node : *device.mutable_node_stats()) {
      node.set_scheduled_nanos(node.scheduled_nanos() + by.count());
      node.set_scheduled_micros(node.scheduled_micros() + micros);
      node.set_all_start_nanos(node.all_start_nanos() + by.count());
      node.set_all_start_micros(node.all_start_micros() + micros);
    }
  }
  if (!response.has_leat()) return;
  pb::LeatRunResult& leat = *response.mutable_leat();
  leat.set_received_us(leat.received_us() + micros);
  leat.set_replied_us(leat.replied_us() + micros);
}

template <class Response>
Payload WithClock(Payload payload, nanoseconds skew) {
  Response response;
  EXPECT_TRUE(response.ParseFromString(payload.header));
  if constexpr (std::is_same_v<Response, pb::RunGraphResponse>) {
    Move(skew, response);
  } else {
    response.set_send_start_micros(response.send_start_micros() +
                                   skew.count() / 1000);
  }
  payload.header = response.SerializeAsString();
  return payload;
}

class SkewedTransport final : public Transport {
 public:
  explicit SkewedTransport(std::unique_ptr<Transport> transport)
      : transport_(std::move(transport)) {}

  void Call(absl::string_view address, const Method& method, Payload request,
            CallOptions options, Reply done) override {
    const nanoseconds skew = SkewOf(address);
    const std::string path = method.path;
    transport_->Call(
        address, method, std::move(request), std::move(options),
        [skew, path,
         done = std::move(done)](absl::StatusOr<Payload> reply) mutable {
          if (reply.ok() && path == methods::kRunGraph.path) {
            reply = WithClock<pb::RunGraphResponse>(*std::move(reply), skew);
          } else if (reply.ok() && path == methods::kRecvTensor.path) {
            reply = WithClock<pb::RecvTensorResponse>(*std::move(reply), skew);
          }
          std::move(done)(std::move(reply));
        });
  }
  absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& address, const MethodTable& methods) override {
    return transport_->Listen(address, methods);
  }

 private:
  const std::unique_ptr<Transport> transport_;
};

class ClusterStepStatsTest : public ::testing::Test {
 protected:
  // Starts the tasks. In their graph, x goes from the master's task through
  // both parameter servers and back to the master's task.
  void Start(const std::string& clocks) {
    transports_.Add("skewed", [this](const TransportOptions& options) {
      return std::make_unique<SkewedTransport>(network_->NewTransport(options));
    });
    const ClusterSpec cluster = *ClusterSpec::Create(
        {{"ps",
          {{0, absl::StrCat("localhost:", clocks, "1")},
           {1, absl::StrCat("localhost:", clocks, "2")}}},
         {"worker", {{0, absl::StrCat("localhost:", clocks, "3")}}}});
    for (const TaskId& task : cluster.Tasks()) {
      auto server = Server::Start({.config = {.cluster = cluster, .task = task},
                                   .devices = {.num_threads = 2},
                                   .transport = "skewed",
                                   .transports = &transports_});
      ASSERT_TRUE(server.ok()) << server.status();
      servers_.push_back(*std::move(server));
    }
    builder_ = std::make_unique<GraphBuilder>();
    GraphBuilder& b = *builder_;
    Output there, back;
    x_ = b.Placeholder<float>("x", PartialShape({2, 3}));
    {
      auto device = b.OnDevice("/job:ps/task:0");
      there = op::Square(x_);
    }
    {
      auto device = b.OnDevice("/job:ps/task:1");
      back = op::Neg(there);
      index_ = b.Placeholder<int32_t>("index");
      gathered_ = op::GatherV2(back, index_, b.Const<int32_t>(0));
    }
    {
      auto device = b.OnDevice("/job:worker/task:0");
      y_ = op::Abs(back);
    }
    auto session = NewRemoteSession(
        b.Build().value(), absl::StrCat("in-process://localhost:", clocks, "3"),
        {.transports = &network_->transports()});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }

  // Holds the time from the beginning of a step to its end, in nanoseconds.
  struct Interval {
    int64_t start = 0;
    int64_t end = 0;
  };
  Interval Run(RunOptions options) {
    const auto now = [] {
      return nanoseconds(std::chrono::steady_clock::now().time_since_epoch() +
                         WallClockOffset())
          .count();
    };
    Interval interval{.start = now()};
    const auto out =
        session_->Run({.feeds = {{x_, Tensor::Filled<float>(Shape{2, 3}, 2)}},
                       .fetches = {y_},
                       .options = options},
                      &metadata_);
    EXPECT_TRUE(out.ok()) << out.status();
    interval.end = now();
    return interval;
  }

  const std::shared_ptr<testing::InProcessNetwork> network_ =
      std::make_shared<testing::InProcessNetwork>();
  TransportRegistry transports_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<GraphBuilder> builder_;
  Output x_, y_, index_, gathered_;
  std::shared_ptr<Session> session_;
  pb::RunMetadata metadata_;
};

const RunOptions& Traced() {
  static const auto* const options =
      new RunOptions{.trace_level = TraceLevel::kFull};
  return *options;
}

TEST_F(ClusterStepStatsTest, MergesDevicesOfAllTasks) {
  Start("100");
  Run(Traced());
  std::map<std::string, std::set<std::string>> nodes;
  for (const auto& device : metadata_.step_stats().dev_stats()) {
    EXPECT_TRUE(nodes[device.device()].empty()) << "the device is listed twice";
    for (const auto& node : device.node_stats()) {
      nodes[device.device()].insert(node.node_name());
    }
  }
  ASSERT_EQ(nodes.size(), 3);
  EXPECT_TRUE(nodes[kFirstPs].contains("Square"));
  EXPECT_TRUE(nodes[kSecondPs].contains("Neg"));
  EXPECT_TRUE(nodes[kMaster].contains("Abs"));
}

TEST_F(ClusterStepStatsTest, TellsOfTensorsOnTheirWay) {
  Start("100");
  Run(Traced());
  std::map<std::string, std::string> labels;
  for (const auto& device : metadata_.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      if (node.node_name() != kRecvTensorNode) continue;
      labels[device.device()] = node.timeline_label();
      ASSERT_EQ(node.output_size(), 1);
      EXPECT_EQ(node.output(0)
                    .tensor_description()
                    .allocation_description()
                    .requested_bytes(),
                24);
      EXPECT_GE(node.all_start_nanos(), node.scheduled_nanos());
      EXPECT_TRUE(device.thread_names().contains(node.thread_id()));
    }
  }
  ASSERT_EQ(labels.size(), 2);  // The first ps receives only a feed.
  const auto expect = [&](const char* from, const char* to) {
    EXPECT_THAT(labels[to],
                MatchesRegex("\\[24B\\] \\[[0-9.]+[MG]b/s\\] edge_.* from .*"));
    EXPECT_THAT(labels[to],
                HasSubstr(absl::StrCat(" from ", from, " to ", to)));
  };
  expect(kFirstPs, kSecondPs);
  expect(kSecondPs, kMaster);
}

// A tensor must not be received before it is sent, whatever the clocks of the
// tasks say.
TEST_F(ClusterStepStatsTest, ArrowsNeverRunBackwards) {
  for (const char* clocks : {"100", "110", "120"}) {
    SCOPED_TRACE(clocks);
    session_ = nullptr;
    servers_.clear();
    transports_ = TransportRegistry();
    Start(clocks);
    for (int i = 0; i < 20; ++i) {
      const Interval step = Run(Traced());
      const auto transfers = MatchTransfers(metadata_.step_stats());
      std::set<std::pair<int, int>> ways;
      for (const StepTransfer& transfer : transfers) {
        ways.insert({transfer.send_device, transfer.recv_device});
        EXPECT_LT(StartNanos(*transfer.send),
                  StartNanos(*transfer.recv) + DurationNanos(*transfer.recv));
      }
      EXPECT_EQ(ways.size(), 2);
      // The tolerance of a millisecond allows for the inaccuracy of this test's
      // clock.
      for (const auto& device : metadata_.step_stats().dev_stats()) {
        for (const auto& node : device.node_stats()) {
          const int64_t start = StartNanos(node);
          EXPECT_GE(start, step.start - 1'000'000) << device.device();
          EXPECT_LE(start + DurationNanos(node), step.end + 1'000'000);
          EXPECT_GE(start, node.scheduled_nanos());
          EXPECT_GE(node.scheduled_nanos(), step.start - 1'000'000);
        }
      }
    }
  }
}

TEST_F(ClusterStepStatsTest, IsEmptyUnlessAskedFor) {
  Start("100");
  metadata_.mutable_step_stats()->add_dev_stats();
  Run({});
  EXPECT_EQ(metadata_.ByteSizeLong(), 0);
}

TEST_F(ClusterStepStatsTest, HasTheGraphsOfAllTasks) {
  Start("100");
  RunOptions options;
  options.output_partition_graphs = true;
  Run(options);
  EXPECT_FALSE(metadata_.has_step_stats());
  std::vector<std::string> devices;
  for (const pb::GraphDef& graph : metadata_.partition_graphs()) {
    ASSERT_GT(graph.node_size(), 0);
    devices.push_back(graph.node(0).device());
  }
  EXPECT_THAT(devices, UnorderedElementsAre(kMaster, kFirstPs, kSecondPs));
}

TEST_F(ClusterStepStatsTest, TellsWhatRanBeforeAStepFailed) {
  Start("110");
  const auto out =
      session_->Run({.feeds = {{x_, Tensor::Filled<float>(Shape{2, 3}, 2)},
                               {index_, Tensor::Scalar<int32_t>(7)}},
                     .fetches = {gathered_},
                     .options = Traced()},
                    &metadata_);
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  std::set<std::string> nodes;
  for (const auto& device : metadata_.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      nodes.insert(node.node_name());
    }
  }
  EXPECT_TRUE(nodes.contains("Neg"));
}

}  // namespace
}  // namespace leat::cluster_step_stats_test
