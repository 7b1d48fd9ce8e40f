// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/dtype_list.h"
#include "leat/core/tensor.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/kernels/philox.h"
#include "leat/tests/kernels/random_checksums.h"
#include "leat/tests/testing/gpu/queued_gpu.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::random_test {
namespace {

using ::leat::kernels::Philox;
using ::leat::testing::KernelTestHarness;
using ::leat::testing::TensorValue;
using ::leat::testing::TestKernel;
using ::testing::HasSubstr;

uint32_t Crc32(const char* data, int64_t size) {
  uint32_t crc = 0xffffffff;
  for (int64_t i = 0; i < size; ++i) {
    crc ^= static_cast<uint8_t>(data[i]);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
    }
  }
  return ~crc;
}

AttrMap Seeds(int64_t seed, int64_t seed2) {
  return AttrMap{{"seed", seed}, {"seed2", seed2}};
}

// Holds the attrs and inputs of one row of the table of checksums.
struct Case {
  AttrMap attrs;
  std::vector<Tensor> inputs;
};

Case MakeCase(KernelTestHarness& harness, const RandomChecksum& row) {
  const std::string op = row.op;
  Case result;
  result.inputs = {Tensor::Vector<int32_t>({int32_t{kRandomSize}})};
  if (op.rfind("Stateless", 0) == 0) {
    result.attrs.Set("dtype", row.dtype);
    auto key = harness.Run("StatelessRandomGetKeyCounter", {},
                           {Tensor::Vector<int64_t>({7, 11})});
    EXPECT_TRUE(key.ok()) << key.status();
    result.inputs.push_back((*key)[0]);
    result.inputs.push_back((*key)[1]);
    result.inputs.push_back(Tensor::Scalar<int32_t>(1));
    return result;
  }
  result.attrs = Seeds(7, 11);
  if (op == "RandomShuffle") {
    Tensor values = Tensor::Filled<int32_t>(Shape{kRandomSize}, 0);
    for (int32_t i = 0; i < kRandomSize; ++i) {
      values.mutable_data<int32_t>()[i] = i;
    }
    result.inputs = {values};
  } else if (op == "RandomUniformInt") {
    if (row.dtype == DType::kInt32) {
      result.inputs.push_back(Tensor::Scalar<int32_t>(-5));
      result.inputs.push_back(Tensor::Scalar<int32_t>(1000));
    } else {
      result.inputs.push_back(Tensor::Scalar<int64_t>(-5));
      result.inputs.push_back(Tensor::Scalar<int64_t>(1000));
    }
  } else {
    result.attrs.Set("dtype", row.dtype);
  }
  return result;
}

class RandomTest : public ::testing::TestWithParam<int> {};

