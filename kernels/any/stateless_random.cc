// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of StatelessRandomUniformV2, StatelessRandomNormalV2,
// StatelessTruncatedNormalV2, StatelessRandomGetKeyCounter and
// StatelessRandomGetAlg.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/fill_random.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/philox.h"

namespace leat::kernels::any::stateless_random {
namespace {

// These are the numbers of TensorFlow's RNG_ALG_* constants.
constexpr int32_t kPhilox = 1;
constexpr int32_t kAutoSelect = 3;

// Returns the generator that the inputs key, counter and alg describe.
absl::StatusOr<Philox> GetGenerator(const KernelContext& context) {
  const Tensor& key = context.input(1);
  const Tensor& counter = context.input(2);
  if (!context.input(3).shape().IsScalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("input 3 (0-based) must have shape [], not ",
                     context.input(3).shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(int32_t algorithm,
                        GetScalar<int32_t>(context.input(3), "alg"));
  if (algorithm != kPhilox && algorithm != kAutoSelect) {
    return absl::InvalidArgumentError(
        absl::StrCat("Unsupported algorithm id: ", algorithm));
  }
  if (key.shape() != Shape{1}) {
    return absl::InvalidArgumentError(absl::StrCat(
        "key must have shape [1], not ", key.shape().DebugString()));
  }
  if (!counter.shape().IsVector() || counter.dim(0) < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "counter must be a vector with length at least 2; got shape: ",
        counter.shape().DebugString()));
  }
  auto words = counter.data<uint64_t>();
  return Philox::FromWords(key.data<uint64_t>()[0], words[0], words[1]);
}

template <class Distribution>
class Fill final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(Philox philox, GetGenerator(context));
    LEAT_ASSIGN_OR_RETURN(Shape shape, GetShape(context.input(0), "shape"));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    return FillRandom(context, philox, Distribution{}, *output);
  }
};

template <template <class> class Distribution>
absl::StatusOr<std::unique_ptr<Kernel>> MakeFill(const NodeDef& node) {
  return MakeForType(node, "dtype", kFloats, [](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<Fill<Distribution<T>>>();
  });
}

// Computes a key and a counter from the seeds. Scrambles the seeds with the
// Philox generator, so that seeds such as 0 and 1 give unrelated numbers.
absl::Status GetKeyCounter(KernelContext& context) {
  const Tensor& seed = context.input(0);
  if (seed.shape() != Shape{2}) {
    return absl::InvalidArgumentError(absl::StrCat(
        "seed must have shape [2], not ", seed.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(Dims seeds, GetIndices(seed, "seed"));
  const Philox::Sample mix =
      Philox::FromWords(0x02461e293ec8f720, static_cast<uint64_t>(seeds[0]),
                        static_cast<uint64_t>(seeds[1]))
          .Next();
  LEAT_ASSIGN_OR_RETURN(Tensor * key, context.AllocateOutput(0, Shape{1}));
  LEAT_ASSIGN_OR_RETURN(Tensor * counter, context.AllocateOutput(1, Shape{2}));
  key->mutable_data<uint64_t>()[0] = mix[0] | uint64_t{mix[1]} << 32;
  counter->mutable_data<uint64_t>()[0] = 0;
  counter->mutable_data<uint64_t>()[1] = mix[2] | uint64_t{mix[3]} << 32;
  return absl::OkStatus();
}

absl::Status GetAlgorithm(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<int32_t>()[0] = kPhilox;
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StatelessRandomUniformV2", kCpu, &MakeFill<functors::Uniform>);
  registry.Add("StatelessRandomNormalV2", kCpu, &MakeFill<functors::Normal>);
  registry.Add("StatelessTruncatedNormalV2", kCpu,
               &MakeFill<functors::TruncatedNormal>);
  registry.Add("StatelessRandomUniformV2", kGpu, &MakeFill<functors::Uniform>);
  registry.Add("StatelessRandomNormalV2", kGpu, &MakeFill<functors::Normal>);
  registry.Add("StatelessTruncatedNormalV2", kGpu,
               &MakeFill<functors::TruncatedNormal>);
  registry.Add("StatelessRandomGetKeyCounter", kCpu,
               &MakeFunction<&GetKeyCounter>);
  registry.Add("StatelessRandomGetAlg", kCpu, &MakeFunction<&GetAlgorithm>);
}

}  // namespace leat::kernels::any::stateless_random
