// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/simulation/simulator.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/partitioner/simulation/hand_made_step.h"

namespace leat::simulator_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SimulatorTest : public ::testing::Test {
 protected:
  // Returns the names of the nodes "f0" to "f<n-1>".
  std::vector<NodeId> FanOut(int n, double seconds, NodeId from,
                             bool is_expensive) {
    std::vector<NodeId> nodes;
    for (int i = 0; i < n; ++i) {
      const std::string name = absl::StrCat("f", i);
      nodes.push_back(is_expensive ? step.Expensive(name, seconds, {from})
                                   : step.Cheap(name, seconds, {from}));
    }
    return nodes;
  }
  // Adds the nodes "a", "b", "c" and so on, each of which takes a second and
  // the output of the node before it. `bytes` has the size of each output.
  void Chain(const std::vector<double>& bytes) {
    std::vector<NodeId> input;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      input = {step.Cheap(name, 1, input)};
      step.CostOf(name).output_bytes = {bytes[i]};
    }
  }

  HandMadeStep step;
};

TEST_F(SimulatorTest, AChainTakesTheSumOfItsTimes) {
  const NodeId a = step.Cheap("a", 1);
  const NodeId b = step.Expensive("b", 2, {a});
  step.Cheap("c", 4, {b});
  const SimulatedStep simulation = step.Simulate(OneHost(4));
  EXPECT_EQ(simulation.step_seconds, 7);
  EXPECT_EQ(simulation.critical_path_seconds, 7);
  EXPECT_EQ(simulation.work_seconds, 7);
  EXPECT_EQ(simulation.bound_seconds, 7);
  EXPECT_THAT(step.CriticalPath(simulation), ElementsAre("a", "b", "c"));
  ASSERT_EQ(simulation.devices.size(), 1u);
  EXPECT_EQ(simulation.devices[0].num_processors, 4);
  EXPECT_EQ(simulation.devices[0].busy_seconds, 7);
  EXPECT_EQ(simulation.devices[0].idle_seconds, 21);
  EXPECT_TRUE(simulation.transfers.empty());
}

TEST_F(SimulatorTest, AnEmptyStepTakesNoTime) {
  const SimulatedStep simulation = step.Simulate(OneHost(1));
  EXPECT_EQ(simulation.step_seconds, 0);
  EXPECT_TRUE(simulation.critical_path.empty());
}

TEST_F(SimulatorTest, ExpensiveNodesRunOnAllCores) {
  FanOut(4, 1, step.Cheap("a", 1), /*is_expensive=*/true);
  EXPECT_EQ(step.Simulate(OneHost(1)).step_seconds, 5);
  EXPECT_EQ(step.Simulate(OneHost(2)).step_seconds, 3);
  const SimulatedStep simulation = step.Simulate(OneHost(4));
  EXPECT_EQ(simulation.step_seconds, 2);
  EXPECT_EQ(simulation.bound_seconds, 2);
  EXPECT_EQ(simulation.work_seconds, 5);
}

TEST_F(SimulatorTest, CheapNodesStayOnTheThreadThatMadeThemReady) {
  FanOut(4, 1, step.Cheap("a", 1), /*is_expensive=*/false);
  const SimulatedStep simulation = step.Simulate(OneHost(4));
  EXPECT_EQ(simulation.step_seconds, 5);
  for (const SimulatedRun& run : simulation.runs) EXPECT_EQ(run.lane, 0);
}

// The thread runs its cheap nodes first, then the newest expensive one. The
// other expensive one goes to the other core at once.
TEST_F(SimulatorTest, AThreadKeepsItsCheapNodesAndOneExpensiveNode) {
  const NodeId a = step.Cheap("a", 1);
  step.Expensive("first", 1, {a});
  step.Expensive("second", 1, {a});
  step.Cheap("cheap", 2, {a});
  const SimulatedStep simulation = step.Simulate(OneHost(2));
  EXPECT_EQ(step.BeginOf(simulation, "cheap"), 1);
  const double first = step.BeginOf(simulation, "first");
  const double second = step.BeginOf(simulation, "second");
  EXPECT_EQ(std::min(first, second), 1);
  EXPECT_EQ(std::max(first, second), 3);
  EXPECT_EQ(simulation.step_seconds, 4);
}

