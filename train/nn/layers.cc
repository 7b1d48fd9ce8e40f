// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/layers.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::nn {
namespace {

Output Fail(GraphBuilder& b, absl::string_view layer, absl::string_view what,
            SourceLocation location) {
  b.Fail(absl::InvalidArgumentError(
             absl::StrCat("layer '", b.name_prefix(), layer, "' ", what)),
         location);
  return Output(Operation(&b, kNoNode), 0);
}

// Returns the given name, or a new one for this kind of layer.
std::string NameOf(GraphBuilder& b, const std::string& name,
                   absl::string_view kind) {
  return name.empty() ? b.LayerName(kind) : name;
}

// Returns a window's extents in the order of the data format.
std::vector<int64_t> Windows(Extent2 extent, absl::string_view data_format) {
  if (data_format == "NCHW") return {1, 1, extent.height, extent.width};
  return {1, extent.height, extent.width, 1};
}

// Returns the extent of the last axis (of axis 1 for "NCHW"), or -1 if it is
// not known.
int64_t Channels(const PartialShape& shape, absl::string_view data_format) {
  if (!shape.rank_known() || shape.rank() < 2) return -1;
  return shape.dim(data_format == "NCHW" ? 1 : shape.rank() - 1);
}

// Returns a variable of the layer. It is invalid after an error.
leat::Variable Weights(GraphBuilder& b, absl::string_view name, DType dtype,
                       absl::Span<const int64_t> dims,
                       const Initializer& initializer, bool trainable,
                       SourceLocation location) {
  const absl::StatusOr<Shape> shape = Shape::Create(dims);
  if (!shape.ok() || initializer == nullptr) {
    b.Fail(absl::InvalidArgumentError(absl::StrCat(
               "variable '", b.name_prefix(), name, "' ",
               shape.ok() ? "has no initializer"
                          : absl::StrCat("cannot be made: ",
                                         shape.status().message()))),
           location);
    return {};
  }
  return b.GetVariable(
      name, dtype, *shape,
      [&] { return initializer(b, *shape, dtype, *shape); },
      {.trainable = trainable}, location);
}

Output Activate(GraphBuilder& b, const Activation& activation, Output y,
                SourceLocation location) {
  if (activation == nullptr) return y;
  const Output activated = activation(y);
  if (activated.builder() == nullptr) {
    b.Fail(absl::InvalidArgumentError(
               absl::StrCat("the activation of layer '", b.name_prefix(),
                            "' gives an output of no node")),
           location);
    return Output(Operation(&b, kNoNode), 0);
  }
  return activated;
}

// Returns `x` as a matrix with the same last axis.
Output AsMatrix(Output x, int64_t columns, SourceLocation location) {
  return op::Reshape(x, {-1, columns}, location);
}

// Returns `matrix` in the shape of `x`, but with `columns` elements in the last
// axis.
Output LikeRowsOf(Output matrix, Output x, int64_t columns,
                  SourceLocation location) {
  const PartialShape shape = x.shape();
  Dims dims(shape.dims().begin(), shape.dims().end());
  dims.back() = columns;
  int unknown = 0;
  for (int64_t dim : dims) unknown += dim == PartialShape::kUnknown;
  if (unknown <= 1) {
    return op::Reshape(matrix, dims, location);
  }
  const Output rows = op::Shape(x, {}, location).Slice({Until(-1)}, location);
  const Output result_shape = op::ConcatV2({rows, {columns}}, 0);
  return op::Reshape(matrix, result_shape, location);
}

}  // namespace

Output Dense(Output x, DenseAttrs attrs, SourceLocation location) {
  GraphBuilder* b = x.builder();
  if (b == nullptr || !x.IsValid()) return x;
  const Scope site = b->CallSite(location);
  const std::string name = NameOf(*b, attrs.name, "dense");
  const PartialShape shape = x.shape();
  const int64_t in = Channels(shape, "");
  if (in < 0 || attrs.units <= 0) {
    return Fail(*b, name,
                absl::StrCat("(Dense) needs units > 0, got ", attrs.units,
                             ", and an input whose last extent is known, got ",
                             shape.DebugString()),
                location);
  }
  Scope scope = b->VariableScope(name, location);
  const Output kernel =
      Weights(*b, "kernel", x.dtype(), {in, attrs.units},
              attrs.kernel_initializer, attrs.trainable, location)
          .value();
  const bool is_matrix = shape.rank() == 2;
  const Output rows = is_matrix ? x : AsMatrix(x, in, location);
  Output y = op::MatMul(rows, kernel, {}, location);
  if (attrs.use_bias) {
    const Output bias =
        Weights(*b, "bias", x.dtype(), {attrs.units}, attrs.bias_initializer,
                attrs.trainable, location)
            .value();
    y = op::BiasAdd(y, bias, {}, location);
  }
  if (!is_matrix) y = LikeRowsOf(y, x, attrs.units, location);
  return Activate(*b, attrs.activation, y, location);
}