// Three consecutive runs give TensorFlow's numbers bit for bit, with any number
// of threads.
TEST_P(RandomTest, SeededOpsGiveTheNumbersOfTensorFlow) {
  KernelTestHarness harness(GetParam());
  for (const RandomChecksum& row : kRandomChecksums) {
    SCOPED_TRACE(std::string(row.op) + " " + Name(row.dtype));
    const Case c = MakeCase(harness, row);
    std::vector<DType> types;
    for (const Tensor& input : c.inputs) types.push_back(input.dtype());
    auto kernel = harness.Make(row.op, c.attrs, types);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    for (uint32_t expected : row.crc) {
      std::vector<Value> inputs;
      for (const Tensor& input : c.inputs) {
        inputs.push_back(TensorValue(input));
      }
      auto outputs = harness.Run(*kernel, std::move(inputs));
      ASSERT_TRUE(outputs.ok()) << outputs.status();
      const Tensor& got = (*outputs)[0].tensor;
      EXPECT_EQ(got.dtype(), row.dtype);
      EXPECT_EQ(Crc32(got.raw_data(), got.num_bytes()), expected)
          << got.DebugString();
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Threads, RandomTest, ::testing::Values(1, 4));

TEST(RandomOpsTest, ZeroSeedsDifferFromRunToRunAndKernelToKernel) {
  KernelTestHarness harness;
  AttrMap attrs = Seeds(0, 0);
  attrs.Set("dtype", DType::kFloat);
  auto first =
      harness.RunOne("RandomUniform", attrs, {Tensor::Vector<int32_t>({16})});
  auto second =
      harness.RunOne("RandomUniform", attrs, {Tensor::Vector<int32_t>({16})});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_FALSE(Identical(*first, *second));
}

TEST(RandomOpsTest, RefusesShapesThatOverflow) {
  KernelTestHarness harness;
  AttrMap attrs = Seeds(1, 2);
  attrs.Set("dtype", DType::kFloat);
  auto result = harness.RunOne(
      "RandomUniform", attrs,
      {Tensor::Vector<int64_t>({int64_t{1} << 40, int64_t{1} << 40})});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  result =
      harness.RunOne("RandomUniform", attrs, {Tensor::Vector<int32_t>({-1})});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(RandomOpsTest, RefusesAnEmptyRangeOfIntegers) {
  KernelTestHarness harness;
  auto result =
      harness.RunOne("RandomUniformInt", Seeds(1, 2),
                     {Tensor::Vector<int32_t>({4}), Tensor::Scalar<int32_t>(5),
                      Tensor::Scalar<int32_t>(5)});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("Need minval < maxval, got 5 >= 5"));
}

TEST(RandomOpsTest, StatelessOpsRefuseAnUnknownAlgorithmAndBadKeys) {
  KernelTestHarness harness;
  const AttrMap attrs{{"dtype", DType::kFloat}};
  const Tensor shape = Tensor::Vector<int32_t>({4});
  const Tensor key = Tensor::Vector<uint64_t>({1});
  const Tensor counter = Tensor::Vector<uint64_t>({1, 2});
  EXPECT_FALSE(harness
                   .RunOne("StatelessRandomUniformV2", attrs,
                           {shape, key, counter, Tensor::Scalar<int32_t>(9)})
                   .ok());
  EXPECT_FALSE(harness
                   .RunOne("StatelessRandomUniformV2", attrs,
                           {shape, counter, key, Tensor::Scalar<int32_t>(1)})
                   .ok());
  EXPECT_FALSE(harness
                   .RunOne("StatelessRandomUniformV2", attrs,
                           {shape, Tensor::Of<uint64_t>(Shape{0}, {}), counter,
                            Tensor::Scalar<int32_t>(1)})
                   .ok());
}

// The expected numbers are the known answers of Random123 (Salmon et al.).
TEST(PhiloxTest, GivesTheKnownAnswers) {
  Philox zeros({0, 0, 0, 0}, {0, 0});
  EXPECT_EQ(zeros.Next(),
            (Philox::Sample{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  Philox ones({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u});
  EXPECT_EQ(ones.Next(),
            (Philox::Sample{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(PhiloxTest, SkipCarriesIntoEveryWord) {
  Philox philox({~0u, ~0u, ~0u, 5}, {0, 0});
  philox.Skip(1);
  EXPECT_EQ(philox.counter(), (Philox::Sample{0, 0, 0, 6}));
}

// Returns the largest difference between elements of two tensors of floats. The
// difference is relative to the expected value, or absolute if that value is
// below 1.
double Distance(const Tensor& got, const Tensor& expected) {
  double worst = 0;
  VisitDType(kFloats, expected.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = 0; i < expected.data<T>().size(); ++i) {
      const double wanted = static_cast<double>(expected.data<T>()[i]);
      worst = std::max(
          worst, std::fabs(static_cast<double>(got.data<T>()[i]) - wanted) /
                     std::max(1.0, std::fabs(wanted)));
    }
  });
  return worst;
}

// A GPU must draw the same uniform numbers as a CPU, in two runs one after
// another. Normal numbers may differ in their last bits.
TEST(RandomTest, GpusDrawTheNumbersOfCpus) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  KernelTestHarness cpu;
  KernelTestHarness gpu(std::make_unique<leat::testing::QueuedGpu>(),
                        leat::testing::AllKernels());
  for (const char* op :
       {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    for (const DType dtype : kFloats.dtypes()) {
      AttrMap attrs = Seeds(7, 11);
      attrs.Set("dtype", dtype);
      auto on_cpu = cpu.Make(op, attrs, {DType::kInt32});
      auto on_gpu = gpu.Make(op, attrs, {DType::kInt32});
      ASSERT_TRUE(on_cpu.ok() && on_gpu.ok()) << op;
      for (const int32_t n : {1001, 3}) {
        const Tensor shape = Tensor::Vector<int32_t>({n});
        auto expected = cpu.Run(*on_cpu, {TensorValue(shape)});
        auto got = gpu.Run(*on_gpu, {TensorValue(shape)});
        ASSERT_TRUE(expected.ok() && got.ok()) << op;
        EXPECT_LE(Distance((*got)[0].tensor, (*expected)[0].tensor),
                  op == std::string("RandomUniform") ? 0 : 1e-6)
            << op << " " << Name(dtype);
      }
    }
  }
}

template <class T>
void ExpectSameIntegers() {
  KernelTestHarness cpu;
  KernelTestHarness gpu(std::make_unique<leat::testing::QueuedGpu>(),
                        leat::testing::AllKernels());
  const std::vector<Tensor> inputs = {Tensor::Vector<int32_t>({1001}),
                                      Tensor::Scalar<T>(-5),
                                      Tensor::Scalar<T>(95)};
  const auto expected = cpu.RunOne("RandomUniformInt", Seeds(7, 11), inputs);
  const auto got = gpu.RunOne("RandomUniformInt", Seeds(7, 11), inputs);
  ASSERT_TRUE(expected.ok() && got.ok()) << got.status();
  EXPECT_EQ(got->data<T>(), expected->data<T>());
}

TEST(RandomTest, GpusDrawTheIntegersOfCpus) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  ExpectSameIntegers<int32_t>();
  ExpectSameIntegers<int64_t>();
}

}  // namespace
}  // namespace leat::random_test
