// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Layers are functions that add the nodes of a layer of a network. They make
// their variables in the current variable scope ("dense/kernel",
// "dense_1/kernel", ...). If a variable of that name exists already, layers may
// share it (GraphBuilder::GetVariable).
//
//   Output h = nn::Conv2D(images, {.filters = 32, .kernel = 3,
//                                  .activation = nn::relu});
//   h = nn::MaxPool(h, {.size = 2});
//   Output logits = nn::Dense(nn::Flatten(h), {.units = 10});
//
// Dropout and batch normalization behave differently in training, so a program
// builds them twice, with shared variables:
//
//   const auto network = [&](const Output& batch, bool training) {
//     auto scope = b.VariableScope("network");
//     Output g = nn::Dense(batch, {.units = 64});
//     g = nn::relu(nn::BatchNormalization(g, {.training = training}));
//     g = nn::Dropout(g, {.rate = 0.2, .training = training});
//     return nn::Dense(g, {.units = 10});
//   };
//   Output trained = network(x, /*training=*/true);
//   Output tested = network(x, /*training=*/false);
//
// A table of words is a layer, too:
//
//   Output words = nn::Embedding(ids, {.vocabulary = 5000, .dimension = 64});
//
// Errors go to the builder of the input. A layer then returns an invalid
// Output, which the next layers accept, so that a program needs no checks in
// between.
//
// All layers have these attributes in common. `name` is the name of their
// scope; if it is empty, the kind of layer is used, with a number if necessary:
// "dense", "dense_1", ... `trainable` says whether an optimizer updates the
// variables by default. `data_format` says where the channels are: in the last
// axis ("NHWC") or in axis 1 ("NCHW").
#ifndef LEAT_TRAIN_NN_LAYERS_H_
#define LEAT_TRAIN_NN_LAYERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "leat/graph/builder/builder.h"
#include "leat/train/nn/activations.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/initializers.h"
#include "leat/train/nn/partitioned_variable.h"

namespace leat::nn {

// Describes a height and a width. One number stands for both.
struct Extent2 {
  int64_t height = 1;
  int64_t width = 1;

  constexpr Extent2(int64_t both) : height(both), width(both) {}  // NOLINT
  constexpr Extent2(int64_t h, int64_t w) : height(h), width(w) {}
};

// Holds the attributes of Dense.
struct DenseAttrs {
  // Is the extent of the result's last axis, > 0.
  int64_t units = 0;
  // Is the function that is applied to the result, or null for none.
  Activation activation = nullptr;
  bool use_bias = true;
  // Holds the initializers of the kernel [in, units] and of the bias [units].
  Initializer kernel_initializer = GlorotUniform();
  Initializer bias_initializer = Zeros();
  bool trainable = true;
  std::string name = {};
};
// Returns activation(x W + b). The kernel W multiplies the last axis of `x`.
// `x` has the shape [..., in], and the extent `in` must be known. The result
// has the shape [..., units].
Output Dense(Output x, DenseAttrs attrs,
             SourceLocation location = SourceLocation::Current());

// Holds the attributes of Conv2D.
struct Conv2DAttrs {
  // Is the number of channels of the result, > 0.
  int64_t filters = 0;
  // `kernel` is the height and width of the window. `strides` says by how many
  // elements the window moves in each direction.
  Extent2 kernel = 3;
  Extent2 strides = 1;
  // With "VALID", all windows lie inside of the input. With "SAME", zeros are
  // added around the input. If the strides are 1, the result then has the
  // extents of the input.
  std::string padding = "VALID";
  std::string data_format = "NHWC";
  // Is the distance between the input elements under neighbouring elements of
  // the kernel.
  Extent2 dilations = 1;
  // Is the function that is applied to the result, or null for none.
  Activation activation = nullptr;
  bool use_bias = true;
  Initializer kernel_initializer = GlorotUniform();
  Initializer bias_initializer = Zeros();
  bool trainable = true;
  std::string name = {};
};
// Returns a convolution of `x` with a kernel [height, width, in, filters]. `x`
// has the shape [batch, height, width, channels] ("NHWC") or [batch, channels,
// height, width] ("NCHW"), and its number of channels must be known. The result
// has `filters` channels.
Output Conv2D(Output x, Conv2DAttrs attrs,
              SourceLocation location = SourceLocation::Current());

// Holds the attributes of MaxPool and AvgPool.
struct Pool2DAttrs {
  // `size` is the height and width of a window. `strides` says by how many
  // elements the window moves. By default the window moves by its size, so
  // windows do not overlap.
  Extent2 size = 2;
  std::optional<Extent2> strides = {};
  std::string padding = "VALID";
  std::string data_format = "NHWC";
  std::string name = {};
};
// MaxPool returns the maximum of each window of `x`, and AvgPool returns the
// mean. `x` has four axes as in Conv2D.
Output MaxPool(Output x, Pool2DAttrs attrs = {},
               SourceLocation location = SourceLocation::Current());
Output AvgPool(Output x, Pool2DAttrs attrs = {},
               SourceLocation location = SourceLocation::Current());

// Returns `x` in the shape [batch, product of the other extents].
Output Flatten(Output x, SourceLocation location = SourceLocation::Current());

// Holds the attributes of Dropout.
struct DropoutAttrs {
  // Is the share of elements that become zero, in [0, 1).
  double rate = 0.5;
  // If false, the layer returns its input.
  bool training = true;
  // Is the seed of the op. If absent, GraphBuilder::OpSeeds decides.
  std::optional<int64_t> seed = {};
  std::string name = {};
};
// Sets a random share of the elements to zero, and multiplies the others by 1 /
// (1 - rate). Each step chooses different elements.
Output Dropout(Output x, DropoutAttrs attrs = {},
               SourceLocation location = SourceLocation::Current());

// Holds the attributes of BatchNormalization.
struct BatchNormalizationAttrs {
  // If true, the layer normalizes by the statistics of the batch, and adds an
  // update of the moving averages, which Minimize runs with the step. If false,
  // the layer normalizes by the moving averages.
  bool training = true;
  // The averages keep this share of their old values in each step.
  double momentum = 0.99;
  // Is a small number that is added to the variance before the division.
  double epsilon = 1e-3;
  std::string data_format = "NHWC";
  // Says whether an optimizer updates gamma (the scale) and beta (the shift).
  bool trainable = true;
  std::string name = {};
};
// Normalizes each channel and then scales and shifts it (Ioffe and Szegedy
// 2015). The channels are the last axis, or axis 1 for "NCHW"; their number
// must be known. "NCHW" needs float and four axes.
Output BatchNormalization(Output x, BatchNormalizationAttrs attrs = {},
                          SourceLocation location = SourceLocation::Current());

// Holds the attributes of Embedding.
struct EmbeddingAttrs {
  // Is the number of rows, > 0.
  int64_t vocabulary = 0;
  // Is the length of a row, > 0.
  int64_t dimension = 0;
  DType dtype = DType::kFloat;
  Initializer initializer = RandomUniform();
  // If empty, the table is one variable "embeddings". Otherwise the table is
  // cut along axis 0 into variables "embeddings/part_0", ...
  Partitioner partitioner = {};
  // Says which part has the row of an id.
  PartitionStrategy strategy = PartitionStrategy::kMod;
  bool trainable = true;
  std::string name = {};
};
// Returns the rows with the given ids from a table that is a variable of the
// layer. `ids` has the shape [...], and holds integers in [0, vocabulary). The
// result has the shape [..., dimension].
Output Embedding(Output ids, EmbeddingAttrs attrs,
                 SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_LAYERS_H_
