// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs steps of a master without a GPU on a task that has a fake one. The nodes
// on the GPU only route tensors, so these tests also run in builds that compile
// the kernels for real GPUs.
#include <memory>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/tests/testing/fake_cuda.h"
#include "leat/tests/testing/in_process_cluster.h"

namespace leat::gpu_task_test {
namespace {

using ::leat::testing::FakeCuda;
using ::leat::testing::InProcessCluster;
using ::testing::ElementsAre;

const TaskId kChief = {.job = "chief", .index = 0};
const TaskId kWorker = {.job = "worker", .index = 0};
constexpr char kChiefCpu[] = "/job:chief/replica:0/task:0/device:CPU:0";
constexpr char kWorkerCpu[] = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr char kGpu[] = "/job:worker/replica:0/task:0/device:GPU:0";

// The chief has no GPU, and the worker has a fake one.
class GpuTaskTest : public ::testing::Test {
 protected:
  GpuTaskTest() {
    cluster_.Kill(kWorker);
    cluster_.Start(kWorker,
                   {.num_threads = 2, .num_gpus = kAllGpus, .cuda = cuda_});
  }
  ~GpuTaskTest() override { EXPECT_EQ(cluster_.Leaks(), ""); }

  // Makes a graph that negates numbers on the chief, reshapes them on `device`,
  // and negates them again on the chief. Runs a step of it under the chief's
  // master. Returns the devices of the reshaping nodes.
  std::set<std::string> DevicesFor(const std::string& device) {
    GraphBuilder b;
    Output x;
    {
      auto chief = b.OnDevice(kChiefCpu);
      x = op::Neg(b.Placeholder<float>("numbers", {2}));
    }
    {
      auto worker = b.OnDevice(device);
      x = op::Reshape(x, b.Const({2, 1}));
    }
    auto chief = b.OnDevice(kChiefCpu);
    const Output y = op::Neg(x);
    auto session = cluster_.NewSession(b.Build().value(), kChief);
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return {};
    RunArgs args{.feeds = {{"numbers", Tensor::Vector<float>({1, 2})}},
                 .fetches = {y}};
    args.options.output_partition_graphs = true;
    pb::RunMetadata metadata;
    const auto fetched = (*session)->Run(args, &metadata);
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    if (!fetched.ok()) return {};
    EXPECT_THAT((*fetched)[0].data<float>(), ElementsAre(1, 2));
    std::set<std::string> devices;
    for (const pb::GraphDef& graph : metadata.partition_graphs()) {
      for (const pb::NodeDef& node : graph.node()) {
        if (node.op() == "Reshape") devices.insert(node.device());
      }
    }
    return devices;
  }

  const std::shared_ptr<FakeCuda> cuda_ = std::make_shared<FakeCuda>();
  InProcessCluster cluster_{{{"chief", 1}, {"worker", 1}}};
};

TEST_F(GpuTaskTest, AMasterPlansForTheGpuOfAnotherTask) {
  EXPECT_THAT(DevicesFor("/job:worker/device:GPU:0"), ElementsAre(kGpu));
  EXPECT_GE(cuda_->count(FakeCuda::Call::kCopy), 2);  // to the GPU and back
}

TEST_F(GpuTaskTest, ANodeThatAsksOnlyForTheTaskIsOnItsGpu) {
  EXPECT_THAT(DevicesFor("/job:worker"), ElementsAre(kGpu));
}

TEST_F(GpuTaskTest, ANodeThatAsksForTheCpuOfTheTaskIsThere) {
  EXPECT_THAT(DevicesFor("/job:worker/device:CPU:0"), ElementsAre(kWorkerCpu));
  EXPECT_EQ(cuda_->count(FakeCuda::Call::kCopy), 0);
}

}  // namespace
}  // namespace leat::gpu_task_test