TEST_F(SimulatorTest, ANodeUsesTheCoresThatAreFree) {
  const NodeId a = step.Expensive("a", 1);
  step.CostOf("a").cores = 4;
  const NodeId b = step.Expensive("b", 1, {a});
  step.CostOf("b").cores = 8;
  step.Cheap("c", 1, {b});
  // 4 + 8 + 1 seconds of work.
  const SimulatedStep four = step.Simulate(OneHost(4));
  EXPECT_EQ(four.step_seconds, 1 + 2 + 1);
  EXPECT_EQ(four.work_seconds, 13);
  EXPECT_EQ(four.devices[0].busy_seconds, 13);
  EXPECT_EQ(step.Simulate(OneHost(2)).step_seconds, 2 + 4 + 1);
  EXPECT_EQ(step.EndOf(step.Simulate(OneHost(1)), "a"), 4);
}

TEST_F(SimulatorTest, ANodeTakesLongerIfCoresAreTaken) {
  const NodeId a = step.Cheap("a", 1);
  step.Expensive("other", 6, {a});
  step.Expensive("wide", 2, {a});
  step.CostOf("wide").cores = 3;
  // "other" is given to the pool first, so 2 of 3 cores are left.
  const SimulatedStep simulation = step.Simulate(OneHost(3));
  EXPECT_EQ(step.EndOf(simulation, "wide"), 1 + 3);
}

// "waiting" is in the pool before "wide" ends and makes "next" and "newest"
// ready, so it gets the core that has helped "wide".
TEST_F(SimulatorTest, ACoreThatHasHelpedServesThePoolInItsOrder) {
  const NodeId a = step.Cheap("a", 1);
  const NodeId wide = step.Expensive("wide", 1, {a});
  step.CostOf("wide").cores = 2;
  step.Expensive("waiting", 3, {a});
  step.Expensive("kept", 10, {a});
  step.Expensive("next", 3, {wide});
  step.Expensive("newest", 3, {wide});
  const SimulatedStep simulation = step.Simulate(OneHost(3));
  EXPECT_EQ(step.EndOf(simulation, "wide"), 2);
  EXPECT_EQ(step.BeginOf(simulation, "newest"), 2);
  EXPECT_EQ(step.BeginOf(simulation, "waiting"), 2);
  EXPECT_EQ(step.BeginOf(simulation, "next"), 5);
}

TEST_F(SimulatorTest, ControlEdgesOrderNodes) {
  const NodeId a = step.Cheap("a", 2);
  const NodeId b = step.Cheap("b", 1);
  step.Before(a, b);
  const SimulatedStep simulation = step.Simulate(OneHost(2));
  EXPECT_EQ(step.BeginOf(simulation, "b"), 2);
  EXPECT_EQ(simulation.critical_path_seconds, 3);
}

TEST_F(SimulatorTest, CpusOfAProcessShareItsCores) {
  step.Expensive("a", 3, {}, 0);
  step.Expensive("b", 3, {}, 1);
  EXPECT_EQ(step.Simulate(OneHost(1, /*num_cpus=*/2)).step_seconds, 6);
  const SimulatedStep two = step.Simulate(OneHost(2, /*num_cpus=*/2));
  EXPECT_EQ(two.step_seconds, 3);
  ASSERT_EQ(two.devices.size(), 2u);
  EXPECT_EQ(two.devices[0].busy_seconds, 3);
  EXPECT_EQ(two.devices[0].idle_seconds, 3);
}

