// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of RandomUniform, RandomStandardNormal, TruncatedNormal,
// RandomUniformInt and RandomShuffle. They are stateful: each run of a kernel
// continues the random sequence where the previous run stopped.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/fill_random.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/philox.h"

namespace leat::kernels::any::random {
namespace {

// TensorFlow advances the generator by this many samples per element, for every
// distribution.
constexpr uint64_t kReservedPerElement = 256;

struct Seeds {
  int64_t seed = 0;
  int64_t seed2 = 0;
};

absl::StatusOr<Seeds> GetSeeds(const NodeDef& node) {
  Seeds seeds;
  LEAT_ASSIGN_OR_RETURN(seeds.seed, node.attrs.GetOr<int64_t>("seed", 0));
  LEAT_ASSIGN_OR_RETURN(seeds.seed2, node.attrs.GetOr<int64_t>("seed2", 0));
  return seeds;
}

// Is the base class of kernels whose state is a random generator.
class RandomKernel : public Kernel {
 public:
  explicit RandomKernel(const Seeds& seeds)
      : generator_(seeds.seed, seeds.seed2) {}

 protected:
  // Reserves the samples for `count` elements of a distribution.
  Philox ReserveElements(int64_t count) const {
    return generator_.Reserve(static_cast<uint64_t>(count) *
                              kReservedPerElement);
  }
  // Reserves as many samples as are needed for `count` words.
  Philox ReserveWords(int64_t count) const {
    return generator_.Reserve((static_cast<uint64_t>(count) + 3) / 4);
  }

 private:
  mutable SharedPhilox generator_;
};

template <class Distribution>
class Fill final : public RandomKernel {
 public:
  using RandomKernel::RandomKernel;

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(Shape shape, GetShape(context.input(0), "shape"));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    return FillRandom(context, ReserveElements(output->num_elements()),
                      Distribution{}, *output);
  }
};

template <template <class> class Distribution>
absl::StatusOr<std::unique_ptr<Kernel>> MakeFill(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(Seeds seeds, GetSeeds(node));
  return MakeForType(node, "dtype", kFloats, [&](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<Fill<Distribution<T>>>(seeds);
  });
}

template <class T>
class FillInt final : public RandomKernel {
 public:
  using RandomKernel::RandomKernel;

  absl::Status Compute(KernelContext& context) const final {
    LEAT_RETURN_IF_ERROR(CheckRankZero("minval", context.input(1)));
    LEAT_RETURN_IF_ERROR(CheckRankZero("maxval", context.input(2)));
    LEAT_ASSIGN_OR_RETURN(Shape shape, GetShape(context.input(0), "shape"));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    const int64_t size = output->num_elements();
    if (size == 0) return absl::OkStatus();
    const T low = context.input(1).scalar<T>();
    const T high = context.input(2).scalar<T>();
    if (low >= high) {
      return absl::InvalidArgumentError(
          absl::StrCat("Need minval < maxval, got ", low, " >= ", high));
    }
    functors::UniformInt<T> distribution;
    using Unsigned = typename functors::UniformInt<T>::Unsigned;
    distribution.low = low;
    distribution.range =
        static_cast<Unsigned>(high) - static_cast<Unsigned>(low);
    return FillRandom(context, ReserveElements(size), distribution, *output);
  }

 private:
  static absl::Status CheckRankZero(absl::string_view name,
                                    const Tensor& tensor) {
    if (tensor.shape().IsScalar()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        name, " must be 0-D, got shape ", tensor.shape().DebugString()));
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeFillInt(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(Seeds seeds, GetSeeds(node));
  return MakeForType(node, "Tout", kIndices, [&](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<FillInt<T>>(seeds);
  });
}

// Copies the rows of the first dimension in random order.
template <class E>
class Shuffle final : public RandomKernel {
 public:
  using RandomKernel::RandomKernel;

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    if (input.num_elements() <= 1 || input.dim(0) <= 1) {
      context.set_output(0, input);
      return absl::OkStatus();
    }
    const int64_t rows = input.dim(0);
    if (rows > std::numeric_limits<uint32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("RandomShuffle can shuffle at most ",
                       std::numeric_limits<uint32_t>::max(),
                       " rows, but the input has ", rows));
    }
    const std::vector<uint32_t> order = Permutation(rows);
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, input.shape()));
    const int64_t row_size = input.num_elements() / rows;
    const E* from = Elements<E>(input);
    E* to = MutableElements<E>(*output);
    for (int64_t i = 0; i < rows; ++i) {
      CopyElements(from + order[i] * row_size, row_size, to + i * row_size);
    }
    return absl::OkStatus();
  }

 private:
  // Returns a random permutation. Makes the same exchanges as TensorFlow, and
  // uses one word of the generator for each exchange.
  std::vector<uint32_t> Permutation(int64_t size) const {
    PhiloxWords words(ReserveWords(size - 1));
    std::vector<uint32_t> order(size);
    for (int64_t i = 0; i < size; ++i) order[i] = static_cast<uint32_t>(i);
    for (int64_t i = 0; i + 1 < size; ++i) {
      const uint32_t left = static_cast<uint32_t>(size - i);
      std::swap(order[i], order[i + words.Next() % left]);
    }
    return order;
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeShuffle(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(Seeds seeds, GetSeeds(node));
  return MakeForAnyElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<Shuffle<typename decltype(tag)::type>>(seeds);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("RandomUniform", kCpu, &MakeFill<functors::Uniform>);
  registry.Add("RandomStandardNormal", kCpu, &MakeFill<functors::Normal>);
  registry.Add("TruncatedNormal", kCpu, &MakeFill<functors::TruncatedNormal>);
  registry.Add("RandomUniformInt", kCpu, &MakeFillInt);
  registry.Add("RandomUniform", kGpu, &MakeFill<functors::Uniform>);
  registry.Add("RandomStandardNormal", kGpu, &MakeFill<functors::Normal>);
  registry.Add("TruncatedNormal", kGpu, &MakeFill<functors::TruncatedNormal>);
  registry.Add("RandomUniformInt", kGpu, &MakeFillInt);
  registry.Add("RandomShuffle", kCpu, &MakeShuffle);
}

}  // namespace leat::kernels::any::random
