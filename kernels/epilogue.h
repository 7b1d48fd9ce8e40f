// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// An Epilogue is a bias and an activation (the attr fused_ops of _FusedMatMul
// and _FusedConv2D) that are applied to the result of a matrix product or
// convolution. Each thread applies it to its part of the result as soon as that
// part is done, while the values are still in its cache. The separate kernels
// of BiasAdd and of the activation give the same results, including NaN. Only
// the last bits of exp, tanh and erf may differ.
#ifndef LEAT_KERNELS_EPILOGUE_H_
#define LEAT_KERNELS_EPILOGUE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Lists the activation functions that can be fused.
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

// Holds the activation to apply after the bias. Is a value type.
struct FusedOps {
  Activation activation = Activation::kNone;
  float leakyrelu_alpha = 0.2f;  // slope below 0, for kLeakyRelu only
};

// Reads the attr `fused_ops` of `node`: BiasAdd, alone or followed by one
// activation. Returns UNIMPLEMENTED, with the node and its fused_ops, for
// anything else.
absl::StatusOr<FusedOps> ReadFusedOps(const NodeDef& node);

// Describes a bias and an activation, with the values that the bias has in one
// step. Borrows these values from an input tensor of the step. The tensor must
// outlive the epilogue. An Epilogue is immutable, so threads may share it.
struct Epilogue {
  const float* bias = nullptr;  // one value per channel, not owned
  FusedOps ops = {};

  // Applies the epilogue to `rows` rows of values in place. A row holds
  // channels [first, first + count); the next row begins `stride` values after
  // the start of this row.
  void ApplyToRows(float* values, int64_t rows, int64_t stride, int64_t first,
                   int64_t count) const;
  // Applies the epilogue to `images` whole images of `channels` channels and
  // `size` pixels in place. Their layout is NCHW if `channels_first` is true,
  // and NHWC otherwise.
  void ApplyToImages(float* values, bool channels_first, int64_t images,
                     int64_t channels, int64_t size) const;
};

// Returns INVALID_ARGUMENT, with the text of BiasAdd, if `bias` is not a vector
// of `channels` elements of type `dtype`. `output` is the shape of the result.
// Only the error message uses `output` and `channels_first`.
absl::Status CheckBias(const Tensor& bias, DType dtype, const Shape& output,
                       int64_t channels, bool channels_first);

// Makes an epilogue with the bias in input `i`, which must be a vector of
// floats, and borrows the input. Returns the errors of CheckBias.
absl::StatusOr<Epilogue> MakeEpilogue(const KernelContext& context, int i,
                                      const Shape& output, int64_t channels,
                                      bool channels_first, const FusedOps& ops);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_EPILOGUE_H_
