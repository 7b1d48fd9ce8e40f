// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RandomProgram runs copies and kernels on a GPU in a random order: copies to
// the GPU, kernels that read one block and write another, and copies back to
// the host. It checks the values of all copies to the host.
//
//   RandomProgram program(device, seed, compute, drain);
//   for (int i = 0; i < 100; ++i) program.Step();
//   program.End();
#ifndef LEAT_TESTS_RUNTIME_CUDA_RANDOM_PROGRAM_H_
#define LEAT_TESTS_RUNTIME_CUDA_RANDOM_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/tensor.h"

namespace leat::testing {

// Returns true if each element is `value`.
inline bool AllAre(const Tensor& tensor, float value) {
  for (const float element : tensor.data<float>()) {
    if (element != value) return false;
  }
  return true;
}

// Sets each element to `value`.
inline void SetAll(Tensor& tensor, float value) {
  for (float& element : tensor.mutable_data<float>()) element = value;
}

// Runs random copies and kernels on a device and checks the results. All
// elements of a tensor have the same value. The program drops each tensor as
// soon as it can, and overwrites host memory that is free again. So a copy that
// still reads dropped memory gives wrong values. At each drain, the program
// compares the values that were copied to the host. A RandomProgram is not
// thread-safe, but several programs may run on one device.
class RandomProgram {
 public:
  // Queues a kernel that reads `x`, whose value is `value`, and writes `y`.
  // Returns the value of `y`.
  using Compute =
      std::function<float(const Tensor& x, float value, const Tensor& y)>;
  // Waits for all work.
  using Drain = std::function<absl::Status()>;

  // The device is borrowed.
  RandomProgram(Device& device, uint64_t seed, Compute compute, Drain drain)
      : device_(device),
        random_(seed),
        compute_(std::move(compute)),
        drain_(std::move(drain)) {}

  void Step() {
    if (live_.empty()) return Upload();
    const int what = Random(28);
    if (what < 8) return Upload();
    if (what < 16) return ComputeOne();
    if (what < 24) return Fetch();
    if (what < 27) return Forget();
    Compare();
  }

  // Compares the values that were copied to the host, and drops all tensors.
  void End() {
    live_.clear();
    Compare();
  }

 private:
  // Tensors of kSmall elements are copied in the stream of the kernels. Tensors
  // of kLarge elements are copied in another stream.
  static constexpr int64_t kSmall = 1000;
  static constexpr int64_t kLarge = 20'000;

  struct Value {
    Tensor tensor;
    float value = 0;
  };

  int Random(size_t end) { return static_cast<int>(random_() % end); }

  static Tensor New(Allocator& allocator, int64_t elements) {
    auto tensor = Tensor::Allocate(allocator, DType::kFloat, Shape{elements});
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return *tensor;
  }
  Tensor NewHost(int64_t elements) {
    return New(Random(3) == 0 ? HostAllocator() : device_.host_allocator(),
               elements);
  }

  void Upload() {
    const int64_t elements = Random(2) == 0 ? kSmall : kLarge;
    Value value{New(device_.allocator(), elements), ++next_};
    Tensor from = NewHost(elements);
    SetAll(from, value.value);
    ASSERT_TRUE(device_.gpu_stream()->CopyToDevice(from, value.tensor).ok());
    // CopyToDevice has read ordinary memory when it returns, so the caller may
    // overwrite the memory.
    if (from.buffer()->memory().kind == MemoryKind::kHost) SetAll(from, -1);
    from.Reset();
    for (const int64_t n : {kSmall, kLarge}) {
      Tensor reused = New(device_.host_allocator(), n);
      SetAll(reused, -2);
    }
    live_.push_back(std::move(value));
  }

  void ComputeOne() {
    Value& x = live_[Random(live_.size())];
    Value y{New(device_.allocator(), x.tensor.num_elements())};
    y.value = compute_(x.tensor, x.value, y.tensor);
    x = std::move(y);  // x's block is free now.
  }

  void Fetch() {
    const int i = Random(live_.size());
    Value fetched{NewHost(live_[i].tensor.num_elements()), live_[i].value};
    GpuStream::Done done = nullptr;
    if (Random(2) == 0) {
      done = [](absl::Status status) { EXPECT_TRUE(status.ok()); };
    }
    device_.gpu_stream()->CopyToHost(live_[i].tensor, fetched.tensor,
                                     std::move(done));
    if (Random(2) == 0) live_.erase(live_.begin() + i);
    // In one of four cases, the host tensor is dropped at once, so that its
    // memory is reused.
    if (Random(4) != 0) fetched_.push_back(std::move(fetched));
  }

  void Forget() { live_.erase(live_.begin() + Random(live_.size())); }

  void Compare() {
    ASSERT_TRUE(drain_().ok());
    for (const Value& fetched : fetched_) {
      ASSERT_TRUE(AllAre(fetched.tensor, fetched.value));
    }
    fetched_.clear();
  }

  Device& device_;
  std::mt19937_64 random_;
  const Compute compute_;
  const Drain drain_;
  float next_ = 0;
  std::vector<Value> live_;
  std::vector<Value> fetched_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_RUNTIME_CUDA_RANDOM_PROGRAM_H_