TEST_F(SimulatorTest, DevicesOfAProcessPassTensorsWithoutTime) {
  const NodeId a = step.Cheap("a", 1, {}, 0);
  step.CostOf("a").output_bytes = {1000};
  step.Cheap("b", 1, {a}, 1);
  const SimulatedStep simulation = step.Simulate(OneHost(2, /*num_cpus=*/2));
  EXPECT_EQ(simulation.step_seconds, 2);
  EXPECT_TRUE(simulation.transfers.empty());
}

TEST_F(SimulatorTest, ATransferTakesLatencyAndBytes) {
  const NodeId a = step.Cheap("a", 1, {}, 0);
  step.CostOf("a").output_bytes = {20};
  step.Cheap("b", 3, {a}, 1);
  const SimulatedStep simulation = step.Simulate(SeveralHosts(2, 1, 0.5, 10));
  EXPECT_EQ(step.BeginOf(simulation, "b"), 1 + 0.5 + 2);
  EXPECT_EQ(simulation.step_seconds, 6.5);
  EXPECT_EQ(simulation.critical_path_seconds, 4) << "links count as free";
  ASSERT_EQ(simulation.transfers.size(), 1u);
  const SimulatedTransfer& transfer = simulation.transfers[0];
  EXPECT_EQ(transfer.begin, 1);
  EXPECT_EQ(transfer.end, 3.5);
  EXPECT_EQ(transfer.bytes, 20);
  EXPECT_EQ(transfer.num_tensors, 1);
  EXPECT_EQ(transfer.from, 0);
  EXPECT_EQ(transfer.to, 1);
  EXPECT_THAT(step.CriticalPath(simulation), ElementsAre("a", ">", "b"));
}

// The sender cannot send before it has heard that somebody wants the tensor.
TEST_F(SimulatorTest, ATensorThatIsThereAtOnceWaitsForTheRequest) {
  const NodeId a = step.Cheap("a", 0, {}, 0);
  step.CostOf("a").output_bytes = {10};
  step.Cheap("b", 1, {a}, 1);
  const SimulatedStep simulation = step.Simulate(SeveralHosts(2, 1, 0.5, 10));
  EXPECT_EQ(simulation.transfers[0].begin, 0.5);
  EXPECT_EQ(simulation.step_seconds, 0.5 + 0.5 + 1 + 1);
}

TEST_F(SimulatorTest, AControlEdgeTravelsWithoutBytes) {
  const NodeId a = step.Cheap("a", 1, {}, 0);
  const NodeId b = step.Cheap("b", 1, {}, 1);
  step.Before(a, b);
  const SimulatedStep simulation = step.Simulate(SeveralHosts(2, 1, 0.5, 10));
  EXPECT_EQ(step.BeginOf(simulation, "b"), 1.5);
  EXPECT_EQ(simulation.transfers[0].bytes, 0);
}

// a0 and a1 are ready at 1 and take 2 seconds each on the link to b0 and b1.
class LinkTest : public SimulatorTest {
 protected:
  SimulatedStep Run(const std::string& link, int to0, int to1) {
    HandMadeStep fresh;
    step = fresh;
    const NodeId start = step.Cheap("start", 1, {}, 0);
    const std::vector<int> to = {to0, to1};
    for (size_t i = 0; i < to.size(); ++i) {
      const std::string name = absl::StrCat("a", i);
      const NodeId a = step.Cheap(name, 0, {start}, 0);
      step.CostOf(name).output_bytes = {20};
      step.Cheap(absl::StrCat("b", i), 1, {a}, to[i]);
    }
    return step.Simulate(SeveralHosts(4, 1, 0, 10, link));
  }
};

TEST_F(LinkTest, ALineOfAPairCarriesOneTensorAtATime) {
  const SimulatedStep same = Run("\"sharing\": \"pair\"", 1, 1);
  EXPECT_EQ(same.transfers[0].end, 3);
  EXPECT_EQ(same.transfers[1].begin, 3);
  EXPECT_EQ(same.transfers[1].end, 5);
  EXPECT_EQ(same.step_seconds, 6);
  EXPECT_THAT(step.CriticalPath(same).size(), 4u)
      << "start, two transfers and a node";
  EXPECT_EQ(Run("\"sharing\": \"pair\"", 1, 2).step_seconds, 4);
}

