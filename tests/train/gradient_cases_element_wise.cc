// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lists gradient cases of element-wise ops, with and without broadcasting.
#include <utility>

#include "leat/graph/ops.h"
#include "leat/tests/train/gradient_cases.h"

namespace leat {
namespace {

using Unary = Output (*)(Operand, SourceLocation);
GradientCase Element(std::string op, Unary function, double low, double high) {
  return {.op = std::move(op),
          .shapes = {Shape{2, 3}},
          .build =
              [function](GraphBuilder&, const Inputs& x) {
                return function(x[0], SourceLocation{});
              },
          .low = low,
          .high = high};
}

// Adds one case without broadcasting, and two cases with broadcasting.
void AddBinary(std::vector<GradientCase>& cases, const std::string& op,
               std::function<Output(Output, Output)> function, double low,
               double high) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {Shape{2, 3}, Shape{2, 3}},
      {Shape{2, 1, 3}, Shape{4, 1}},
      {Shape{}, Shape{2, 3}}};
  for (const auto& pair : shapes) {
    cases.push_back(
        {.op = op,
         .shapes = {pair.first, pair.second},
         .build = [function](GraphBuilder&,
                             const Inputs& x) { return function(x[0], x[1]); },
         .low = low,
         .high = high});
  }
}

}  // namespace

