// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of BiasAdd, which adds a vector along the channel
// dimension, and of BiasAddGrad, which sums over all other dimensions.
#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/bias_channels.h"

namespace leat::kernels::cpu::bias {
namespace {

// Is the type in which values of T are added up. It is float for 16-bit floats,
// and the unsigned type for integers, because unsigned sums wrap around.
template <class T>
struct SumOf {
  using type = T;
};
template <>
struct SumOf<half> {
  using type = float;
};
template <>
struct SumOf<bfloat16> {
  using type = float;
};
template <class T>
requires std::is_integral_v<T>
struct SumOf<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
using Sum = typename SumOf<T>::type;

// Adds one bias to `count` values.
template <class T>
void AddOne(const T* value, Sum<T> bias, int64_t count, T* output) {
  for (int64_t i = 0; i < count; ++i) {
    output[i] = static_cast<T>(static_cast<Sum<T>>(value[i]) + bias);
  }
}

// Adds bias[i] to value[i] for each i below `count`.
template <class T>
void AddRow(const T* value, const T* bias, int64_t count, T* output) {
  for (int64_t i = 0; i < count; ++i) {
    output[i] = static_cast<T>(static_cast<Sum<T>>(value[i]) +
                               static_cast<Sum<T>>(bias[i]));
  }
}

template <class T>
class BiasAdd final : public Kernel {
 public:
  explicit BiasAdd(bool nchw) : nchw_(nchw) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& value = context.input(0);
    const Tensor& bias = context.input(1);
    LEAT_ASSIGN_OR_RETURN(Channels c, BiasChannels(context, nchw_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, value.shape()));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* from = value.data<T>().data();
    const T* add = bias.data<T>().data();
    T* to = output->mutable_data<T>().data();
    WorkQueue& queue = context.compute_queue();
    if (c.inner == 1) {
      ParallelFor(queue, c.outer, c.count / 4 + 1,
                  [=](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      const int64_t offset = i * c.count;
                      AddRow(from + offset, add, c.count, to + offset);
                    }
                  });
    } else {
      ParallelFor(queue, c.outer * c.count, c.inner / 4 + 1,
                  [=](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      const int64_t offset = i * c.inner;
                      AddOne(from + offset,
                             static_cast<Sum<T>>(add[i % c.count]), c.inner,
                             to + offset);
                    }
                  });
    }
    return absl::OkStatus();
  }

 private:
  const bool nchw_;
};

// Adds the rows [begin, end) of a tensor [outer, channels, inner] to `sums`,
// which has one sum per channel.
template <class T>
void SumRows(const T* from, const Channels& c, int64_t begin, int64_t end,
             Sum<T>* sums) {
  for (int64_t i = begin; i < end; ++i) {
    const T* row = from + i * c.count * c.inner;
    if (c.inner == 1) {
      for (int64_t j = 0; j < c.count; ++j) {
        sums[j] += static_cast<Sum<T>>(row[j]);
      }
      continue;
    }
    for (int64_t j = 0; j < c.count; ++j) {
      Sum<T> sum = 0;
      for (int64_t k = 0; k < c.inner; ++k) {
        sum += static_cast<Sum<T>>(row[j * c.inner + k]);
      }
      sums[j] += sum;
    }
  }
}

template <class T>
class BiasAddGrad final : public Kernel {
 public:
  explicit BiasAddGrad(bool nchw) : nchw_(nchw) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& backprop = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Channels c, FindChannels(backprop.shape(), nchw_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, Shape{c.count}));
    const T* from = backprop.data<T>().data();
    T* to = output->mutable_data<T>().data();
    // The number of parts depends on the size only and not on the number of
    // threads, so that the rounding of the sums is always the same.
    const int64_t wanted =
        std::min<int64_t>(16, backprop.num_elements() / 32768);
    const int parts =
        static_cast<int>(std::max<int64_t>(1, std::min(wanted, c.outer)));
    LEAT_ASSIGN_OR_RETURN(int64_t sums_size, CheckedMultiply(parts, c.count));
    std::vector<Sum<T>> sums(sums_size, Sum<T>{0});
    if (backprop.num_elements() > 0) {
      ParallelChunks(context.compute_queue(), parts, [&](int part) {
        SumRows(from, c, c.outer * part / parts, c.outer * (part + 1) / parts,
                sums.data() + part * c.count);
      });
    }
    for (int64_t j = 0; j < c.count; ++j) {
      Sum<T> sum = sums[j];
      for (int part = 1; part < parts; ++part) {
        sum += sums[part * c.count + j];
      }
      to[j] = static_cast<T>(sum);
    }
    return absl::OkStatus();
  }

 private:
  const bool nchw_;
};

template <template <class> class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBias(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool nchw, IsNchw(node));
  return MakeForType(node, "T", kNumbersAndComplexes, [&](auto type) {
    return std::make_unique<K<typename decltype(type)::type>>(nchw);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("BiasAdd", kCpu, &MakeBias<BiasAdd>);
  registry.Add("BiasAddGrad", kCpu, &MakeBias<BiasAddGrad>);
}

}  // namespace leat::kernels::cpu::bias
