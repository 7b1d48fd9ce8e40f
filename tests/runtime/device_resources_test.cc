// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/device_resources.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/resource_handle.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/kernels/resources/queue.h"
#include "leat/kernels/variable.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/local_session.h"

namespace leat::device_resources_test {
namespace {

class Thing final : public Resource {
 public:
  static constexpr char kTypeName[] = "Thing";
  std::string DebugString() const override { return "thing"; }
};

absl::StatusOr<std::shared_ptr<Thing>> MakeThing() {
  return std::make_shared<Thing>();
}

TEST(DeviceResourcesTest, TheDefaultContainerIsTheJobOfTheTask) {
  const auto ps =
      DeviceSet::Create({.task = "/job:ps/replica:0/task:1", .num_threads = 1})
          .value();
  EXPECT_EQ(ps->resources().Of(*ps->devices()[0]).default_container(), "ps");
  const auto local = DeviceSet::Create({.num_threads = 1}).value();
  EXPECT_EQ(local->resources().Of(*local->devices()[0]).default_container(),
            "localhost");
}

TEST(DeviceResourcesTest, EachDeviceHasItsOwnAndEachSetToo) {
  const auto devices =
      DeviceSet::Create({.num_cpus = 2, .num_threads = 1}).value();
  DeviceResources isolated(devices->devices());
  const Device& device = *devices->devices()[0];
  ResourceStore& store = devices->resources().Of(device);
  ASSERT_TRUE(store.FindOrMake<Thing>("", "x", MakeThing).ok());
  EXPECT_EQ(store.size(), 1u);
  EXPECT_EQ(devices->resources().Of(*devices->devices()[1]).size(), 0u);
  EXPECT_EQ(isolated.Of(device).size(), 0u);
}

TEST(DeviceResourcesTest, ClearsTheDefaultContainerOrThoseThatAreNamed) {
  const auto devices =
      DeviceSet::Create(
          {.task = "/job:ps/replica:0/task:0", .num_cpus = 2, .num_threads = 1})
          .value();
  DeviceResources& resources = devices->resources();
  const auto count = [&] {
    size_t count = 0;
    for (const auto& device : devices->devices()) {
      count += resources.Of(*device).size();
    }
    return count;
  };
  const auto fill = [&] {
    for (const auto& device : devices->devices()) {
      for (const char* container : {"", "a", "b", "c"}) {
        ASSERT_TRUE(resources.Of(*device)
                        .FindOrMake<Thing>(container, "x", MakeThing)
                        .ok());
      }
    }
  };
  fill();
  ASSERT_EQ(count(), 8u);
  resources.ClearContainers({"localhost", "unknown"});
  EXPECT_EQ(count(), 8u);
  resources.ClearContainers({"a", "c"});
  EXPECT_EQ(count(), 4u);
  resources.ClearContainers();
  EXPECT_EQ(count(), 2u);
  for (const char* name : {"", "ps"}) {
    fill();
    resources.ClearContainers({name});
    EXPECT_EQ(count(), 6u);
  }
}

// Tests what a session keeps on a parameter server.
class JobContainerTest : public ::testing::Test {
 protected:
  std::shared_ptr<Session> NewSession() {
    auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto session = NewLocalSession(*graph, {.device_set = devices_});
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  static std::vector<Tensor> Run(Session& session,
                                 const std::vector<TensorName>& fetches,
                                 const std::vector<TensorName>& targets = {}) {
    auto out = session.Run({.fetches = fetches, .targets = targets});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? *out : std::vector<Tensor>(fetches.size());
  }
  ResourceStore& store() {
    return devices_->resources().Of(*devices_->devices()[0]);
  }

  const std::shared_ptr<DeviceSet> devices_ =
      DeviceSet::Create({.task = "/job:ps/replica:0/task:0", .num_threads = 1})
          .value();
  GraphBuilder b;
};

TEST_F(JobContainerTest, HoldsVariables) {
  using kernels::Variable;
  const auto of_handle = b.Variable("of_handle", b.Const(1.0f));
  const auto of_reference =
      b.Variable("of_reference", b.Const(1.0f), {.use_resource = false});
  const auto elsewhere =
      b.Variable("elsewhere", b.Const(1.0f), {.container = "mine"});
  const auto out = Run(*NewSession(), {of_handle.handle(), elsewhere.handle()},
                       {of_handle.initializer(), of_reference.initializer(),
                        elsewhere.initializer()});
  EXPECT_EQ(out[0].scalar<ResourceHandle>().container, "ps");
  EXPECT_EQ(out[1].scalar<ResourceHandle>().container, "mine");
  EXPECT_TRUE(store().Find<Variable>("ps", "of_handle").ok());
  EXPECT_TRUE(store().Find<Variable>("ps", "of_reference").ok());
  EXPECT_TRUE(store().Find<Variable>("mine", "elsewhere").ok());
  EXPECT_EQ(store().size(), 3u);
}

TEST_F(JobContainerTest, HoldsQueuesAndAccumulators) {
  const Output queue =
      op::FIFOQueueV2(b, {DType::kInt32}, {.shared_name = "queue"});
  const Output sum = op::ConditionalAccumulator(
      b, DType::kFloat, PartialShape{2}, {.shared_name = "sum"});
  const auto out = Run(*NewSession(), {queue, sum});
  EXPECT_EQ(out[0].scalar<ResourceHandle>().container, "ps");
  // The op ConditionalAccumulator has no resource handle as its output. Its
  // output is a reference to a tensor of two strings: the names of the
  // container and of the resource.
  ASSERT_EQ(out[1].num_elements(), 2);
  EXPECT_EQ(out[1].data<std::string>()[0], "ps");
  EXPECT_EQ(store().size(), 2u);
  devices_->resources().ClearContainers();
  EXPECT_EQ(store().size(), 0u);
}

// The resources have the same names as in TensorFlow.
TEST_F(JobContainerTest, HoldsThoseWithoutSharedNameForOneSession) {
  Output queue, sum;
  {
    const Scope scope = b.NameScope("my");
    queue = op::FIFOQueueV2(b, {DType::kInt32});
    sum = op::ConditionalAccumulator(b, DType::kFloat, PartialShape{2});
  }
  auto session = NewSession(), other = NewSession();
  std::vector<std::string> names;
  for (Session* user : {session.get(), other.get(), session.get()}) {
    names.push_back(Run(*user, {queue})[0].scalar<ResourceHandle>().name);
    names.push_back(Run(*user, {sum})[0].data<std::string>()[1]);
  }
  EXPECT_THAT(names, ::testing::ElementsAre(
                         "_0_my/FIFOQueueV2", "_1_my/ConditionalAccumulator",
                         "_2_my/FIFOQueueV2", "_3_my/ConditionalAccumulator",
                         names[0], names[1]));
  EXPECT_EQ(store().size(), 4u);
  session.reset();
  EXPECT_EQ(store().size(), 2u);
  other.reset();
  EXPECT_EQ(store().size(), 0u);
}

}  // namespace
}  // namespace leat::device_resources_test
