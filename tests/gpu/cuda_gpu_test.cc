// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the device on a real GPU, and prints how fast it copies. Without a GPU
// all tests are skipped.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/devices/gpu_libraries.h"
#include "leat/core/tensor.h"
#include "leat/runtime/cuda/cublaslt_api.h"
#include "leat/runtime/cuda/cuda_device.h"
#include "leat/tests/runtime/cuda/random_program.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/gpu/host_products.h"

namespace leat::cuda_gpu_test {
namespace {

using ::leat::testing::Event;
using ::leat::testing::RandomProgram;

constexpr int64_t kMiB = int64_t{1} << 20;

double SecondsOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  return seconds.count();
}

class CudaGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::shared_ptr<CudaApi>> api = NewCudaApi();
    if (!api.ok()) {
      std::fprintf(stderr, "NOTHING RUNS ON A GPU: %s\n",
                   std::string(api.status().message()).c_str());
      GTEST_SKIP() << api.status();
    }
    api_ = *std::move(api);
    CudaDeviceOptions options;
    options.ordinals = {0};
    options.memory_bytes = 4096 * kMiB;
    options.allow_growth = true;
    options.pinned_bytes = 2048 * kMiB;
    auto devices = CreateCudaDevices(api_, options);
    ASSERT_TRUE(devices.ok()) << devices.status();
    device_ = std::move((*devices)[0]);
  }

  GpuStream& stream() { return *device_->gpu_stream(); }

  absl::Status Drain() {
    absl::Status status;
    Event drained;
    stream().Drain([&](absl::Status result) {
      status = std::move(result);
      drained.Set();
    });
    EXPECT_TRUE(drained.Wait());
    return status;
  }

  static Tensor New(Allocator& allocator, int64_t elements) {
    auto tensor = Tensor::Allocate(allocator, DType::kFloat, Shape{elements});
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return *tensor;
  }
  Tensor OnGpu(int64_t elements) { return New(device_->allocator(), elements); }
  Tensor OnHost(bool is_pinned, int64_t elements) {
    Tensor tensor =
        New(is_pinned ? device_->host_allocator() : HostAllocator(), elements);
    EXPECT_EQ(tensor.buffer()->memory().kind,
              is_pinned ? MemoryKind::kPinned : MemoryKind::kHost);
    return tensor;
  }

  // Copies a tensor from the host to the GPU, from there to another block of
  // the GPU, and back to the host.
  void CopyAround(int64_t elements, bool is_pinned) {
    std::mt19937 random(static_cast<unsigned>(elements));
    Tensor from = OnHost(is_pinned, elements);
    for (float& x : from.mutable_data<float>()) {
      x = static_cast<float>(random() % 65536);
    }
    const Tensor there = OnGpu(elements);
    Tensor other = OnGpu(elements);
    const Tensor back = OnHost(is_pinned, elements);
    ASSERT_TRUE(stream().CopyToDevice(from, there).ok());
    ASSERT_TRUE(stream()
                    .CopyOnDevice(other.mutable_raw_data(), there.raw_data(),
                                  static_cast<size_t>(from.num_bytes()))
                    .ok());
    stream().CopyToHost(other, back, nullptr);
    ASSERT_TRUE(Drain().ok());
    EXPECT_TRUE(Identical(from, back)) << elements;
  }

  std::shared_ptr<CudaApi> api_;
  std::unique_ptr<CudaDevice> device_;
};

TEST_F(CudaGpuTest, DescribesTheGpu) {
  std::printf("%s\n", device_->info().description.c_str());
  std::printf("driver %d, runtime %d\n", *api_->DriverVersion(),
              *api_->RuntimeVersion());
  EXPECT_GT(device_->info().memory_bytes, 0);
}

