// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of LRN and LRNGrad. LRN is local response normalization
// across depth (Krizhevsky, Sutskever and Hinton, 2012). It computes x / (bias
// + alpha * s)^beta, where s is the sum of the squares of x at the neighbouring
// depths.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/through_float.h"

namespace leat::kernels::cpu::lrn {
namespace {

struct Options {
  int64_t radius = 5;
  float bias = 1, alpha = 1, beta = 0.5;
};

absl::StatusOr<Options> GetOptions(const NodeDef& node) {
  Options options;
  LEAT_ASSIGN_OR_RETURN(options.radius,
                        node.attrs.GetOr<int64_t>("depth_radius", 5));
  LEAT_ASSIGN_OR_RETURN(options.bias, node.attrs.GetOr<float>("bias", 1));
  LEAT_ASSIGN_OR_RETURN(options.alpha, node.attrs.GetOr<float>("alpha", 1));
  LEAT_ASSIGN_OR_RETURN(options.beta, node.attrs.GetOr<float>("beta", 0.5));
  if (options.radius < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("depth_radius = ", options.radius, " is negative"));
  }
  if (options.radius >= std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "depth_radius = ", options.radius, " larger than int max"));
  }
  return options;
}

absl::Status CheckRank(const Shape& shape) {
  if (shape.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("in must be 4-dimensional, not ", shape.DebugString()));
}

// Holds the depths [begin, end) that are at most `radius` away from `d`.
struct Neighbours {
  Neighbours(int64_t d, int64_t radius, int64_t depth)
      : begin(radius > d ? 0 : d - radius),
        end(radius >= depth - d ? depth : d + radius + 1) {}
  int64_t begin, end;
};

// Computes bias + alpha * (sum of squares around the depth) for each depth of a
// pixel.
void Norms(const Options& options, const float* in, int64_t depth,
           float* norms) {
  for (int64_t d = 0; d < depth; ++d) {
    const Neighbours near(d, options.radius, depth);
    float sum = 0;
    for (int64_t k = near.begin; k < near.end; ++k) sum += in[k] * in[k];
    norms[d] = options.alpha * sum + options.bias;
  }
}

// Returns about how many nanoseconds one pixel takes.
int64_t PixelCost(const Options& options, int64_t depth) {
  return depth * (30 + std::min(depth, options.radius));
}

class LRN final : public Kernel {
 public:
  explicit LRN(const Options& options) : options_(options) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckRank(input.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, input.shape()));
    if (output->num_elements() == 0) return absl::OkStatus();
    const int64_t depth = input.dim(3);
    const float* from = input.data<float>().data();
    float* to = output->mutable_data<float>().data();
    ParallelFor(context.compute_queue(), input.num_elements() / depth,
                PixelCost(options_, depth), [&](int64_t begin, int64_t end) {
                  std::vector<float> norms(depth);
                  for (int64_t i = begin; i < end; ++i) {
                    const float* in = from + i * depth;
                    Norms(options_, in, depth, norms.data());
                    for (int64_t d = 0; d < depth; ++d) {
                      to[i * depth + d] =
                          in[d] * std::pow(norms[d], -options_.beta);
                    }
                  }
                });
    return absl::OkStatus();
  }

 private:
  const Options options_;
};

class LRNGrad final : public Kernel {
 public:
  explicit LRNGrad(const Options& options) : options_(options) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& grads = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckRank(grads.shape()));
    for (int i = 1; i < 3; ++i) {
      if (context.input(i).shape() == grads.shape()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "input_grads, input_image, and out_image should have the same shape: "
          "",
          grads.shape().DebugString(), " vs. ",
          context.input(i).shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, grads.shape()));
    if (output->num_elements() == 0) return absl::OkStatus();
    const int64_t depth = grads.dim(3);
    const float* gradient = grads.data<float>().data();
    const float* image = context.input(1).data<float>().data();
    const float* result = context.input(2).data<float>().data();
    float* to = output->mutable_data<float>().data();
    ParallelFor(context.compute_queue(), grads.num_elements() / depth,
                PixelCost(options_, depth), [&](int64_t begin, int64_t end) {
                  std::vector<float> norms(depth);
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t at = i * depth;
                    Backpropagate(gradient + at, image + at, result + at, depth,
                                  norms.data(), to + at);
                  }
                });
    return absl::OkStatus();
  }

 private:
  // Computes the gradient of one pixel.
  void Backpropagate(const float* gradient, const float* in, const float* out,
                     int64_t depth, float* norms, float* to) const {
    Norms(options_, in, depth, norms);
    std::fill_n(to, depth, 0.0f);
    for (int64_t j = 0; j < depth; ++j) {
      const Neighbours near(j, options_.radius, depth);
      const float factor =
          -2 * options_.alpha * options_.beta * out[j] / norms[j] * gradient[j];
      for (int64_t k = near.begin; k < near.end; ++k) to[k] += factor * in[k];
      to[j] += std::pow(norms[j], -options_.beta) * gradient[j];
    }
  }

  const Options options_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeLRN(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("T"));
  if (IsHalfOrBfloat16(dtype)) return ThroughFloat(node, &MakeLRN<K>);
  LEAT_ASSIGN_OR_RETURN(Options options, GetOptions(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(options));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("LRN", kCpu, &MakeLRN<LRN>);
  registry.Add("LRNGrad", kCpu, &MakeLRN<LRNGrad>);
}

}  // namespace leat::kernels::cpu::lrn