TEST_F(LinkTest, AnEndSendsOneTensorAtATime) {
  EXPECT_EQ(Run("\"sharing\": \"end\"", 1, 2).step_seconds, 6);
}

TEST_F(LinkTest, ASharedLinkCarriesOneTensorAtATime) {
  EXPECT_EQ(Run("\"sharing\": \"all\"", 1, 2).step_seconds, 6);
}

TEST_F(LinkTest, EndsThatDoNotMeetSendAtTheSameTime) {
  for (const auto& [sharing, seconds] :
       std::vector<std::pair<std::string, double>>{
           {"pair", 4}, {"end", 4}, {"all", 6}}) {
    HandMadeStep two;
    for (int i = 0; i < 2; ++i) {
      const std::string name = absl::StrCat("a", i);
      const NodeId a = two.Cheap(name, 1, {}, i);
      two.CostOf(name).output_bytes = {20};
      two.Cheap(absl::StrCat("b", i), 1, {a}, i + 2);
    }
    const SimulatedStep simulation = two.Simulate(SeveralHosts(
        4, 1, 0, 10, absl::StrCat("\"sharing\": \"", sharing, "\"")));
    EXPECT_EQ(simulation.step_seconds, seconds) << sharing;
  }
}

TEST_F(SimulatorTest, TransfersOverlapWithComputing) {
  const NodeId a = step.Cheap("a", 1, {}, 0);
  step.CostOf("a").output_bytes = {30};
  step.Cheap("next", 5, {a}, 0);
  step.Cheap("far", 4, {}, 1);
  step.Cheap("b", 1, {a}, 1);
  const SimulatedStep simulation = step.Simulate(SeveralHosts(2, 1, 0, 10));
  EXPECT_EQ(simulation.transfers[0].begin, 1);
  EXPECT_EQ(simulation.transfers[0].end, 4);
  EXPECT_EQ(simulation.step_seconds, 6) << "a and next";
  EXPECT_EQ(step.EndOf(simulation, "b"), 5);
}

TEST_F(SimulatorTest, MessagesTakeProcessorTimeAtBothEnds) {
  const NodeId a = step.Cheap("a", 1, {}, 0);
  step.CostOf("a").output_bytes = {20};
  step.Cheap("b", 1, {a}, 1);
  const SimulatedStep simulation = step.Simulate(SeveralHosts(
      2, 1, 0, 10, "\"seconds_per_message\": 0.5, \"seconds_per_byte\": 0.05"));
  // 1.5 seconds to send, 2 on the link, 1.5 to receive.
  EXPECT_THAT(simulation.step_seconds, DoubleEq(1 + 1.5 + 2 + 1.5 + 1));
  EXPECT_THAT(simulation.devices[0].busy_seconds, DoubleEq(2.5));
  EXPECT_THAT(simulation.devices[1].busy_seconds, DoubleEq(2.5));
  EXPECT_EQ(simulation.work_seconds, 2) << "the bound knows no messages";
}

// The thread that sends may also write to the network, which was measured then.
TEST_F(SimulatorTest, AMeasuredSendHasTheProcessorTimeOfItsMessage) {
  step.Cheap("b", 1, {step.Cheap("a", 1, {}, 0)}, 1);
  NodeCost& send = step.CostOf("a/send_S0");
  send.origin = CostOrigin::kMeasured;
  const ClusterModel model =
      SeveralHosts(2, 1, 0, 10, "\"seconds_per_message\": 2");
  for (const auto& [measured, seconds] :
       std::vector<std::pair<double, double>>{{0.5, 2}, {3, 3}}) {
    send.seconds = measured;
    const SimulatedStep simulation = step.Simulate(model);
    EXPECT_EQ(step.EndOf(simulation, "a/send_S0"), 1 + seconds);
    EXPECT_EQ(simulation.step_seconds, 1 + seconds + 2 + 1);
  }
}

