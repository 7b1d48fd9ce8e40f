// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests which outputs of CPU nodes are in pinned memory: the outputs that only
// GPUs read.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/runtime/session_devices.h"
#include "leat/tests/testing/fake_cuda.h"

namespace leat::pinned_outputs_test {
namespace {

using ::testing::ElementsAre;
using testing::FakeCuda;

constexpr char kGpu0[] = "/device:GPU:0";
constexpr char kCpu0[] = "/device:CPU:0";

// Records for each node the kind of memory that its output is in.
class MemoryObserver final : public StepObserver {
 public:
  void OnNodeRun(const NodeRun& run) override {
    MutexLock lock(mutex_);
    for (const Tensor* const output : run.outputs) {
      if (output == nullptr || output->buffer() == nullptr) continue;
      memory_[std::string(run.node)] = output->buffer()->memory().DebugString();
    }
  }
  std::string MemoryOf(const std::string& node) {
    MutexLock lock(mutex_);
    return memory_[node];
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::string> memory_ ABSL_GUARDED_BY(mutex_);
};

TEST(PinnedOutputsTest, AreThoseThatOnlyGpusRead) {
  GraphBuilder b;
  Output x, sent, forwarded, shared, kept;
  {
    auto cpu = b.OnDevice(kCpu0);
    x = b.Placeholder<float>("x");
    sent = op::Neg(x);
    kept = op::Square(x);
    // A node may normally reuse the buffer of its input. `forwarded` must not
    // reuse the buffer of `kept`, because this buffer is not pinned and the
    // output of `forwarded` must be pinned.
    forwarded = op::Neg(kept);
    shared = op::Sqrt(x);
  }
  Output on_gpu[3];
  {
    auto gpu = b.OnDevice(kGpu0);
    on_gpu[0] = op::Identity(sent);
    on_gpu[1] = op::Identity(forwarded);
    on_gpu[2] = op::Identity(shared);
  }
  Output on_cpu;
  {
    auto cpu = b.OnDevice(kCpu0);
    on_cpu = op::Neg(shared);
  }
  LocalSessionOptions options;
  options.devices.num_threads = 1;
  options.devices.num_gpus = 1;
  options.devices.cuda = std::make_shared<FakeCuda>();
  auto session = NewLocalSession(b.Build().value(), options);
  ASSERT_TRUE(session.ok()) << session.status();
  MemoryObserver observer;
  auto fetched =
      (*session)->Run({.feeds = {{x, Tensor::Vector<float>({4, 9})}},
                       .fetches = {on_gpu[0], on_gpu[1], on_gpu[2], on_cpu},
                       .options = {.observer = &observer}});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_THAT((*fetched)[0].data<float>(), ElementsAre(-4.0f, -9.0f));
  EXPECT_THAT((*fetched)[1].data<float>(), ElementsAre(-16.0f, -81.0f));
  EXPECT_THAT((*fetched)[2].data<float>(), ElementsAre(2.0f, 3.0f));
  EXPECT_THAT((*fetched)[3].data<float>(), ElementsAre(-2.0f, -3.0f));
  EXPECT_EQ(observer.MemoryOf("Neg"), "pinned");
  EXPECT_EQ(observer.MemoryOf("Neg_1"), "pinned");
  EXPECT_EQ(observer.MemoryOf("Square"), "host");
  EXPECT_EQ(observer.MemoryOf("Sqrt"), "host");
}

TEST(PinnedOutputsTest, AreOrdinaryIfTheSystemPinsNoMore) {
  GraphBuilder b;
  Output x, y;
  {
    auto cpu = b.OnDevice(kCpu0);
    x = b.Placeholder<float>("x");
    y = op::Neg(op::Square(x));
  }
  {
    auto gpu = b.OnDevice(kGpu0);
    y = op::Identity(y);
  }
  const auto cuda = std::make_shared<FakeCuda>();
  LocalSessionOptions options;
  options.devices.num_threads = 1;
  options.devices.num_gpus = 1;
  options.devices.cuda = cuda;
  auto session = NewLocalSession(b.Build().value(), options);
  ASSERT_TRUE(session.ok()) << session.status();
  cuda->Fail(FakeCuda::Call::kNewPinned, FakeCuda::kOutOfMemory, 1000);
  MemoryObserver observer;
  auto fetched = (*session)->Run({.feeds = {{x, Tensor::Vector<float>({4, 9})}},
                                  .fetches = {y},
                                  .options = {.observer = &observer}});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_THAT((*fetched)[0].data<float>(), ElementsAre(-16.0f, -81.0f));
  EXPECT_EQ(observer.MemoryOf("Neg"), "host");
}

TEST(PinnedOutputsTest, AreChargedToTheSession) {
  DeviceSetOptions options{.num_threads = 1, .num_gpus = 1};
  options.cuda = std::make_shared<FakeCuda>();
  auto devices = DeviceSet::Create(options);
  ASSERT_TRUE(devices.ok()) << devices.status();
  const SessionDevices session(**devices, "session 1", /*limit_bytes=*/1000);
  Device* const cpu =
      session.Find("/job:localhost/replica:0/task:0/device:CPU:0");
  ASSERT_NE(cpu->pinned_allocator(), nullptr);
  BufferRef buffer = cpu->pinned_allocator()->Allocate(600);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(buffer->memory().kind, MemoryKind::kPinned);
  EXPECT_EQ(cpu->pinned_allocator()->Allocate(600), nullptr);
  EXPECT_EQ(cpu->allocator().Allocate(600), nullptr);
}

}  // namespace
}  // namespace leat::pinned_outputs_test
