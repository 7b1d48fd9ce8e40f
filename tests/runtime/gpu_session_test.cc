// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs sessions on the fake of CUDA. The nodes only route tensors, so these
// tests also run where the kernels of GPUs are compiled for GPUs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/fake_cuda.h"

namespace leat::gpu_session_test {
namespace {

using ::testing::ElementsAre;
using testing::FakeCuda;
using ::testing::HasSubstr;

constexpr char kGpu0[] = "/device:GPU:0";
constexpr char kCpu0[] = "/device:CPU:0";

class GpuSessionTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  GpuSessionTest()
      : cuda_(std::make_shared<FakeCuda>(
            testing::FakeCudaOptions{.num_gpus = 2, .seed = GetParam()})) {}

  void Start() {
    LocalSessionOptions options;
    options.devices.num_threads = 2;
    options.devices.num_gpus = 2;
    options.devices.cuda = cuda_;
    auto session = NewLocalSession(b_.Build().value(), options);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  std::vector<float> Fetch(const Output& output, std::vector<Feed> feeds = {}) {
    auto fetched =
        session_->Run({.feeds = std::move(feeds), .fetches = {output}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    if (!fetched.ok()) return {};
    EXPECT_FALSE((*fetched)[0].IsOnGpu());
    const auto data = (*fetched)[0].data<float>();
    return std::vector<float>(data.begin(), data.end());
  }

  std::shared_ptr<FakeCuda> cuda_;
  GraphBuilder b_;
  std::shared_ptr<Session> session_;
};

TEST_P(GpuSessionTest, FeedsAndFetches) {
  auto gpu = b_.OnDevice(kGpu0);
  Output x = b_.Placeholder<float>("x");
  Output y = op::Identity(x);
  Start();
  for (int i = 0; i < 20; ++i) {
    const auto value = static_cast<float>(i);
    const Tensor fed = Tensor::Filled(Shape{1000}, value);
    EXPECT_EQ(Fetch(y, {{x, fed}}), std::vector<float>(1000, value));
  }
}

TEST_P(GpuSessionTest, LargeFeedsAndFetchesGoThroughStreamsOfTheirOwn) {
  auto gpu = b_.OnDevice(kGpu0);
  Output x = b_.Placeholder<float>("x");
  Output y = op::Identity(x);
  Start();
  for (int i = 0; i < 4; ++i) {
    const auto value = static_cast<float>(i);
    const Tensor fed = Tensor::Filled(Shape{100'000}, value);
    EXPECT_EQ(Fetch(y, {{x, fed}}), std::vector<float>(100'000, value));
  }
}

TEST_P(GpuSessionTest, TensorsCrossFromCpuToGpuAndBack) {
  Output x;
  Output y;
  {
    auto cpu = b_.OnDevice(kCpu0);
    x = op::Neg(b_.Const({1.0f, 2.0f, 3.0f}));
  }
  {
    auto gpu = b_.OnDevice(kGpu0);
    y = op::Reshape(op::Identity(x), b_.Const({3, 1}));
  }
  auto cpu = b_.OnDevice(kCpu0);
  Output z = op::Neg(y);
  Start();
  EXPECT_THAT(Fetch(z), ElementsAre(1.0f, 2.0f, 3.0f));
  EXPECT_THAT(Fetch(y), ElementsAre(-1.0f, -2.0f, -3.0f));
}

TEST_P(GpuSessionTest, TensorsCrossFromOneGpuToAnother) {
  Output x = b_.Placeholder<float>("x");
  Output y = x;
  for (int i = 0; i < 6; ++i) {
    auto gpu = b_.OnDevice(i % 2 == 0 ? kGpu0 : "/device:GPU:1");
    y = op::Reshape(op::Identity(y), b_.Const({i % 2 + 1, -1}));
  }
  Start();
  for (const int64_t size : {10, 100'000}) {
    const Tensor fed = Tensor::Filled(Shape{size}, 7.0f);
    EXPECT_EQ(Fetch(y, {{x, fed}}), std::vector<float>(size, 7.0f));
  }
}

TEST_P(GpuSessionTest, VariablesKeepTheirValuesOnTheGpu) {
  auto gpu = b_.OnDevice(kGpu0);
  Output x = b_.Placeholder<float>("x");
  Output variable = op::VariableV2(b_, PartialShape{2}, DType::kFloat);
  Output assigned = op::Assign(variable, x);
  Output handle = op::VarHandleOp(b_, DType::kFloat, PartialShape{2});
  Operation resource_assigned = op::AssignVariableOp(handle, x);
  Output resource = op::ReadVariableOp(handle, DType::kFloat);
  Start();
  const Tensor fed = Tensor::Vector<float>({4, 5});
  ASSERT_TRUE(session_
                  ->Run({.feeds = {{x, fed}},
                         .targets = {assigned.operation(), resource_assigned}})
                  .ok());
  EXPECT_THAT(Fetch(variable), ElementsAre(4.0f, 5.0f));
  EXPECT_THAT(Fetch(resource), ElementsAre(4.0f, 5.0f));
}

TEST_P(GpuSessionTest, ShapesStayOnTheHost) {
  auto gpu = b_.OnDevice(kGpu0);
  Output x = b_.Placeholder<float>("x");
  Output shape = op::Shape(x);
  Start();
  const auto fetched = session_->Run(
      {.feeds = {{x, Tensor::Filled(Shape{2, 3}, 1.0f)}}, .fetches = {shape}});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_THAT((*fetched)[0].data<int32_t>(), ElementsAre(2, 3));
}

TEST_P(GpuSessionTest, LoopsRunOnTheGpu) {
  auto gpu = b_.OnDevice(kGpu0);
  Output x = b_.Placeholder<float>("x");
  std::vector<Output> ends;
  {
    auto cpu = b_.OnDevice(kCpu0);
    ends = While(
        {0, x}, [](auto v) { return op::Less(v[0], 5); },
        [](auto v) {
          Output same;
          {
            auto gpu = v[1].builder()->OnDevice(kGpu0);
            same = op::Identity(v[1]);
          }
          auto cpu = v[1].builder()->OnDevice(kCpu0);
          return std::vector<Output>{v[0] + 1, op::Neg(same)};
        });
  }
  Start();
  EXPECT_THAT(Fetch(ends[1], {{x, Tensor::Vector<float>({1, 2})}}),
              ElementsAre(-1.0f, -2.0f));
}

TEST_P(GpuSessionTest, ALostGpuFailsStepsAndNothingElse) {
  Output x = b_.Placeholder<float>("x");
  Output y;
  {
    auto gpu = b_.OnDevice(kGpu0);
    y = op::Identity(x);
  }
  Output on_cpu;
  {
    auto cpu = b_.OnDevice(kCpu0);
    on_cpu = op::Neg(b_.Const({1.0f, 2.0f}));
  }
  Start();
  const std::vector<Feed> feeds = {{x, Tensor::Vector<float>({1, 2})}};
  EXPECT_THAT(Fetch(y, feeds), ElementsAre(1.0f, 2.0f));
  cuda_->Lose(0);
  for (int i = 0; i < 3; ++i) {
    const absl::Status status =
        session_->Run({.feeds = feeds, .fetches = {y}}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("GPU:0"));
  }
  EXPECT_THAT(Fetch(on_cpu), ElementsAre(-1.0f, -2.0f));
}

TEST_P(GpuSessionTest, AFullGpuFailsTheStep) {
  auto gpu = b_.OnDevice(kGpu0);
  Output x = b_.Placeholder<float>("x");
  Output y = op::Identity(x);
  const Variable large =
      b_.Variable("large", b_.Const(Tensor::Filled(Shape{1 << 20}, 1.0f)));
  Start();
  ASSERT_TRUE(session_->Run({.targets = {large.initializer()}}).ok());
  const absl::Status status =
      session_
          ->Run({.feeds = {{x, Tensor::Filled(Shape{20 << 20}, 1.0f)}},
                 .fetches = {y}})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("GPU:0"), HasSubstr("the largest of 4194304")));
  EXPECT_THAT(Fetch(y, {{x, Tensor::Vector<float>({1, 2})}}),
              ElementsAre(1.0f, 2.0f));
}

TEST(DevicesFlagTest, NamesGpus) {
  EXPECT_EQ(ParseDevices("cpu")->num_gpus, 0);
  EXPECT_EQ(ParseDevices("gpu")->num_gpus, 1);
  EXPECT_EQ(ParseDevices("gpu:all")->num_gpus, kAllGpus);
  const auto both = ParseDevices("cpu:2,gpu:3");
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->num_cpus, 2);
  EXPECT_EQ(both->num_gpus, 3);
  for (const char* text : {"", "gpu:", "gpu:-1", "gpu:x", "gpu:1:1", "tpu",
                           "cpu:all", "cpu:2,", "gpu:100000"}) {
    const absl::Status status = ParseDevices(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(DeviceSetTest, HasTheGpusThatItIsAskedFor) {
  DeviceSetOptions options{.num_threads = 1, .num_gpus = 2};
  options.cuda =
      std::make_shared<FakeCuda>(testing::FakeCudaOptions{.num_gpus = 2});
  auto set = DeviceSet::Create(options);
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_EQ((*set)->devices().size(), 3u);
  EXPECT_THAT((*set)->devices()[2]->name(), HasSubstr("/device:GPU:1"));
  EXPECT_EQ((*set)->devices()[2]->info().type, kGpu);
  set->reset();
  options.num_gpus = 3;
  const absl::Status status = DeviceSet::Create(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("there is no GPU 2"));
}

// As TensorFlow's visible_device_list says.
TEST(DeviceSetTest, HasTheGpusThatAreNamedByNumber) {
  DeviceSetOptions options{
      .num_threads = 1, .num_gpus = 1, .gpu_ordinals = {1, 0}};
  options.cuda =
      std::make_shared<FakeCuda>(testing::FakeCudaOptions{.num_gpus = 2});
  const auto descriptions = [&] {
    auto set = DeviceSet::Create(options);
    EXPECT_TRUE(set.ok()) << set.status();
    std::vector<std::string> result;
    for (const DeviceInfo& info : (*set)->Infos()) {
      if (info.type == kGpu) result.push_back(info.description.substr(0, 10));
    }
    return result;
  };
  EXPECT_THAT(descriptions(), ElementsAre("device: 1,"));
  options.num_gpus = kAllGpus;
  EXPECT_THAT(descriptions(), ElementsAre("device: 1,", "device: 0,"));
  options.num_gpus = 3;
  EXPECT_EQ(DeviceSet::Create(options).status(),
            absl::InvalidArgumentError(
                "3 GPUs are wanted, but only 2 are named by number"));
}

INSTANTIATE_TEST_SUITE_P(Seeds, GpuSessionTest,
                         ::testing::Range(uint64_t{1}, uint64_t{26}));

}  // namespace
}  // namespace leat::gpu_session_test
