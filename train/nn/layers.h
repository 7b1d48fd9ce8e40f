// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Layers: functions that add nodes and, in the current variable scope, make or
// share variables ("dense/kernel", "dense_1/kernel", ...). Errors go to the
// builder of the input; its handle comes back, so that programs read straight.
#ifndef LEAT_TRAIN_NN_LAYERS_H_
#define LEAT_TRAIN_NN_LAYERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "leat/graph/builder.h"
#include "leat/train/nn/activations.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/initializers.h"
#include "leat/train/nn/partitioned_variable.h"

namespace leat::nn {

// Height and width; one number stands for both.
struct Extent2 {
  int64_t height = 1;
  int64_t width = 1;

  constexpr Extent2(int64_t both) : height(both), width(both) {}  // NOLINT
  constexpr Extent2(int64_t h, int64_t w) : height(h), width(w) {}
};

// x [..., in] -> activation(x W + b) [..., units]. `in` must be known.
struct DenseAttrs {
  int64_t units = 0;
  Activation activation = nullptr;
  bool use_bias = true;
  Initializer kernel_initializer = GlorotUniform();
  Initializer bias_initializer = Zeros();
  bool trainable = true;
  std::string name = {};  // "": "dense", "dense_1", ... in order
};
Output Dense(Output x, DenseAttrs attrs,
             SourceLocation location = SourceLocation::Current());

// x [batch, height, width, channels] ("NHWC") or [batch, channels, height,
// width] ("NCHW") -> the same with `filters` channels. Channels must be known.
struct Conv2DAttrs {
  int64_t filters = 0;
  Extent2 kernel = 3;
  Extent2 strides = 1;
  std::string padding = "VALID";  // or "SAME"
  std::string data_format = "NHWC";
  Extent2 dilations = 1;
  Activation activation = nullptr;
  bool use_bias = true;
  Initializer kernel_initializer = GlorotUniform();
  Initializer bias_initializer = Zeros();
  bool trainable = true;
  std::string name = {};
};
Output Conv2D(Output x, Conv2DAttrs attrs,
              SourceLocation location = SourceLocation::Current());

// Over windows of `size`, by default side by side.
struct Pool2DAttrs {
  Extent2 size = 2;
  std::optional<Extent2> strides = {};  // absent: size
  std::string padding = "VALID";
  std::string data_format = "NHWC";
  std::string name = {};
};
Output MaxPool(Output x, Pool2DAttrs attrs = {},
               SourceLocation location = SourceLocation::Current());
Output AvgPool(Output x, Pool2DAttrs attrs = {},
               SourceLocation location = SourceLocation::Current());

// [batch, ...] -> [batch, product of the rest].
Output Flatten(Output x, SourceLocation location = SourceLocation::Current());

// Zeroes a share `rate` of the elements and scales the others by
// 1 / (1 - rate), anew in every step; the input itself unless `training`.
struct DropoutAttrs {
  double rate = 0.5;
  bool training = true;
  std::optional<int64_t> seed = {};
  std::string name = {};
};
Output Dropout(Output x, DropoutAttrs attrs = {},
               SourceLocation location = SourceLocation::Current());

// Ioffe and Szegedy 2015, over the channels: the last axis, or axis 1 for
// "NCHW". With `training` by the batch's statistics, and the moving averages
// get an update that Minimize runs with the step; without, by the averages.
struct BatchNormalizationAttrs {
  bool training = true;
  double momentum = 0.99;
  double epsilon = 1e-3;
  std::string data_format = "NHWC";
  bool trainable = true;
  std::string name = {};
};
Output BatchNormalization(Output x, BatchNormalizationAttrs attrs = {},
                          SourceLocation location = SourceLocation::Current());

// Integer ids [...] in [0, vocabulary) -> rows [..., dimension].
struct EmbeddingAttrs {
  int64_t vocabulary = 0;
  int64_t dimension = 0;
  DType dtype = DType::kFloat;
  Initializer initializer = RandomUniform();
  // Empty: one variable "embeddings"; else "embeddings/part_0", ...
  Partitioner partitioner = {};
  PartitionStrategy strategy = PartitionStrategy::kMod;
  bool trainable = true;
  std::string name = {};
};
Output Embedding(Output ids, EmbeddingAttrs attrs,
                 SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_LAYERS_H_