Output Conv2D(Output x, Conv2DAttrs attrs, SourceLocation location) {
  GraphBuilder* b = x.builder();
  if (b == nullptr || !x.IsValid()) return x;
  const Scope site = b->CallSite(location);
  const std::string name = NameOf(*b, attrs.name, "conv2d");
  const int64_t in = Channels(x.shape(), attrs.data_format);
  if (in <= 0 || attrs.filters <= 0 || attrs.kernel.height <= 0 ||
      attrs.kernel.width <= 0) {
    return Fail(*b, name,
                absl::StrCat("(Conv2D) needs filters > 0, got ", attrs.filters,
                             ", a kernel > 0, and an input whose channels are "
                             "known, got ",
                             x.shape().DebugString()),
                location);
  }
  Scope scope = b->VariableScope(name, location);
  const Output kernel =
      Weights(*b, "kernel", x.dtype(),
              {attrs.kernel.height, attrs.kernel.width, in, attrs.filters},
              attrs.kernel_initializer, attrs.trainable, location)
          .value();
  Output y = op::Conv2D(
      x, kernel, Windows(attrs.strides, attrs.data_format), attrs.padding,
      {.data_format = attrs.data_format,
       .dilations = Windows(attrs.dilations, attrs.data_format)},
      location);
  if (attrs.use_bias) {
    const Output bias =
        Weights(*b, "bias", x.dtype(), {attrs.filters}, attrs.bias_initializer,
                attrs.trainable, location)
            .value();
    y = op::BiasAdd(y, bias, {.data_format = attrs.data_format}, location);
  }
  return Activate(*b, attrs.activation, y, location);
}

Output MaxPool(Output x, Pool2DAttrs attrs, SourceLocation location) {
  GraphBuilder* b = x.builder();
  if (b == nullptr || !x.IsValid()) return x;
  const Scope site = b->CallSite(location);
  Scope scope =
      b->NameScope(attrs.name.empty() ? "max_pooling2d" : attrs.name, location);
  const Extent2 strides = attrs.strides.value_or(attrs.size);
  return op::MaxPool(x, Windows(attrs.size, attrs.data_format),
                     Windows(strides, attrs.data_format), attrs.padding,
                     {.data_format = attrs.data_format}, location);
}

Output AvgPool(Output x, Pool2DAttrs attrs, SourceLocation location) {
  GraphBuilder* b = x.builder();
  if (b == nullptr || !x.IsValid()) return x;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope(
      attrs.name.empty() ? "average_pooling2d" : attrs.name, location);
  const Extent2 strides = attrs.strides.value_or(attrs.size);
  return op::AvgPool(x, Windows(attrs.size, attrs.data_format),
                     Windows(strides, attrs.data_format), attrs.padding,
                     {.data_format = attrs.data_format}, location);
}

Output Flatten(Output x, SourceLocation location) {
  GraphBuilder* b = x.builder();
  if (b == nullptr || !x.IsValid()) return x;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope("flatten", location);
  const PartialShape shape = x.shape();
  absl::StatusOr<int64_t> rest = 1;
  bool known = shape.rank_known() && shape.rank() > 0;
  for (int i = 1; known && i < shape.rank(); ++i) {
    known = shape.dim_known(i) && rest.ok();
    if (known) rest = CheckedMultiply(*rest, shape.dim(i));
  }
  if (known && rest.ok() && *rest > 0) {
    return AsMatrix(x, *rest, location);
  }
  const Output rows = op::Shape(x, {}, location).Slice({Until(1)}, location);
  return op::Reshape(x, op::ConcatV2({rows, {-1}}, 0), location);
}

Output Dropout(Output x, DropoutAttrs attrs, SourceLocation location) {
  GraphBuilder* b = x.builder();
  if (b == nullptr || !x.IsValid() || !attrs.training || attrs.rate == 0) {
    return x;
  }
  const Scope site = b->CallSite(location);
  const std::string name = attrs.name.empty() ? "dropout" : attrs.name;
  if (!(attrs.rate > 0 && attrs.rate < 1)) {
    return Fail(
        *b, name,
        absl::StrCat("(Dropout) needs a rate in [0, 1), got ", attrs.rate),
        location);
  }
  Scope scope = b->NameScope(name, location);
  const Output scaled = x * (1.0 / (1.0 - attrs.rate));
  const Output shape = gradients::ShapeOf(x);
  const std::pair<int64_t, int64_t> seeds = b->OpSeeds(attrs.seed);
  const Output random = op::RandomUniform(
      shape, x.dtype(), {.seed = seeds.first, .seed2 = seeds.second}, location);
  return op::SelectV2(op::GreaterEqual(random, attrs.rate, location), scaled,
                      0.0, location);
}

Output Embedding(Output ids, EmbeddingAttrs attrs, SourceLocation location) {
  GraphBuilder* b = ids.builder();
  if (b == nullptr || !ids.IsValid()) return ids;
  const Scope site = b->CallSite(location);
  const std::string name = NameOf(*b, attrs.name, "embedding");
  if (attrs.vocabulary <= 0 || attrs.dimension <= 0) {
    return Fail(*b, name,
                absl::StrCat("(Embedding) needs vocabulary and dimension > 0, "
                             "got ",
                             attrs.vocabulary, " and ", attrs.dimension),
                location);
  }
  Scope scope = b->VariableScope(name, location);
  const absl::StatusOr<Shape> shape =
      Shape::Create({attrs.vocabulary, attrs.dimension});
  std::vector<leat::Variable> parts;
  if (attrs.partitioner == nullptr || !shape.ok()) {
    parts = {Weights(*b, "embeddings", attrs.dtype,
                     {attrs.vocabulary, attrs.dimension}, attrs.initializer,
                     attrs.trainable, location)};
  } else {
    const PartitionedVariable table = GetPartitionedVariable(
        *b, "embeddings", attrs.dtype, *shape, attrs.partitioner,
        attrs.initializer, {.trainable = attrs.trainable}, location);
    if (table.axis() != 0) {
      return Fail(*b, name,
                  absl::StrCat("(Embedding) is cut along axis ", table.axis(),
                               "; only axis 0 is possible"),
                  location);
    }
    parts.assign(table.parts().begin(), table.parts().end());
  }
  return EmbeddingLookup(parts, ids, {.strategy = attrs.strategy}, location);
}

}  // namespace leat::nn
