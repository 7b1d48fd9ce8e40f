// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lists gradient cases of convolution, pooling, normalization and LSTMs.
#include <functional>
#include <utility>

#include "leat/graph/ops.h"
#include "leat/tests/train/gradient_cases.h"

namespace leat {
namespace {

using Ints64 = std::vector<int64_t>;

// Adds the gradients of convolutions of volumes and of their gradients.
void AddConvolutions3D(std::vector<GradientCase>& cases) {
  cases.push_back({.op = "Conv3D",
                   .shapes = {Shape{1, 3, 4, 3, 2}, Shape{2, 2, 1, 2, 2}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::Conv3D(x[0], x[1], {1, 1, 2, 1, 1}, "SAME");
                   }});
  cases.push_back({.op = "Conv3DBackpropInputV2",
                   .shapes = {Shape{2, 2, 1, 2, 2}, Shape{1, 2, 3, 3, 2}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::Conv3DBackpropInputV2(Ints(b, {1, 3, 4, 3, 2}),
                                                      x[0], x[1],
                                                      {1, 1, 1, 1, 1}, "VALID");
                   }});
  cases.push_back({.op = "Conv3DBackpropFilterV2",
                   .shapes = {Shape{1, 3, 4, 3, 2}, Shape{1, 2, 3, 3, 2}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::Conv3DBackpropFilterV2(
                         x[0], Ints(b, {2, 2, 1, 2, 2}), x[1], {1, 1, 1, 1, 1},
                         "VALID");
                   }});
}

// Adds the gradients of pooling of volumes and of its gradients.
void AddPooling3D(std::vector<GradientCase>& cases) {
  const Ints64 window = {1, 2, 2, 2, 1}, strides = {1, 1, 2, 2, 1};
  const auto add = [&](const char* op, std::vector<Shape> shapes,
                       std::function<Output(GraphBuilder&, const Inputs&)> f) {
    cases.push_back({.op = op,
                     .shapes = std::move(shapes),
                     .build = std::move(f),
                     .low = -5,
                     .high = 5,
                     .single = true});
  };
  const Shape volume = {1, 3, 4, 3, 1}, pooled = {1, 3, 2, 2, 1};
  // The volume whose maxima are found is a constant.
  const auto constant = [volume](GraphBuilder& b) {
    std::vector<float> values;
    for (int i = 0; i < volume.num_elements(); ++i) {
      values.push_back(static_cast<float>(i * 7 % 37));
    }
    return b.Const(Tensor::FromSpan<float>(volume, values));
  };
  add("MaxPool3D", {volume}, [=](GraphBuilder&, const Inputs& x) {
    return op::MaxPool3D(x[0], window, strides, "SAME");
  });
  add("AvgPool3D", {volume}, [=](GraphBuilder&, const Inputs& x) {
    return op::AvgPool3D(x[0], window, strides, "SAME");
  });
  add("AvgPool3DGrad", {pooled}, [=](GraphBuilder& b, const Inputs& x) {
    return op::AvgPool3DGrad(Ints(b, {1, 3, 4, 3, 1}), x[0], window, strides,
                             "SAME");
  });
  add("MaxPool3DGrad", {pooled}, [=](GraphBuilder& b, const Inputs& x) {
    const Output input = constant(b);
    const Output maxima = op::MaxPool3D(input, window, strides, "SAME");
    return op::MaxPool3DGrad(input, maxima, x[0], window, strides, "SAME");
  });
  add("MaxPool3DGradGrad", {volume}, [=](GraphBuilder& b, const Inputs& x) {
    const Output input = constant(b);
    const Output maxima = op::MaxPool3D(input, window, strides, "SAME");
    return op::MaxPool3DGradGrad(input, maxima, x[0], window, strides, "SAME");
  });
}

// Adds the gradients of LSTMs. The loss depends on the last outputs and cells.
void AddLstms(std::vector<GradientCase>& cases) {
  const std::vector<Shape> shapes = {Shape{3, 2, 2}, Shape{2, 2}, Shape{2, 2},
                                     Shape{4, 8},    Shape{2},    Shape{2},
                                     Shape{2},       Shape{8}};
  for (const bool peephole : {false, true}) {
    const auto add = [&](const char* op, auto build) {
      cases.push_back({.op = op,
                       .shapes = shapes,
                       .build =
                           [build](GraphBuilder& b, const Inputs& x) {
                             const auto states =
                                 build(b.Const(Tensor::Scalar<int64_t>(2)), x);
                             return op::ConcatV2({states.h, states.cs}, 0);
                           },
                       .single = true});
    };
    add("BlockLSTM", [peephole](Output steps, const Inputs& x) {
      return op::BlockLSTM(steps, x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                           x[7],
                           {.cell_clip = -1.0f, .use_peephole = peephole});
    });
    add("BlockLSTMV2", [peephole](Output steps, const Inputs& x) {
      return op::BlockLSTMV2(steps, x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                             x[7], {.use_peephole = peephole});
    });
  }
}

}  // namespace

void AddImages(std::vector<GradientCase>& cases) {
  AddConvolutions3D(cases);
  AddPooling3D(cases);
  AddLstms(cases);
  for (const char* padding : {"SAME", "VALID"}) {
    for (int64_t stride : {1, 2}) {
      const std::string p = padding;
      const std::vector<int64_t> strides = {1, stride, stride, 1};
      cases.push_back({.op = "Conv2D",
                       .shapes = {Shape{2, 5, 4, 2}, Shape{3, 2, 2, 3}},
                       .build = [p, strides](GraphBuilder&, const Inputs& x) {
                         return op::Conv2D(x[0], x[1], strides, p);
                       }});
      cases.push_back({.op = "MaxPool",
                       .shapes = {Shape{2, 5, 4, 2}},
                       .build =
                           [p, strides](GraphBuilder&, const Inputs& x) {
                             return op::MaxPool(x[0], {1, 2, 2, 1}, strides, p);
                           },
                       .low = -5,
                       .high = 5});
      cases.push_back({.op = "AvgPool",
                       .shapes = {Shape{2, 5, 4, 2}},
                       .build = [p, strides](GraphBuilder&, const Inputs& x) {
                         return op::AvgPool(x[0], {1, 2, 2, 1}, strides, p);
                       }});
    }
  }
  cases.push_back({.op = "Conv2DBackpropInput",
                   .shapes = {Shape{3, 2, 2, 3}, Shape{2, 3, 3, 3}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::Conv2DBackpropInput(Ints(b, {2, 5, 4, 2}), x[0],
                                                    x[1], {1, 1, 1, 1},
                                                    "VALID");
                   }});
  for (bool training : {true, false}) {
    cases.push_back(
        {.op = "FusedBatchNormV3",
         .shapes = {Shape{3, 2, 2, 2}, Shape{2}, Shape{2}},
         .build =
             [training](GraphBuilder& b, const Inputs& x) {
               const Output mean =
                   training ? b.Const(Tensor::Filled<float>(Shape{0}, 0.0f))
                            : Vec<float>(b, {0.1f, -0.2f});
               const Output variance =
                   training ? mean : Vec<float>(b, {1.5f, 0.8f});
               return op::FusedBatchNormV3(
                          x[0], x[1], x[2], mean, variance,
                          {.epsilon = 0.01f, .is_training = training})
                   .y;
             },
         .single = true});
  }
  for (const bool nchw : {true, false}) {
    cases.push_back(
        {.op = "DepthwiseConv2dNative",
         .shapes = {nchw ? Shape{2, 2, 5, 6} : Shape{2, 5, 6, 2},
                    Shape{2, 3, 2, 3}},
         .build =
             [nchw](GraphBuilder&, const Inputs& x) {
               const std::vector<int64_t> two = {1, nchw ? 1 : 2, 2,
                                                 nchw ? 2 : 1};
               return op::DepthwiseConv2dNative(
                   x[0], x[1], {1, 1, 1, 1}, "SAME",
                   {.data_format = nchw ? "NCHW" : "NHWC", .dilations = two});
             },
         .single = true});
  }
  cases.push_back({.op = "DepthwiseConv2dNativeBackpropInput",
                   .shapes = {Shape{2, 3, 2, 3}, Shape{2, 3, 3, 6}},
                   .build =
                       [](GraphBuilder& b, const Inputs& x) {
                         return op::DepthwiseConv2dNativeBackpropInput(
                             Vec<int32_t>(b, {2, 5, 6, 2}), x[0], x[1],
                             {1, 2, 2, 1}, "SAME");
                       },
                   .single = true});
  cases.push_back({.op = "DepthwiseConv2dNativeBackpropFilter",
                   .shapes = {Shape{2, 5, 6, 2}, Shape{2, 3, 3, 6}},
                   .build =
                       [](GraphBuilder& b, const Inputs& x) {
                         return op::DepthwiseConv2dNativeBackpropFilter(
                             x[0], Vec<int32_t>(b, {2, 3, 2, 3}), x[1],
                             {1, 2, 2, 1}, "SAME");
                       },
                   .single = true});
  cases.push_back({.op = "MaxPoolV2",
                   .shapes = {Shape{2, 5, 4, 2}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::MaxPoolV2(x[0], Vec<int32_t>(b, {1, 3, 2, 1}),
                                          Vec<int32_t>(b, {1, 2, 2, 1}),
                                          "VALID");
                   }});
  cases.push_back({.op = "MaxPoolWithArgmax",
                   .shapes = {Shape{2, 5, 4, 2}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::MaxPoolWithArgmax(x[0], {1, 3, 2, 1},
                                                  {1, 2, 2, 1}, "SAME")
                         .output;
                   }});
  for (const bool centers : {true, false}) {
    cases.push_back({.op = "ResizeNearestNeighbor",
                     .shapes = {Shape{2, 3, 4, 2}},
                     .build = [centers](GraphBuilder& b, const Inputs& x) {
                       return op::ResizeNearestNeighbor(
                           x[0], Vec<int32_t>(b, {5, 3}),
                           {.half_pixel_centers = centers});
                     }});
    cases.push_back({.op = "ResizeBilinear",
                     .shapes = {Shape{2, 3, 4, 2}},
                     .build =
                         [centers](GraphBuilder& b, const Inputs& x) {
                           return op::ResizeBilinear(
                               x[0], Vec<int32_t>(b, {5, 3}),
                               {.half_pixel_centers = centers});
                         },
                     .single = true});
  }
  for (const bool first : {true, false}) {
    cases.push_back({.op = first ? "FusedBatchNorm" : "FusedBatchNormV2",
                     .shapes = {Shape{3, 2, 2, 2}, Shape{2}, Shape{2}},
                     .build =
                         [first](GraphBuilder& b, const Inputs& x) {
                           const Output none =
                               b.Const(Tensor::Filled<float>(Shape{0}, 0.0f));
                           if (first) {
                             return op::FusedBatchNorm(x[0], x[1], x[2], none,
                                                       none, {.epsilon = 0.01f})
                                 .y;
                           }
                           return op::FusedBatchNormV2(x[0], x[1], x[2], none,
                                                       none, {.epsilon = 0.01f})
                               .y;
                         },
                     .single = true});
  }
  cases.push_back({.op = "LRN",
                   .shapes = {Shape{1, 2, 2, 5}},
                   .build =
                       [](GraphBuilder&, const Inputs& x) {
                         return op::LRN(x[0], {.depth_radius = 2});
                       },
                   .single = true});
}

}  // namespace leat