TEST_F(SimulatorTest, ABundleIsOneMessage) {
  // Values of variables travel in a bundle. They need known shapes.
  std::vector<NodeId> values;
  for (int i = 0; i < 3; ++i) {
    const std::string name = absl::StrCat("v", i);
    values.push_back(step.Cheap(name, 0, {}, 0));
    step.CostOf(name).output_bytes = {10};
  }
  step.Cheap("b", 1, values, 1);
  const ClusterModel model = SeveralHosts(
      2, 1, 1, 10, "\"seconds_per_message\": 6, \"seconds_per_byte\": 0");
  const SimulatedStep one =
      step.Simulate(model, {.max_tensors = 64, .max_bytes = 1 << 20});
  ASSERT_EQ(one.transfers.size(), 1u);
  EXPECT_EQ(one.transfers[0].num_tensors, 3);
  EXPECT_EQ(one.transfers[0].bytes, 30);
  EXPECT_THAT(one.transfers[0].begin, DoubleEq(6));
  EXPECT_THAT(one.step_seconds, DoubleEq(6 + 1 + 3 + 6 + 1));
  const SimulatedStep alone = step.Simulate(model);
  EXPECT_EQ(alone.transfers.size(), 3u);
  EXPECT_GT(alone.step_seconds, 18);
}

TEST_F(SimulatorTest, AGpuRunsItsNodesOneAfterAnother) {
  step.Expensive("a", 2, {}, 1);
  step.Expensive("b", 2, {}, 1);
  step.Expensive("c", 3, {}, 0);
  const SimulatedStep simulation = step.Simulate(HostWithGpus(1, 1));
  EXPECT_EQ(simulation.step_seconds, 4);
  EXPECT_EQ(simulation.bound_seconds, 3.5) << "a core and a stream";
}

TEST_F(SimulatorTest, CopiesOfAGpuOverlapWithItsNodes) {
  const NodeId a = step.Cheap("a", 0, {}, 0);
  step.CostOf("a").output_bytes = {30};
  step.Expensive("long", 2, {}, 1);
  step.Expensive("b", 1, {a}, 1);
  const SimulatedStep simulation = step.Simulate(HostWithGpus(1, 1));
  EXPECT_EQ(step.EndOf(simulation, "long"), 2);
  EXPECT_EQ(step.EndOf(simulation, "b"), 4) << "3 seconds to copy";
}

TEST_F(SimulatorTest, GpusOfAHostMayShareTheWayToItsMemory) {
  const NodeId a = step.Cheap("a", 0, {}, 0);
  step.CostOf("a").output_bytes = {30};
  step.Expensive("b", 1, {a}, 1);
  step.Expensive("c", 1, {a}, 2);
  EXPECT_EQ(step.Simulate(HostWithGpus(1, 2)).step_seconds, 4);
  EXPECT_EQ(step.Simulate(HostWithGpus(1, 2, "all")).step_seconds, 7);
}

// When b ends, the outputs of a and b are there.
TEST_F(SimulatorTest, TensorsLiveUntilTheirLastConsumerEnds) {
  Chain({100, 20, 50, 60});
  EXPECT_EQ(step.Simulate(OneHost(1)).devices[0].peak_bytes, 120);
  // While c runs, there are b, c and its scratch.
  step.CostOf("c").scratch_bytes = 200;
  EXPECT_EQ(step.Simulate(OneHost(1)).devices[0].peak_bytes, 270);
  step.CostOf("d").kept_bytes = 1000;
  const SimulatedStep simulation = step.Simulate(OneHost(1));
  EXPECT_EQ(simulation.devices[0].peak_bytes, 1270);
  EXPECT_EQ(simulation.devices[0].kept_bytes, 1000);
}

