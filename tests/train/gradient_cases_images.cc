// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lists gradient cases of convolution, pooling and normalization.
#include "leat/graph/ops.h"
#include "leat/tests/train/gradient_cases.h"

namespace leat {

void AddImages(std::vector<GradientCase>& cases) {
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
