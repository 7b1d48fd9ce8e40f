// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lists gradient cases of reductions, cumulative ops, matrix products and
// losses.
#include <utility>

#include "leat/graph/ops.h"
#include "leat/tests/train/gradient_cases.h"

namespace leat {

void AddReductions(std::vector<GradientCase>& cases) {
  using Reduce = std::function<Output(Output, Output, bool)>;
  const auto add = [&](const char* name, const Reduce& reduce) {
    const std::vector<std::vector<int32_t>> all_axes = {{0},    {1},       {-1},
                                                        {0, 2}, {0, 1, 2}, {}};
    for (const auto& axes : all_axes) {
      for (bool keep : {false, true}) {
        cases.push_back(
            {.op = name,
             .shapes = {Shape{2, 3, 4}},
             .build = [reduce, axes, keep](GraphBuilder& b, const Inputs& x) {
               const Shape shape{static_cast<int64_t>(axes.size())};
               const Output list =
                   b.Const(Tensor::FromSpan<int32_t>(shape, axes));
               return reduce(x[0], list, keep);
             }});
      }
    }
  };
  add("Sum", [](Output x, Output axes, bool keep) {
    return op::Sum(x, axes, {.keep_dims = keep});
  });
  add("Mean", [](Output x, Output axes, bool keep) {
    return op::Mean(x, axes, {.keep_dims = keep});
  });
  add("EuclideanNorm", [](Output x, Output axes, bool keep) {
    return op::EuclideanNorm(x, axes, {.keep_dims = keep});
  });
  add("Prod", [](Output x, Output axes, bool keep) {
    return op::Prod(x, axes, {.keep_dims = keep});
  });
  add("Max", [](Output x, Output axes, bool keep) {
    return op::Max(x, axes, {.keep_dims = keep});
  });
  add("Min", [](Output x, Output axes, bool keep) {
    return op::Min(x, axes, {.keep_dims = keep});
  });
  for (bool exclusive : {false, true}) {
    for (bool reverse : {false, true}) {
      cases.push_back(
          {.op = "Cumsum",
           .shapes = {Shape{2, 3}},
           .build = [exclusive, reverse](GraphBuilder&, const Inputs& x) {
             return op::Cumsum(x[0], 1,
                               {.exclusive = exclusive, .reverse = reverse});
           }});
      cases.push_back(
          {.op = "Cumprod",
           .shapes = {Shape{2, 3}},
           .build = [exclusive, reverse](GraphBuilder&, const Inputs& x) {
             return op::Cumprod(x[0], 1,
                                {.exclusive = exclusive, .reverse = reverse});
           }});
    }
  }
}

namespace {

void AddEinsum(std::vector<GradientCase>& cases, const char* equation,
               std::vector<Shape> shapes) {
  cases.push_back({.op = "Einsum",
                   .shapes = std::move(shapes),
                   .build = [equation](GraphBuilder&, const Inputs& x) {
                     return op::Einsum(x, equation);
                   }});
}

}  // namespace

void AddMatrices(std::vector<GradientCase>& cases) {
  AddEinsum(cases, "ij->ji", {Shape{2, 3}});
  AddEinsum(cases, "abcd->ac", {Shape{2, 3, 2, 2}});
  AddEinsum(cases, "aabbcd->ca", {Shape{2, 2, 3, 3, 2, 2}});
  AddEinsum(cases, "i...j->j...", {Shape{2, 3, 2}});
  AddEinsum(cases, "ij->jj", {Shape{2, 3}});
  AddEinsum(cases, "ij,jk->ki", {Shape{2, 3}, Shape{3, 4}});
  AddEinsum(cases, "abc,cd->ad", {Shape{2, 3, 2}, Shape{2, 2}});
  AddEinsum(cases, "aab,b->a", {Shape{2, 2, 3}, Shape{3}});
  AddEinsum(cases, "...ij,...jk->...ik", {Shape{2, 1, 2, 3}, Shape{3, 3, 2}});
  AddEinsum(cases, "ij...,jk->ik...", {Shape{2, 3, 2}, Shape{3, 2}});
  AddEinsum(cases, "i,...->...i", {Shape{2}, Shape{3, 2}});
  cases.push_back({.op = "Cross",
                   .shapes = {Shape{2, 3}, Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::Cross(x[0], x[1]);
                   }});
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      const Shape a = ta ? Shape{3, 2} : Shape{2, 3};
      const Shape b = tb ? Shape{4, 3} : Shape{3, 4};
      cases.push_back({.op = "MatMul",
                       .shapes = {a, b},
                       .build = [ta, tb](GraphBuilder&, const Inputs& x) {
                         return op::MatMul(
                             x[0], x[1],
                             {.transpose_a = ta, .transpose_b = tb});
                       }});
      const Shape batch_a = ta ? Shape{2, 1, 3, 2} : Shape{2, 1, 2, 3};
      const Shape batch_b = tb ? Shape{5, 4, 3} : Shape{5, 3, 4};
      cases.push_back({.op = "BatchMatMulV2",
                       .shapes = {batch_a, batch_b},
                       .build = [ta, tb](GraphBuilder&, const Inputs& x) {
                         return op::BatchMatMulV2(x[0], x[1],
                                                  {.adj_x = ta, .adj_y = tb});
                       }});
    }
  }
  cases.push_back({.op = "BiasAdd",
                   .shapes = {Shape{2, 3}, Shape{3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::BiasAdd(x[0], x[1]);
                   }});
  cases.push_back(
      {.op = "SoftmaxCrossEntropyWithLogits",
       .shapes = {Shape{2, 3}, Shape{2, 3}},
       .build = [](GraphBuilder&, const Inputs& x) {
         return op::SoftmaxCrossEntropyWithLogits(x[0], op::Softmax(x[1])).loss;
       }});
  cases.push_back({.op = "SparseSoftmaxCrossEntropyWithLogits",
                   .shapes = {Shape{2, 3}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::SparseSoftmaxCrossEntropyWithLogits(
                                x[0], Ints(b, {2, 0}))
                         .loss;
                   }});
}

}  // namespace leat
