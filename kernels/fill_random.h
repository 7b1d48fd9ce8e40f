// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FillRandom fills a tensor with random numbers of a distribution
// (kernels/functors/distributions.h), on a CPU or on a GPU:
//
//   return FillRandom(context, philox, functors::Normal<float>{}, *output);
#ifndef LEAT_KERNELS_FILL_RANDOM_H_
#define LEAT_KERNELS_FILL_RANDOM_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/cuda/device/random.h"
#include "leat/kernels/functors/distributions.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Fills `data` with `size` elements of `distribution`, in parallel on `queue`.
// `base` is the generator at the first sample of the first group. Elements of
// the last group that do not fit into `data` are dropped.
template <class Distribution>
void FillRandom(WorkQueue& queue, const Philox& base,
                const Distribution& distribution,
                typename Distribution::Element* data, int64_t size) {
  constexpr int kGroup = Distribution::kGroup;
  const int64_t groups = size / kGroup + (size % kGroup != 0);
  ParallelFor(
      queue, groups, Distribution::kNanoseconds,
      [&](int64_t begin, int64_t end) {
        // Each chunk moves a copy of the generator to its own first group.
        Philox philox = base;
        philox.Skip(static_cast<uint64_t>(begin) * Distribution::kSamples);
        for (int64_t group = begin; group < end; ++group) {
          // A group may use fewer samples than it owns, so each group works on
          // its own copy of the generator.
          Philox own = philox;
          philox.Skip(Distribution::kSamples);
          const int64_t offset = group * kGroup;
          if (offset + kGroup <= size) {
            distribution(own, data + offset);
          } else {
            typename Distribution::Element last[kGroup];
            distribution(own, last);
            std::copy_n(last, size - offset, data + offset);
          }
        }
      });
}

// Returns the enum value of a distribution for launch functions.
template <class T>
constexpr leat::cuda::Distribution KindOf(functors::Uniform<T>) {
  return leat::cuda::Distribution::kUniform;
}
template <class T>
constexpr leat::cuda::Distribution KindOf(functors::Normal<T>) {
  return leat::cuda::Distribution::kNormal;
}
template <class T>
constexpr leat::cuda::Distribution KindOf(functors::TruncatedNormal<T>) {
  return leat::cuda::Distribution::kTruncatedNormal;
}

template <class T>
bool LaunchFor(CUstream_st* stream, const Philox& base,
               const functors::UniformInt<T>& distribution, Tensor& output) {
  return leat::cuda::LaunchRandomInt(
      stream, TypeOf(output), base, static_cast<int64_t>(distribution.low),
      static_cast<uint64_t>(distribution.range), output.mutable_raw_data(),
      output.num_elements());
}
template <class Distribution>
bool LaunchFor(CUstream_st* stream, const Philox& base,
               const Distribution& distribution, Tensor& output) {
  return leat::cuda::LaunchRandom(stream, KindOf(distribution), TypeOf(output),
                                  base, output.mutable_raw_data(),
                                  output.num_elements());
}

// Fills `output`, which is in the memory of the step's device, as the
// FillRandom above does. A GPU gives the same integers and the same uniform
// numbers as a CPU. Normal numbers may differ in the last bits.
template <class Distribution>
absl::Status FillRandom(KernelContext& context, const Philox& base,
                        const Distribution& distribution, Tensor& output) {
  if (GpuStream* gpu = context.step().device->gpu_stream()) {
    return OnStream(*gpu, [&](CUstream_st* stream) {
      return LaunchFor(stream, base, distribution, output);
    });
  }
  using T = typename Distribution::Element;
  FillRandom(context.compute_queue(), base, distribution,
             output.mutable_data<T>().data(), output.num_elements());
  return absl::OkStatus();
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_FILL_RANDOM_H_
