// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Epilogue: a bias and an activation, applied to each thread's part of a dense
// product when it is done (TensorFlow's fused_ops). Each value is what BiasAdd
// and the activation's own kernel give, NaN included, up to the last bits of
// exp, tanh and erf.
#ifndef LEAT_KERNELS_EPILOGUE_H_
#define LEAT_KERNELS_EPILOGUE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

enum class Activation : uint8_t {
  kNone,
  kRelu,
  kRelu6,
  kElu,
  kLeakyRelu,
  kTanh,
  kSigmoid,
  kGeluExact,        // x / 2 (1 + erf(x / sqrt(2)))
  kGeluApproximate,  // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
};

struct FusedOps {
  Activation activation = Activation::kNone;
  float leakyrelu_alpha = 0.2f;
};

// What a node's `fused_ops` say: BiasAdd, alone or followed by an activation.
// UNIMPLEMENTED naming the node and its fused_ops for others.
absl::StatusOr<FusedOps> ReadFusedOps(const NodeDef& node);

struct Epilogue {
  const float* bias = nullptr;  // borrowed; one value per channel
  FusedOps ops = {};

  // `rows` rows, `stride` values apart, of channels [first, first + count).
  void ApplyToRows(float* values, int64_t rows, int64_t stride, int64_t first,
                   int64_t count) const;
  // Images of `size` pixels: NCHW with `channels_first`, else NHWC.
  void ApplyToImages(float* values, bool channels_first, int64_t images,
                     int64_t channels, int64_t size) const;
};

// Of input `i`, a vector of `channels` biases; INVALID_ARGUMENT as BiasAdd's.
absl::StatusOr<Epilogue> MakeEpilogue(const KernelContext& context, int i,
                                      const Shape& output, int64_t channels,
                                      bool channels_first, const FusedOps& ops);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_EPILOGUE_H_
