// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/einsum_equation.h"
#include "leat/graph/ops.h"

namespace leat::gradients::einsum {
namespace {

constexpr char kEllipsis = EinsumEquation::kEllipsis;

Output Einsum(std::vector<Output> inputs, std::vector<std::string> subscripts,
              std::string output) {
  const EinsumEquation equation = {std::move(subscripts), std::move(output)};
  return op::Einsum(inputs, equation.ToString());
}

// Returns the first axis with this label. It counts from the end if an ellipsis
// precedes it.
int AxisOf(const std::string& subscript, char label) {
  const size_t at = subscript.find(label);
  const bool is_behind = subscript.find(kEllipsis) < at;
  return static_cast<int>(at) -
         (is_behind ? static_cast<int>(subscript.size()) : 0);
}

// Returns the labels of `subscript` that are not in `others`, each once. They
// are those over which Einsum sums before it multiplies.
std::string SummedLabels(const std::string& subscript,
                         const std::string& others) {
  std::string summed;
  for (const char label : subscript) {
    if (label == kEllipsis || HasLabel(others, label)) continue;
    if (!HasLabel(summed, label)) summed.push_back(label);
  }
  return summed;
}

// Returns the gradient of `input`, where `gradient` is that of the sum over
// `summed`. The sum has the labels `kept`.
Output SpreadSum(Output gradient, const std::string& kept, Output input,
                 const std::string& subscript, const std::string& summed) {
  std::vector<Output> extents;
  const Output shape = ShapeOf(input);
  for (const char label : summed) {
    const int axis = AxisOf(subscript, label);
    extents.push_back(op::ExpandDims(shape.Slice({axis}), 0));
  }
  extents.push_back(ShapeOf(gradient));
  const Output spread = op::BroadcastTo(gradient, op::ConcatV2(extents, 0));
  return Einsum({spread}, {summed + kept}, subscript);
}

// Returns the gradient of input `i` of a product of two inputs, with the axes
// of the ellipsis that the product has.
Output ForFactor(GradientContext& c, int i, const EinsumEquation& equation) {
  const std::string& own = equation.inputs[static_cast<size_t>(i)];
  const std::string& other = equation.inputs[static_cast<size_t>(1 - i)];
  const std::string summed = SummedLabels(own, equation.output + other);
  std::string kept;
  for (const char label : own) {
    if (!HasLabel(summed, label)) kept.push_back(label);
  }
  const Output product =
      Einsum({c.grad(), c.input(1 - i)}, {equation.output, other}, kept);
  if (summed.empty()) return product;
  return SpreadSum(product, kept, c.input(i), own, summed);
}

// Returns the extents for which the ellipsis of `subscript` stands.
Output BroadcastExtents(Output input, const std::string& subscript) {
  const size_t before = subscript.find(kEllipsis);
  const auto behind = static_cast<int>(subscript.size() - before) - 1;
  const Output extents = ShapeOf(input).Slice({From(static_cast<int>(before))});
  return behind == 0 ? extents : extents.Slice({Until(-behind)});
}

// Returns true if the values of two vectors are known to be equal.
bool AreEqual(Output a, Output b) {
  const std::optional<Dims> a_values = ValuesOf(a);
  return a_values.has_value() && a_values == ValuesOf(b);
}

void ProductGrad(GradientContext& c, EinsumEquation equation) {
  const bool broadcasts = HasLabel(equation.output, kEllipsis);
  for (std::string& subscript : equation.inputs) {
    if (broadcasts && !HasLabel(subscript, kEllipsis)) subscript += kEllipsis;
  }
  for (const int i : {0, 1}) {
    if (!c.needs(i)) continue;
    const Output gradient = ForFactor(c, i, equation);
    if (!broadcasts) {
      c.set(i, gradient);
      continue;
    }
    // Sums over the axes of the ellipsis along which the input was stretched.
    const std::string& own = equation.inputs[static_cast<size_t>(i)];
    const Output other = BroadcastExtents(
        c.input(1 - i), equation.inputs[static_cast<size_t>(1 - i)]);
    const Output extents = BroadcastExtents(c.input(i), own);
    if (AreEqual(extents, other)) {
      c.set(i, gradient);
      continue;
    }
    const Output axes = op::BroadcastGradientArgs(extents, other).r0;
    const auto first = static_cast<int32_t>(own.find(kEllipsis));
    c.set(i, op::Reshape(op::Sum(gradient, op::AddV2(axes, first)),
                         ShapeOf(c.input(i))));
  }
}

void EinsumGrad(GradientContext& c) {
  const auto equation =
      ParseEinsumEquation(c.attr<std::string>("equation"), c.num_inputs());
  if (!equation.ok())
    return c.builder().Fail(equation.status(), SourceLocation::Current());
  if (c.num_inputs() == 2) return ProductGrad(c, *equation);
  const std::string& own = equation->inputs[0];
  const std::string summed = SummedLabels(own, equation->output);
  c.set(0, summed.empty() ? Einsum({c.grad()}, {equation->output}, own)
                          : SpreadSum(c.grad(), equation->output, c.input(0),
                                      own, summed));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Einsum", EinsumGrad);
}

}  // namespace leat::gradients::einsum