// b has no bytes of its own, because it passes on those of a.
TEST_F(SimulatorTest, ANodeThatPassesOnATensorKeepsIt) {
  Chain({100, 0, 10, 0});
  EXPECT_EQ(step.Simulate(OneHost(1)).devices[0].peak_bytes, 110);
}

TEST_F(SimulatorTest, WhatWasNeverRunIsDead) {
  const NodeId a = step.Cheap("a", 1);
  const NodeId b = step.Cheap("b", 1, {a});
  step.Cheap("c", 1, {b});
  step.Cheap("often", 1, {a});
  step.CostOf("b").runs_per_step = 0;
  step.CostOf("often").runs_per_step = 0.5;
  const SimulatedStep simulation = step.Simulate(OneHost(1));
  EXPECT_EQ(step.CountRuns(simulation, "b"), 0);
  EXPECT_EQ(step.CountRuns(simulation, "c"), 0);
  EXPECT_EQ(simulation.step_seconds, 1.5);
}

TEST_F(SimulatorTest, ADeadTensorNeedsNoTransfer) {
  const NodeId a = step.Cheap("a", 1, {}, 0);
  step.CostOf("a").runs_per_step = 0;
  step.Cheap("b", 1, {a}, 1);
  step.Cheap("c", 1, {}, 1);
  const SimulatedStep simulation = step.Simulate(SeveralHosts(2, 1, 5, 10));
  EXPECT_EQ(simulation.step_seconds, 1);
  EXPECT_TRUE(simulation.transfers.empty());
}

TEST_F(SimulatorTest, NamesAnUnknownDevice) {
  step.Cheap("a", 1);
  const ClusterModel model = OneHost(1);
  ASSERT_TRUE(step.TrySimulate(model).ok());
  std::vector<Partition> parts;
  parts.push_back(
      {.name = "/job:ps/replica:0/task:0/device:CPU:0", .graph = step.graph});
  const auto simulation = step.SimulateParts(model, std::move(parts));
  EXPECT_EQ(simulation.status().message(),
            "the cluster model has no device "
            "'/job:ps/replica:0/task:0/device:CPU:0', which has nodes");
}