TEST_F(CudaGpuTest, CopiesThereAndBack) {
  for (const int64_t elements :
       {0, 1, 63, 1000, 16'384, 16'385, 100'000, 1'048'577, 10'000'003}) {
    for (const bool is_pinned : {false, true}) CopyAround(elements, is_pinned);
  }
}

// Instead of launching kernels, the programs copy within the GPU.
TEST_F(CudaGpuTest, RandomProgramsGiveTheRightValues) {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([this, t] {
      RandomProgram program(
          *device_, t,
          [this](const Tensor& x, float value, const Tensor& y) {
            EXPECT_TRUE(stream()
                            .CopyOnDevice(const_cast<char*>(y.raw_data()),
                                          x.raw_data(),
                                          static_cast<size_t>(x.num_bytes()))
                            .ok());
            return value;
          },
          [this] { return Drain(); });
      for (int i = 0; i < 10'000; ++i) program.Step();
      program.End();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Several threads fill, read and free blocks of many sizes.
TEST_F(CudaGpuTest, BlocksNeverOverlap) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      std::mt19937 random(t);
      std::vector<Tensor> blocks(20);
      for (int i = 0; i < 2000; ++i) {
        Tensor& block = blocks[random() % blocks.size()];
        if (block.IsValid()) {
          const Tensor back = OnHost(true, block.num_elements());
          stream().CopyToHost(block, back, nullptr);
          ASSERT_TRUE(Drain().ok());
          const auto bytes = static_cast<size_t>(back.num_bytes());
          const char* const data = back.raw_data();
          for (size_t k = 0; k < bytes; k += 1021) ASSERT_EQ(data[k], data[0]);
        }
        block.Reset();
        block = OnGpu(1 + random() % (1u << (random() % 20)));
        ASSERT_TRUE(stream()
                        .Fill(block.mutable_raw_data(),
                              static_cast<uint8_t>(random()),
                              static_cast<size_t>(block.num_bytes()))
                        .ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const AllocatorStats stats = device_->allocator().stats();
  EXPECT_EQ(stats.live_bytes, 0);
  std::printf("%s\n", device_->allocator().Describe().c_str());
}

TEST_F(CudaGpuTest, AFullGpuFailsOneRequest) {
  EXPECT_EQ(device_->allocator().Allocate(4097 * kMiB), nullptr);
  CopyAround(1000, true);
}

// If CUDA refuses a call, the device can still be used, and CheckLaunch does
// not report the error of that call.
TEST_F(CudaGpuTest, ARefusedCallIsAnError) {
  const absl::Status refused = api_->NewMemory(size_t{1} << 60).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(IsSticky(refused));
  std::printf("%s\n", std::string(refused.message()).c_str());
  EXPECT_FALSE(api_->SetDevice(999).ok());
  EXPECT_TRUE(stream().CheckLaunch().ok());
  CopyAround(1000, true);
}

// ---- Libraries ----

// Fills a tensor with small integers, whose products and sums are exact.
template <class T>
void FillWithIntegers(std::mt19937& random, Tensor& tensor) {
  for (T& x : tensor.mutable_data<T>()) {
    x = static_cast<T>(static_cast<float>(random() % 5) - 2);
  }
}

// Returns a form with random extents. Its matrices lie one after another in
// memory.
ProductForm RandomForm(std::mt19937& random, DType type) {
  ProductForm form{.type = type,
                   .m = 1 + static_cast<int64_t>(random() % 150),
                   .n = 1 + static_cast<int64_t>(random() % 150),
                   .k = 1 + static_cast<int64_t>(random() % 150),
                   .num_products = 1 + static_cast<int64_t>(random() % 3)};
  form.a.is_transposed = random() % 2 == 0;
  form.b.is_transposed = random() % 2 == 0;
  form.a.leading = form.a.is_transposed ? form.k : form.m;
  form.b.leading = form.b.is_transposed ? form.n : form.k;
  form.d.leading = form.m;
  form.a.stride = random() % 2 == 0 ? 0 : form.m * form.k;
  form.b.stride = form.k * form.n;
  form.d.stride = form.m * form.n;
  return form;
}

template <class T>
class ProductCheck {
 public:
  ProductCheck(CudaDevice& device, std::mt19937& random)
      : device_(device), random_(random) {}

  // Computes random products with the library, and with loops on the host, and
  // compares the results.
  void Run(std::function<absl::Status()> drain) {
    ProductForm form = RandomForm(random_, kDTypeOf<T>);
    if (!std::is_same_v<T, double> && form.num_products == 1) {
      form.epilogue = static_cast<ProductEpilogue>(random_() % 4);
    }
    const Tensor a =
        New(device_.host_allocator(), form.m * form.k * form.num_products);
    const Tensor b =
        New(device_.host_allocator(), form.k * form.n * form.num_products);
    const Tensor bias = New(device_.host_allocator(), form.m);
    Tensor expected =
        New(device_.host_allocator(), form.m * form.n * form.num_products);
    const Tensor result =
        New(device_.host_allocator(), form.m * form.n * form.num_products);
    testing::ComputeProducts(form, {.a = a.raw_data(),
                                    .b = b.raw_data(),
                                    .d = expected.mutable_raw_data(),
                                    .bias = bias.raw_data()});
    Tensor there = New(device_.allocator(), expected.num_elements());
    const Tensor a_there = Copy(a);
    const Tensor b_there = Copy(b);
    const Tensor bias_there = Copy(bias);
    GpuStream& stream = *device_.gpu_stream();
    const absl::Status status =
        stream.libraries().matrix_multiplication()->Multiply(
            form, {.a = a_there.raw_data(),
                   .b = b_there.raw_data(),
                   .d = there.mutable_raw_data(),
                   .bias = bias_there.raw_data()});
    ASSERT_TRUE(status.ok()) << status;
    stream.CopyToHost(there, result, nullptr);
    ASSERT_TRUE(drain().ok());
    const float tolerance =
        form.epilogue == ProductEpilogue::kBiasGelu ? 0.02f : 0.0f;
    for (int64_t i = 0; i < expected.num_elements(); ++i) {
      const auto at = static_cast<size_t>(i);
      const auto want = static_cast<float>(expected.data<T>()[at]);
      ASSERT_NEAR(static_cast<float>(result.data<T>()[at]), want,
                  tolerance * (1 + std::abs(want)))
          << i << " of " << form.m << "x" << form.n << "x" << form.k
          << ", epilogue " << static_cast<int>(form.epilogue);
    }
  }

 private:
  Tensor New(Allocator& allocator, int64_t elements) {
    Tensor tensor =
        Tensor::Allocate(allocator, kDTypeOf<T>, Shape{elements}).value();
    if (!tensor.IsOnGpu()) FillWithIntegers<T>(random_, tensor);
    return tensor;
  }
  Tensor Copy(const Tensor& tensor) {
    Tensor copy = New(device_.allocator(), tensor.num_elements());
    EXPECT_TRUE(device_.gpu_stream()->CopyToDevice(tensor, copy).ok());
    return copy;
  }

  CudaDevice& device_;
  std::mt19937& random_;
};

// A machine with a GPU must also have cuBLASLt.
TEST_F(CudaGpuTest, ItsLibraryMultipliesMatrices) {
  ASSERT_NE(stream().libraries().matrix_multiplication(), nullptr)
      << NewCublasLt().status();
  std::mt19937 random(1);
  const auto drain = [this] { return Drain(); };
  for (int i = 0; i < 50; ++i) {
    ProductCheck<float>(*device_, random).Run(drain);
    ProductCheck<double>(*device_, random).Run(drain);
    ProductCheck<half>(*device_, random).Run(drain);
    ProductCheck<bfloat16>(*device_, random).Run(drain);
  }
}

// ---- Speed ----

// Prints the speed of a copy of `bytes` bytes in GB/s. `own` is the time that
// the copy takes with Leat, and `raw` the time that it takes with CUDA alone,
// in seconds.
void PrintCopies(const char* what, double bytes, double own, double raw) {
  std::printf("%-28s %8.0f KiB  %6.2f GB/s  CUDA %6.2f GB/s  ratio %.3f\n",
              what, bytes / 1024, bytes / own / 1e9, bytes / raw / 1e9,
              raw / own);
}

TEST_F(CudaGpuTest, PrintsHowFastItCopies) {
  ASSERT_TRUE(api_->SetDevice(0).ok());
  const CudaStream raw = *api_->NewStream();
  for (const int64_t bytes : {1 * kMiB, 16 * kMiB, 256 * kMiB}) {
    const int64_t elements = bytes / 4;
    const int count = static_cast<int>(2048 * kMiB / bytes);
    const Tensor host = OnHost(true, elements);
    Tensor there = OnGpu(elements);
    auto* const to = const_cast<char*>(host.raw_data());
    const auto size = static_cast<size_t>(bytes);
    const auto best = [&](const std::function<void()>& copy,
                          const std::function<void()>& wait) {
      double seconds = 1e9;
      for (int i = 0; i < 3; ++i) {
        seconds = std::min(seconds, SecondsOf([&] {
                             for (int k = 0; k < count; ++k) copy();
                             wait();
                           }));
      }
      return seconds / count;
    };
    const auto wait = [&] { ASSERT_TRUE(Drain().ok()); };
    const auto wait_raw = [&] { ASSERT_TRUE(api_->Synchronize(raw).ok()); };
    PrintCopies(
        "to the GPU", static_cast<double>(bytes),
        best([&] { stream().CopyToDevice(host, there).IgnoreError(); }, wait),
        best(
            [&] {
              api_->CopyToDevice(raw, there.mutable_raw_data(), to, size)
                  .IgnoreError();
            },
            wait_raw));
    PrintCopies(
        "to the host", static_cast<double>(bytes),
        best([&] { stream().CopyToHost(there, host, nullptr); }, wait),
        best(
            [&] {
              api_->CopyToHost(raw, to, there.raw_data(), size).IgnoreError();
            },
            wait_raw));
    const Tensor ordinary = OnHost(false, elements);
    const double own = best(
        [&] { stream().CopyToDevice(ordinary, there).IgnoreError(); }, wait);
    // Leat copies ordinary memory to the GPU in pieces. Their speed is compared
    // with CUDA's own copy from pageable memory.
    const double pageable = best(
        [&] {
          api_->CopyToDevice(raw, there.mutable_raw_data(), ordinary.raw_data(),
                             size)
              .IgnoreError();
        },
        wait_raw);
    PrintCopies("to the GPU, ordinary memory", static_cast<double>(bytes), own,
                pageable);
  }
  EXPECT_TRUE(api_->FreeStream(raw).ok());
}

TEST_F(CudaGpuTest, PrintsWhatSmallThingsCost) {
  constexpr int kCount = 10'000;
  const auto print = [](const char* what, double seconds) {
    std::printf("%-44s %8.3f us\n", what, seconds * 1e6 / kCount);
  };
  const auto each = [](const std::function<void()>& work) {
    return SecondsOf([&] {
      for (int i = 0; i < kCount; ++i) work();
    });
  };
  const Tensor pinned = OnHost(true, 256);
  const Tensor ordinary = OnHost(false, 256);
  Tensor there = OnGpu(256);
  print("allocate and free 1 KiB",
        each([&] { device_->allocator().Allocate(1024); }));
  print("fill 1 KiB, queued", each([&] {
          stream().Fill(there.mutable_raw_data(), 0, 1024).IgnoreError();
        }));
  ASSERT_TRUE(Drain().ok());
  print("fill 1 KiB of a new block, queued", each([&] {
          Tensor block = OnGpu(256);
          stream().Fill(block.mutable_raw_data(), 0, 1024).IgnoreError();
        }));
  ASSERT_TRUE(Drain().ok());
  print("copy 1 KiB to the GPU, queued",
        each([&] { stream().CopyToDevice(pinned, there).IgnoreError(); }));
  ASSERT_TRUE(Drain().ok());
  print("copy 1 KiB of ordinary memory, queued",
        each([&] { stream().CopyToDevice(ordinary, there).IgnoreError(); }));
  ASSERT_TRUE(Drain().ok());
  print("drain of nothing", each([&] { Drain().IgnoreError(); }));
  print("copy 1 KiB to the GPU, back, and drain", each([&] {
          stream().CopyToDevice(pinned, there).IgnoreError();
          stream().CopyToHost(there, pinned, nullptr);
          Drain().IgnoreError();
        }));
  const Tensor large = OnHost(true, 65'536);
  const Tensor large_there = OnGpu(65'536);
  print("copy 256 KiB to the GPU, back, and drain", each([&] {
          stream().CopyToDevice(large, large_there).IgnoreError();
          stream().CopyToHost(large_there, large, nullptr);
          Drain().IgnoreError();
        }));
  print("make the GPU current", each([&] { stream().handle(); }));
}

}  // namespace
}  // namespace leat::cuda_gpu_test