void AddElementWise(std::vector<GradientCase>& cases) {
  const auto square = [](Operand x, SourceLocation l) {
    return op::Square(x, l);
  };
  cases.push_back(Element("Square", square, -2, 2));
  cases.push_back(Element("Neg", op::Neg, -2, 2));
  cases.push_back(Element("Sqrt", op::Sqrt, 0.5, 3));
  cases.push_back(Element("Rsqrt", op::Rsqrt, 0.5, 3));
  cases.push_back(Element("Exp", op::Exp, -2, 2));
  cases.push_back(Element("Log", op::Log, 0.5, 3));
  cases.push_back(Element("Log1p", op::Log1p, -0.5, 3));
  cases.push_back(Element("Abs", op::Abs, -2, 2));
  cases.push_back(Element("Sign", op::Sign, -2, 2));
  cases.push_back(Element("Reciprocal", op::Reciprocal, 0.5, 3));
  cases.push_back(Element("Sin", op::Sin, -2, 2));
  cases.push_back(Element("Cos", op::Cos, -2, 2));
  cases.push_back(Element("Tan", op::Tan, -1, 1));
  cases.push_back(Element("Asin", op::Asin, -0.8, 0.8));
  cases.push_back(Element("Acos", op::Acos, -0.8, 0.8));
  cases.push_back(Element("Atan", op::Atan, -2, 2));
  cases.push_back(Element("Sinh", op::Sinh, -2, 2));
  cases.push_back(Element("Cosh", op::Cosh, -2, 2));
  cases.push_back(Element("Asinh", op::Asinh, -2, 2));
  cases.push_back(Element("Acosh", op::Acosh, 1.2, 3));
  cases.push_back(Element("Atanh", op::Atanh, -0.8, 0.8));
  cases.push_back(Element("Expm1", op::Expm1, -2, 2));
  cases.push_back(Element("Erf", op::Erf, -2, 2));
  cases.push_back(Element("Erfc", op::Erfc, -2, 2));
  cases.push_back(Element("Inv", op::Inv, 0.5, 3));
  cases.push_back(Element("Selu", op::Selu, -2, 2));
  cases.push_back(Element("Softsign", op::Softsign, -2, 2));
  cases.push_back(Element("Sigmoid", op::Sigmoid, -2, 2));
  cases.push_back(Element("Tanh", op::Tanh, -2, 2));
  cases.push_back(Element("Relu", op::Relu, -2, 2));
  cases.push_back(Element("Relu6", op::Relu6, 4, 8));
  cases.push_back(Element("Elu", op::Elu, -2, 2));
  cases.push_back(Element("Softplus", op::Softplus, -2, 2));
  cases.push_back(Element("Softmax", op::Softmax, -2, 2));
  cases.push_back(Element("LogSoftmax", op::LogSoftmax, -2, 2));
  cases.push_back(Element("L2Loss", op::L2Loss, -2, 2));
  cases.push_back(Element("Identity", op::Identity, -2, 2));
  cases.push_back({.op = "LeakyRelu",
                   .shapes = {Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::LeakyRelu(x[0], {.alpha = 0.3f});
                   }});
  cases.push_back({.op = "CheckNumerics",
                   .shapes = {Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::CheckNumerics(x[0], "x");
                   }});
  cases.push_back({.op = "PlaceholderWithDefault",
                   .shapes = {Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::PlaceholderWithDefault(x[0], PartialShape());
                   }});
  cases.push_back(
      {.op = "Cast",
       .shapes = {Shape{2, 3}},
       .build = [](GraphBuilder&,
                   const Inputs& x) { return op::Cast(x[0], DType::kDouble); },
       .single = true});
  cases.push_back({.op = "IdentityN",
                   .shapes = {Shape{2, 3}, Shape{3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     const auto copies = op::IdentityN(x);
                     return copies[0] * copies[1];
                   }});
  cases.push_back({.op = "AddN",
                   .shapes = {Shape{2, 3}, Shape{2, 3}},
                   .build = [](GraphBuilder&, const Inputs& x) {
                     return op::Sin(op::AddN({x[0], x[1], x[0]}));
                   }});
}

void AddBinaryMath(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name,
                       Output (*f)(Operand, Operand, SourceLocation),
                       double low = -1.5, double high = 1.5) {
    AddBinary(
        cases, name,
        [f](Output x, Output y) { return f(x, y, SourceLocation{}); }, low,
        high);
  };
  add("Add", op::Add);
  add("AddV2", op::AddV2);
  add("Sub", op::Sub);
  add("Mul", op::Mul);
  add("Div", op::Div, 0.5, 2);
  add("RealDiv", op::RealDiv, 0.5, 2);
  add("DivNoNan", op::DivNoNan, 0.5, 2);
  add("FloorMod", op::FloorMod, 0.5, 2);
  add("Maximum", op::Maximum);
  add("Minimum", op::Minimum);
  add("SquaredDifference", op::SquaredDifference);
  add("Pow", op::Pow, 0.5, 2);
  add("Atan2", op::Atan2, 0.5, 2);
  add("MulNoNan", op::MulNoNan);
  add("Xdivy", op::Xdivy, 0.5, 2);
  add("Xlogy", op::Xlogy, 0.5, 2);
  add("Xlog1py", op::Xlog1py, 0.5, 2);
  add("NextAfter", op::NextAfter, 0.5, 2);
  for (const Shape& bounds : {Shape{}, Shape{2, 3}}) {
    cases.push_back({.op = "ClipByValue",
                     .shapes = {Shape{2, 3}, bounds, bounds},
                     .build = [](GraphBuilder&, const Inputs& x) {
                       // The lower bound stays below the upper one.
                       return op::ClipByValue(x[0], x[1] * 0.25f - 1,
                                              x[2] * 0.25f + 1);
                     }});
  }
  AddBinary(
      cases, "SelectV2",
      [](Output x, Output y) {
        const Output condition =
            x.builder()->Const(Tensor::Vector<bool>({true, false, true}));
        return op::SelectV2(condition, op::Sin(x), op::Cos(y));
      },
      -1.5, 1.5);
  cases.push_back({.op = "Select",
                   .shapes = {Shape{2, 3}, Shape{2, 3}},
                   .build = [](GraphBuilder& b, const Inputs& x) {
                     return op::Select(Vec<bool>(b, {true, false}), x[0], x[1]);
                   }});
}

}  // namespace leat