TEST_F(SimulatorTest, NamesABundleOfSeveralTasksOrDevices) {
  const ClusterModel model = SeveralHosts(3, 1, 0, 10);
  struct Ends {
    int from;
    int to;
  };
  for (const auto& [one, other] :
       std::vector<std::pair<Ends, Ends>>{{{0, 2}, {1, 2}}, {{0, 1}, {0, 2}}}) {
    HandMadeStep two;
    two.Cheap("b", 1, {two.Cheap("x", 1, {}, one.from)}, one.to);
    two.Cheap("c", 1, {two.Cheap("y", 1, {}, other.from)}, other.to);
    ASSERT_TRUE(two.TrySimulate(model).ok());
    std::vector<Partition> parts = two.parts();
    for (Partition& part : parts) SetBundle(part.graph);
    const auto simulation = two.SimulateParts(model, std::move(parts));
    EXPECT_EQ(simulation.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(simulation.status().message(),
                HasSubstr("is in a bundle of another loop, device or sending "
                          "task"));
  }
}

TEST_F(SimulatorTest, NamesANodeThatNeverBecomesReady) {
  const NodeId a = step.Cheap("a", 1);
  const NodeId b = step.Cheap("b", 1, {a});
  step.Before(b, a);
  std::vector<Partition> parts;
  const ClusterModel model = OneHost(1);
  parts.push_back({.name = model.devices()[0].name, .graph = step.graph});
  const auto simulation = step.SimulateParts(model, std::move(parts));
  EXPECT_EQ(simulation.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(simulation.status().message(),
              HasSubstr("node 'a' on /job:worker/replica:0/task:0/device:CPU:0 "
                        "never gets all its inputs"));
}

// Fills `step` with a random graph over `num_devices` devices.
void MakeRandom(std::mt19937& random, int num_devices, HandMadeStep& step) {
  std::vector<NodeId> nodes;
  const int n = 1 + static_cast<int>(random() % 60);
  for (int i = 0; i < n; ++i) {
    std::vector<NodeId> inputs;
    const int device = static_cast<int>(random() % num_devices);
    for (int k = static_cast<int>(random() % 3); k > 0 && !nodes.empty(); --k) {
      inputs.push_back(nodes[random() % nodes.size()]);
    }
    const std::string name = absl::StrCat("n", i);
    const double seconds = static_cast<double>(random() % 8);
    nodes.push_back(random() % 2 == 0
                        ? step.Cheap(name, seconds, inputs, device)
                        : step.Expensive(name, seconds, inputs, device));
    step.CostOf(name).output_bytes = {static_cast<double>(random() % 50)};
    step.CostOf(name).cores = 1 + static_cast<int>(random() % 3);
    if (nodes.size() > 1 && random() % 4 == 0) {
      step.Before(nodes[random() % (nodes.size() - 1)], nodes.back());
    }
  }
}

// Checks that no core runs two nodes at the same time.
void ExpectLanesApart(const ClusterModel& model,
                      const SimulatedStep& simulation) {
  std::map<std::pair<int, int>, double> free;  // by host and lane
  std::vector<SimulatedRun> runs = simulation.runs;
  std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
    return a.begin < b.begin;
  });
  for (const SimulatedRun& run : runs) {
    const int device = simulation.devices[run.part].device;
    const int host = model.devices()[device].host;
    EXPECT_LT(run.lane, model.hosts()[host].cores);
    double& until = free[{host, run.lane}];
    EXPECT_GE(run.begin, until);
    until = std::max(until, run.end);
  }
}

TEST(RandomStepsTest, NoStepIsFasterThanItsBound) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const bool is_one_host = round % 2 == 0;
    const int devices = 1 + static_cast<int>(random() % 3);
    const int cores = 1 + static_cast<int>(random() % 4);
    const ClusterModel model = is_one_host
                                   ? OneHost(cores, devices)
                                   : SeveralHosts(devices, cores, 0.1, 100);
    HandMadeStep step;
    MakeRandom(random, devices, step);
    const SimulatedStep simulation = step.Simulate(model);
    EXPECT_LE(simulation.bound_seconds, simulation.step_seconds + 1e-9);
    double busy = 0;
    for (const DeviceUse& use : simulation.devices) {
      busy += use.busy_seconds;
      EXPECT_GE(use.idle_seconds, 0);
    }
    EXPECT_NEAR(busy, simulation.work_seconds, 1e-6);
    ExpectLanesApart(model, simulation);
    // Each node of the graph runs once.
    for (const NodeId id : step.graph.NodeIds()) {
      EXPECT_EQ(step.CountRuns(simulation, step.graph.node(id).name()), 1);
    }
    // The critical path has no gaps except for latencies.
    double end = 0;
    for (const Cause& cause : simulation.critical_path) {
      if (cause.kind == Cause::Kind::kTransfer) {
        EXPECT_GE(simulation.transfers[cause.index].end, end);
        end = simulation.transfers[cause.index].end;
      } else {
        EXPECT_NEAR(simulation.runs[cause.index].begin, end, 1e-9);
        end = simulation.runs[cause.index].end;
      }
    }
    EXPECT_EQ(end, simulation.step_seconds);
    const SimulatedStep again = step.Simulate(model);
    ASSERT_EQ(again.runs.size(), simulation.runs.size());
    for (size_t i = 0; i < again.runs.size(); ++i) {
      EXPECT_EQ(again.runs[i].node, simulation.runs[i].node);
      EXPECT_EQ(again.runs[i].end, simulation.runs[i].end);
    }
  }
}

}  // namespace
}  // namespace leat::simulator_test
