// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the errors of a GPU that occur after the launch of the kernel that
// caused them.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/executor/launched_nodes.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/fake_cuda.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::kernels::cuda::device_copies {
void Register(KernelRegistry& registry);
}  // namespace leat::kernels::cuda::device_copies

namespace leat::gpu_errors_test {
namespace {

using ::testing::AllOf;
using testing::FakeCuda;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kGpu0[] = "/device:GPU:0";

FakeCuda* breaking_cuda = nullptr;

// Queues work that loses the GPU when the work runs. The code of the work is
// compiled for the host.
absl::Status BreakTheGpu(KernelContext& context) {
  GpuStream& stream = *context.step().device->gpu_stream();
  cuda::ForEach(stream.handle(), 1, [](int64_t) { breaking_cuda->Lose(0); });
  context.set_output(0, context.input(0));
  return stream.CheckLaunch();
}

// Runs all queued work of the fake GPU. Returns the error of this work, if
// there is one.
absl::Status NoticeErrors(KernelContext& context) {
  breaking_cuda->RunAll();
  context.set_output(0, context.input(0));
  return context.step().device->gpu_stream()->CheckLaunch();
}

const KernelRegistry& BreakingKernels() {
  static const KernelRegistry& registry = *[] {
    auto* made = new KernelRegistry;  // NOLINT: lives as long as the process
    kernels::any::RegisterAll(*made);
    kernels::cpu::RegisterAll(*made);
    kernels::cuda::device_copies::Register(*made);
    made->Add("Neg", kGpu, &MakeFunction<&BreakTheGpu>);
    made->Add("Square", kGpu, &MakeFunction<&NoticeErrors>);
    return made;
  }();
  return registry;
}

LocalSessionOptions OptionsFor(const std::shared_ptr<FakeCuda>& cuda) {
  LocalSessionOptions options;
  options.devices.num_threads = 1;
  options.devices.num_gpus = 1;
  options.devices.cuda = cuda;
  return options;
}

// Holds a session on a GPU that the node "Neg" breaks. The fake GPU runs queued
// work only when a thread waits for it.
class BrokenGpuTest : public ::testing::Test {
 protected:
  BrokenGpuTest() {
    breaking_cuda = cuda_.get();
    auto gpu = b_.OnDevice(kGpu0);
    x_ = b_.Placeholder<float>("x");
    broken_ = op::Identity(op::Neg(op::Identity(x_)));
    noticed_ = op::Identity(op::Square(broken_));
    fine_ = op::Identity(op::Square(x_));
  }

  void Start(bool sync) {
    LocalSessionOptions options = OptionsFor(cuda_);
    options.devices.gpu_sync = sync;
    auto session =
        NewLocalSession(b_.Build().value(), options, BreakingKernels());
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  // Returns the message of the error of a step.
  std::string ErrorOf(const Output& fetch) {
    const absl::Status status =
        session_
            ->Run({.feeds = {{x_, Tensor::Vector<float>({1, 2})}},
                   .fetches = {fetch}})
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    return std::string(status.message());
  }

  const std::shared_ptr<FakeCuda> cuda_ = std::make_shared<FakeCuda>(
      testing::FakeCudaOptions{.has_thread = false, .runs_when_asked = true});
  GraphBuilder b_;
  Output x_, broken_, noticed_, fine_;
  std::shared_ptr<Session> session_;
};

constexpr char kFailed[] = "GPU:0 has failed and cannot be used any more";

TEST_F(BrokenGpuTest, AnErrorAtTheEndHasTheNodesThatLaunchedLast) {
  Start(/*sync=*/false);
  EXPECT_THAT(ErrorOf(broken_),
              AllOf(HasSubstr(kFailed), HasSubstr("of this step, '"),
                    HasSubstr("'Neg'"), Not(HasSubstr("'Identity")),
                    Not(HasSubstr("{{node")), HasSubstr("--gpu-sync")));
}

TEST_F(BrokenGpuTest, AnErrorThatAnotherNodeNoticesHasThemToo) {
  Start(/*sync=*/false);
  EXPECT_THAT(ErrorOf(noticed_),
              AllOf(HasSubstr(kFailed), HasSubstr("{{node Square}}"),
                    HasSubstr("of this step, '"), HasSubstr("'Neg'"),
                    HasSubstr("--gpu-sync")));
}

TEST_F(BrokenGpuTest, AStepThatLaunchedNothingDoesNotBlameItsNodes) {
  Start(/*sync=*/false);
  ErrorOf(broken_);
  EXPECT_THAT(ErrorOf(fine_),
              AllOf(HasSubstr(kFailed), Not(HasSubstr("of this step"))));
}

TEST_F(BrokenGpuTest, WithSyncAnErrorNamesTheNode) {
  Start(/*sync=*/true);
  EXPECT_THAT(ErrorOf(noticed_),
              AllOf(HasSubstr(kFailed), HasSubstr("{{node Neg}}"),
                    Not(HasSubstr("of this step"))));
}

TEST(GpuDeadlineTest, SaysForWhatTheStepStillWaits) {
  testing::SimulatedClock clock;
  GraphBuilder b;
  auto gpu = b.OnDevice(kGpu0);
  const Output x = b.Placeholder<float>("x");
  const Output y = op::Identity(x);
  const auto cuda = std::make_shared<FakeCuda>();
  LocalSessionOptions options = OptionsFor(cuda);
  options.clock = &clock;
  options.devices.clock = &clock;
  auto session = NewLocalSession(b.Build().value(), options);
  ASSERT_TRUE(session.ok()) << session.status();
  cuda->Hold();
  absl::Status status;
  Thread step("step", [&] {
    status = (*session)
                 ->Run({.feeds = {{x, Tensor::Vector<float>({1, 2})}},
                        .fetches = {y},
                        .options = {.timeout = std::chrono::seconds(4)}})
                 .status();
  });
  clock.Advance(std::chrono::seconds(5));
  cuda->Release();
  step.Join();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("ran longer than its timeout of 4s"),
            HasSubstr("it still waits for "
                      "/job:localhost/replica:0/task:0/device:GPU:0, where '"),
            HasSubstr("'_arg_x_0'")));
}

// The step waits for a node on the CPU, and no work is queued on the GPU.
TEST(GpuDeadlineTest, DoesNotBlameAGpuThatHasNothingToDo) {
  testing::SimulatedClock clock;
  GraphBuilder b;
  const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
  const Output item = op::QueueDequeueV2(queue, {DType::kFloat})[0];
  Output y;
  {
    auto gpu = b.OnDevice(kGpu0);
    y = op::Identity(item);
  }
  LocalSessionOptions options = OptionsFor(std::make_shared<FakeCuda>());
  options.clock = &clock;
  options.devices.clock = &clock;
  auto session = NewLocalSession(b.Build().value(), options);
  ASSERT_TRUE(session.ok()) << session.status();
  const absl::Status status =
      (*session)
          ->Run(
              {.fetches = {y}, .options = {.timeout = std::chrono::seconds(4)}})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("waits for")));
}

TEST(LaunchedNodesTest, NamesTheLastOnes) {
  LaunchedNodes launched("/device:GPU:0");
  EXPECT_EQ(launched.Names(), "no node");
  std::vector<NodeDef> nodes(10);
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = std::string(1, static_cast<char>('a' + i));
    launched.Add(nodes[i]);
  }
  EXPECT_EQ(launched.Names(), "'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'");
}

}  // namespace
}  // namespace leat::gpu_errors_test
