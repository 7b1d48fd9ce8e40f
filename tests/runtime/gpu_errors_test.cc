// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks what the errors of a GPU say that come later than the launch that
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
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/launched_nodes.h"
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

// Loses the GPU when the work that this kernel launches runs. The code of the
// work is compiled for the host.
absl::Status BreakTheGpu(KernelContext& context) {
  GpuStream& stream = *context.step().device->gpu_stream();
  cuda::ForEach(stream.handle(), 1, [](int64_t) { breaking_cuda->Lose(0); });
  context.set_output(0, context.input(0));
  return stream.CheckLaunch();
}

const KernelRegistry& BreakingKernels() {
  static const KernelRegistry& registry = *[] {
    auto* made = new KernelRegistry;  // NOLINT: lives as long as the process
    kernels::any::RegisterAll(*made);
    kernels::cpu::RegisterAll(*made);
    kernels::cuda::device_copies::Register(*made);
    made->Add("Neg", kGpu, &MakeFunction<&BreakTheGpu>);
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

// Returns the error of a step whose node "Neg" breaks the GPU.
absl::Status ErrorOfBrokenGpu(uint64_t seed, bool sync) {
  GraphBuilder b;
  auto gpu = b.OnDevice(kGpu0);
  const Output x = b.Placeholder<float>("x");
  const Output y = op::Identity(op::Neg(op::Identity(x)));
  const auto cuda =
      std::make_shared<FakeCuda>(testing::FakeCudaOptions{.seed = seed});
  breaking_cuda = cuda.get();
  LocalSessionOptions options = OptionsFor(cuda);
  options.devices.gpu_sync = sync;
  auto session = NewLocalSession(b.Build().value(), options, BreakingKernels());
  if (!session.ok()) return session.status();
  return (*session)
      ->Run({.feeds = {{x, Tensor::Vector<float>({1, 2})}}, .fetches = {y}})
      .status();
}

class LateErrorTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LateErrorTest, HasTheNodesThatLaunchedLast) {
  const absl::Status status = ErrorOfBrokenGpu(GetParam(), /*sync=*/false);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("GPU:0 has failed and cannot be used any more"),
                    HasSubstr("of this step, '"), HasSubstr("'Neg'"),
                    HasSubstr("--gpu-sync")));
}

TEST_P(LateErrorTest, WithSyncNamesTheNode) {
  const absl::Status status = ErrorOfBrokenGpu(GetParam(), /*sync=*/true);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("GPU:0 has failed and cannot be used any more"),
                    HasSubstr("{{node Neg}}"), Not(HasSubstr("of this step"))));
}

INSTANTIATE_TEST_SUITE_P(Seeds, LateErrorTest,
                         ::testing::Range(uint64_t{1}, uint64_t{11}));

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
            HasSubstr("'Identity'")));
}

TEST(LaunchedNodesTest, NamesTheLastOnesOnceEach) {
  LaunchedNodes launched("/device:GPU:0");
  EXPECT_EQ(launched.Names(), "no node");
  std::vector<NodeDef> nodes(10);
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = std::string(1, static_cast<char>('a' + i));
    launched.Add(nodes[i]);
    launched.Add(nodes[i]);
  }
  EXPECT_EQ(launched.Names(), "'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'");
  EXPECT_EQ(WithLaunchedNodes(absl::InternalError("lost"), launched).message(),
            "lost\n\tof this step, 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j' "
            "launched last on /device:GPU:0; with --gpu-sync, the error names "
            "the node");
}

}  // namespace
}  // namespace leat::gpu_errors_test
