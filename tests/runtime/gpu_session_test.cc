// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs sessions on FakeCuda. The nodes only route tensors, or their kernel is
// in this file. So these tests also run in builds that compile the GPU kernels
// for real GPUs.
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/kernels/cuda/device/find_index.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/indices/index_faults.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/partitioner/costs/cost_file.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/fake_cuda.h"
#include "leat/tests/testing/gpu/fake_blas.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::kernels::cuda::device_copies {
void Register(KernelRegistry& registry);
}  // namespace leat::kernels::cuda::device_copies

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

  void Start(const KernelRegistry& kernels = BuiltinKernels()) {
    LocalSessionOptions options;
    options.devices.num_threads = 2;
    options.devices.num_gpus = 2;
    options.devices.cuda = cuda_;
    options.devices.costs_folder = costs_folder_;
    auto session = NewLocalSession(b_.Build().value(), options, kernels);
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
  std::string costs_folder_;
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

// Kernels on a GPU only queue their work, so their times say nothing.
TEST_P(GpuSessionTest, NoTimesOfAGpuAreMeasured) {
  const TemporaryFolder folder;
  costs_folder_ = folder.Path("costs");
  Output y;
  {
    auto gpu = b_.OnDevice(kGpu0);
    y = op::Reshape(b_.Placeholder<float>("x"), b_.Const({10, 100}));
  }
  Start();
  for (int i = 0; i < 12; ++i) {
    Fetch(y, {{"x", Tensor::Filled(Shape{1000}, 1.0f)}});
  }
  session_ = nullptr;
  CostTable table;
  ASSERT_TRUE(ReadCosts(costs_folder_, table).ok());
  EXPECT_EQ(table.RunsPerStep(y.operation().name()), 1);
  EXPECT_EQ(table.OutputBytes(y.operation().name()), std::vector<double>{4000});
  for (const std::string& kind : table.kinds()) {
    const bool is_gpu = kind.find("GPU") != kind.npos;
    EXPECT_EQ(table.Copy(kind).kernels().empty(), is_gpu) << kind;
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

// The tensors in a list are copied together with the list.
TEST_P(GpuSessionTest, ListsCrossFromOneDeviceToAnother) {
  const char* const devices[] = {kCpu0, kGpu0, "/device:GPU:1", kCpu0, kGpu0};
  Output x = b_.Placeholder<float>("x");
  const Output any_shape = b_.Const(-1);
  Output list;
  for (const char* device : devices) {
    auto there = b_.OnDevice(device);
    if (!list.IsValid()) {
      list = op::EmptyTensorList(any_shape, -1, DType::kFloat);
    }
    list = op::TensorListPushBack(list, x);
  }
  // Each item is read on another device than the one on which it was pushed.
  std::vector<Output> items;
  for (int i = 0; i < 5; ++i) {
    auto there = b_.OnDevice(devices[(i + 2) % 5]);
    items.push_back(
        op::Identity(op::TensorListGetItem(list, i, any_shape, DType::kFloat)));
  }
  Start();
  for (const int64_t size : {2, 100'000}) {
    const Tensor fed = Tensor::Filled(Shape{size}, 7.0f);
    for (const Output& item : items) {
      EXPECT_EQ(Fetch(item, {{x, fed}}), std::vector<float>(size, 7.0f));
    }
  }
}

TEST_P(GpuSessionTest, ListsOfListsAndOfIntsCrossToTheCpu) {
  // This GPU runs a copy only when a thread asks whether the copy is done.
  cuda_ = std::make_shared<FakeCuda>(
      testing::FakeCudaOptions{.num_gpus = 2,
                               .seed = GetParam(),
                               .has_thread = false,
                               .runs_when_asked = true});
  Output x = b_.Placeholder<float>("x");
  Output number;
  Output item;
  {
    auto gpu = b_.OnDevice(kGpu0);
    const Output any_shape = b_.Const(-1);
    const Output inner = op::TensorListPushBack(
        op::EmptyTensorList(any_shape, -1, DType::kFloat), x);
    const Output outer = op::TensorListPushBack(
        op::EmptyTensorList(any_shape, -1, DType::kVariant), inner);
    const Output ints = op::TensorListPushBack(
        op::EmptyTensorList(any_shape, -1, DType::kInt32), 3);
    auto cpu = b_.OnDevice(kCpu0);
    item = op::Neg(op::TensorListGetItem(
        op::TensorListGetItem(outer, 0, any_shape, DType::kVariant), 0,
        any_shape, DType::kFloat));
    number = op::Neg(
        op::Cast(op::TensorListGetItem(ints, 0, any_shape, DType::kInt32),
                 DType::kFloat));
  }
  Start();
  const std::vector<Feed> feeds = {{x, Tensor::Vector<float>({1, 2})}};
  EXPECT_THAT(Fetch(item, feeds), ElementsAre(-1.0f, -2.0f));
  EXPECT_THAT(Fetch(number, feeds), ElementsAre(-3.0f));
}

TEST_P(GpuSessionTest, ACopyOfAListThatIsRefusedFailsItsStep) {
  Output x;
  Output list;
  const Output any_shape = b_.Const(-1);
  {
    auto gpu = b_.OnDevice(kGpu0);
    x = b_.Placeholder<float>("x");
    list = op::TensorListPushBack(
        op::EmptyTensorList(any_shape, -1, DType::kFloat), x);
  }
  auto cpu = b_.OnDevice(kCpu0);
  Output item =
      op::Neg(op::TensorListGetItem(list, 0, any_shape, DType::kFloat));
  Start();
  const std::vector<Feed> feeds = {{x, Tensor::Vector<float>({1, 2})}};
  // The first copy brings x to the GPU, and the second copy brings it back. The
  // second copy fails.
  cuda_->Fail(FakeCuda::Call::kCopy, 1, /*times=*/1, /*skipped=*/1);
  const absl::Status status =
      session_->Run({.feeds = feeds, .fetches = {item}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("_CopyToHost"));
  EXPECT_THAT(Fetch(item, feeds), ElementsAre(-1.0f, -2.0f));
}

TEST_P(GpuSessionTest, ListsAreFetchedAndFed) {
  Output x = b_.Placeholder<float>("x");
  Output fed = b_.Placeholder(DType::kVariant, "fed");
  auto gpu = b_.OnDevice(kGpu0);
  const Output any_shape = b_.Const(-1);
  const Output list = op::TensorListPushBack(
      op::EmptyTensorList(any_shape, -1, DType::kFloat), x);
  const Output item =
      op::Identity(op::TensorListGetItem(fed, 0, any_shape, DType::kFloat));
  const Output optional = op::OptionalFromValue(std::vector<Output>{list});
  Start();
  const auto fetched =
      session_->Run({.feeds = {{x, Tensor::Vector<float>({1, 2})}},
                     .fetches = {list, optional}});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  const auto* const host = (*fetched)[0].scalar<Variant>().get<TensorList>();
  ASSERT_NE(host, nullptr);
  EXPECT_THAT(host->at(0).data<float>(), ElementsAre(1.0f, 2.0f));
  EXPECT_THAT(Fetch(item, {{fed, (*fetched)[0]}}), ElementsAre(1.0f, 2.0f));
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

struct ReadRow {
  cuda::CheckedIndices indices;
  const float* from;
  float* to;
  void operator()(int64_t i) const {
    const int64_t row = FindIndex(indices, i, /*reports=*/true);
    to[i] = row < 0 ? 0.0f : from[row];
  }
};

// Counts the runs of GatherElements.
std::atomic<int> num_gathers{0};

// Gathers elements of a vector with code that is compiled for the host.
absl::Status GatherElements(KernelContext& context) {
  ++num_gathers;
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, indices.shape()));
  LEAT_ASSIGN_OR_RETURN(
      const cuda::CheckedIndices rows,
      kernels::CheckIndices(context, indices, kernels::IndexRule::kRow,
                            indices.shape().dims(), /*depth=*/1,
                            {params.dim(0)}));
  GpuStream& stream = *context.step().device->gpu_stream();
  cuda::ForEach(stream.handle(), indices.num_elements(),
                ReadRow{rows, reinterpret_cast<const float*>(params.raw_data()),
                        reinterpret_cast<float*>(output->mutable_raw_data())});
  return stream.CheckLaunch();
}

const KernelRegistry& GatherKernels() {
  static const KernelRegistry& registry = *[] {
    auto* made = new KernelRegistry;  // NOLINT: lives as long as the process
    kernels::any::RegisterAll(*made);
    kernels::cpu::RegisterAll(*made);
    kernels::cuda::device_copies::Register(*made);
    made->Add("GatherV2", kGpu, &MakeFunction<&GatherElements>);
    return made;
  }();
  return registry;
}

// The GPU gives 0 for an index that is out of range. Without an error, the loop
// would run until the value is 7, or for 1,000 iterations. So only the error
// can end it early.
TEST_P(GpuSessionTest, ALoopEndsWhenAnIndexIsOutOfRange) {
  Output x;
  {
    auto gpu = b_.OnDevice(kGpu0);
    x = b_.Placeholder<float>("x", {2});
  }
  auto cpu = b_.OnDevice(kCpu0);
  const std::vector<Output> ends = While(
      {b_.Const(int64_t{0}), b_.Const(0.0f)},
      [](auto v) {
        auto cpu = v[0].builder()->OnDevice(kCpu0);
        return op::LogicalAnd(op::NotEqual(v[1], 7.0f), op::Less(v[0], 1000));
      },
      [&](auto v) {
        Output element;
        {
          auto gpu = v[0].builder()->OnDevice(kGpu0);
          element = op::GatherV2(x, v[0], 0);
        }
        auto cpu = v[0].builder()->OnDevice(kCpu0);
        return std::vector<Output>{v[0] + 1, op::Neg(element)};
      });
  Start(GatherKernels());
  num_gathers = 0;
  const absl::Status status =
      session_
          ->Run({.feeds = {{x, Tensor::Vector<float>({1, 2})}},
                 .fetches = {ends[0]}})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              ::testing::StartsWith("indices = 2 is not in [0, 2)"));
  EXPECT_EQ(num_gathers, 3);
}

TEST_P(GpuSessionTest, ALaterErrorDoesNotHideAnIndexOutOfRange) {
  auto gpu = b_.OnDevice(kGpu0);
  Output x = b_.Placeholder<float>("x");
  Output indices = b_.Placeholder<int64_t>("indices");
  Output shape = b_.Placeholder<int32_t>("shape");
  Output y = op::Reshape(op::GatherV2(x, indices, 0), shape);
  Start(GatherKernels());
  const auto run = [&](int64_t index) {
    return std::string(
        session_
            ->Run({.feeds = {{x, Tensor::Vector<float>({1, 2})},
                             {indices, Tensor::Vector<int64_t>({0, index})},
                             {shape, Tensor::Vector<int32_t>({5})}},
                   .fetches = {y}})
            .status()
            .message());
  };
  EXPECT_THAT(run(1), HasSubstr("{{node Reshape}}"));
  EXPECT_THAT(run(9), ::testing::StartsWith("indices[1] = 9 is not in [0, 2)"));
}

// The graph has three GatherV2 nodes. Each of them gathers from x and has its
// own indices.
class GpuIndicesTest : public GpuSessionTest {
 protected:
  void SetUp() override {
    auto gpu = b_.OnDevice(kGpu0);
    x_ = b_.Placeholder<float>("x");
    for (int i = 0; i < 3; ++i) {
      indices_[i] = b_.Placeholder<int64_t>(absl::StrCat("indices", i));
      gathered_[i] = op::GatherV2(x_, indices_[i], 0);
    }
    Start(GatherKernels());
  }
  // Runs a step in which node i gets indices[i].
  absl::StatusOr<std::vector<Tensor>> Gather(
      const std::vector<std::vector<int64_t>>& indices) {
    std::vector<Feed> feeds = {{x_, Tensor::Vector<float>({7, 8})}};
    for (size_t i = 0; i < 3; ++i) {
      const auto size = static_cast<int64_t>(indices[i].size());
      feeds.push_back(
          {indices_[i], Tensor::FromSpan<int64_t>(Shape{size}, indices[i])});
    }
    return session_->Run(
        {.feeds = feeds,
         .fetches = {gathered_[0], gathered_[1], gathered_[2]}});
  }

  Output x_, indices_[3], gathered_[3];
};

TEST_P(GpuIndicesTest, TheFirstIndexOutOfRangeFailsTheStep) {
  const absl::Status status =
      Gather({{0, 1}, {1, 0, 5, 0, 9}, {-1, 3}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              ::testing::StartsWith("indices[2] = 5 is not in [0, 2)"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("GPU:0"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("{{node GatherV2_1}}"));
}

TEST_P(GpuIndicesTest, AStepDoesNotFailForTheIndicesOfAnother) {
  const auto run = [&](int which) {
    for (int i = 0; i < 8; ++i) {
      std::vector<std::vector<int64_t>> indices(3, {0, 1});
      const int bad = (which + i) % 4;
      if (bad < 3) indices[bad] = {1, 10 + i};
      const auto gathered = Gather(indices);
      if (bad == 3) {
        ASSERT_TRUE(gathered.ok()) << gathered.status();
        EXPECT_THAT((*gathered)[2].data<float>(), ElementsAre(7.0f, 8.0f));
        continue;
      }
      const std::string message(gathered.status().message());
      EXPECT_THAT(message, HasSubstr(absl::StrCat("indices[1] = ", 10 + i)));
      EXPECT_THAT(message,
                  HasSubstr(bad == 0 ? "{{node GatherV2}}"
                                     : absl::StrCat("{{node GatherV2_", bad)));
    }
  };
  Thread other("steps", [&] { run(0); });
  run(1);
  other.Join();
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

// Returns relu(x * w + bias), computed on a GPU with a FakeBlas that uses
// `record`. If `record` is null, the GPU has no library for matrix products.
std::vector<float> Layer(const std::shared_ptr<testing::FakeBlasRecord>& record,
                         std::vector<std::string>& log) {
  GraphBuilder b;
  Output x;
  Output y;
  {
    auto gpu = b.OnDevice(kGpu0);
    x = b.Placeholder<float>("x");
    Output w = b.Const({{1.0f, 0.0f}, {0.5f, 1.0f}, {2.0f, 3.0f}});
    y = op::Relu(op::BiasAdd(op::MatMul(x, w), b.Const({0.25f, 100.0f})));
  }
  LocalSessionOptions options;
  options.devices.num_threads = 1;
  options.devices.num_gpus = 1;
  options.devices.log = [&](absl::string_view line) { log.emplace_back(line); };
  testing::FakeCudaOptions fake;
  if (record != nullptr) {
    fake.new_blas = [&]() -> absl::StatusOr<std::unique_ptr<BlasApi>> {
      return std::make_unique<testing::FakeBlas>(record);
    };
  }
  options.devices.cuda = std::make_shared<FakeCuda>(fake);
  auto session = NewLocalSession(b.Build().value(), options);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return {};
  const Tensor fed = Tensor::Of<float>(Shape{2, 3}, {1, 2, 3, -4, 5, -6});
  std::vector<float> values;
  for (int i = 0; i < 3; ++i) {
    auto fetched = (*session)->Run({.feeds = {{x, fed}}, .fetches = {y}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    if (!fetched.ok()) return {};
    const auto data = (*fetched)[0].data<float>();
    values.assign(data.begin(), data.end());
  }
  return values;
}

// One call of the library computes the nodes MatMul, BiasAdd and Relu.
TEST(GpuLibraryTest, MultipliesWithItsEpilogue) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  const auto record = std::make_shared<testing::FakeBlasRecord>();
  std::vector<std::string> log;
  EXPECT_THAT(Layer(record, log), ElementsAre(8.25f, 111.0f, 0.0f, 87.0f));
  ASSERT_EQ(record->planned.size(), 1u);
  EXPECT_EQ(record->planned[0].epilogue, ProductEpilogue::kBiasRelu);
  EXPECT_THAT(log, ElementsAre());
}

TEST(GpuLibraryTest, WithoutItAKernelMultiplies) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  std::vector<std::string> log;
  EXPECT_THAT(Layer(nullptr, log), ElementsAre(8.25f, 111.0f, 0.0f, 87.0f));
  EXPECT_THAT(log, ElementsAre(HasSubstr("cuBLASLt cannot be used")));
}

// If the library has no algorithm for a product, Leat's own kernel computes the
// product.
TEST(GpuLibraryTest, WhatItRefusesAKernelMultiplies) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  const auto record = std::make_shared<testing::FakeBlasRecord>();
  record->next_plan = absl::UnimplementedError("no algorithm");
  std::vector<std::string> log;
  EXPECT_THAT(Layer(record, log), ElementsAre(8.25f, 111.0f, 0.0f, 87.0f));
  EXPECT_EQ(record->planned.size(), 2u);  // with the epilogue and without
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

// The GPUs have the order of `gpu_ordinals`, as with TensorFlow's
// visible_device_list.
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
INSTANTIATE_TEST_SUITE_P(Seeds, GpuIndicesTest,
                         ::testing::Range(uint64_t{1}, uint64_t{6}));

}  // namespace
}  // namespace leat::gpu_session_test
