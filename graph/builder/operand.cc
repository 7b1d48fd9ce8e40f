// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/operand.h"

#include <algorithm>

#include "leat/graph/builder/builder.h"

namespace leat {
namespace {

using OperandValue = const std::optional<Tensor>& (Operand::*)() const;

// Returns the shape of the tensor that stacks the values of `list` along a new
// first dimension. `value` is the member function that returns the value of an
// operand. Returns nothing if an operand does not have this value, or if the
// shapes of the values differ.
std::optional<Shape> StackedShape(const std::vector<Operand>& list,
                                  OperandValue value) {
  for (const Operand& operand : list) {
    const std::optional<Tensor>& tensor = (operand.*value)();
    if (!tensor.has_value()) return std::nullopt;
    if (tensor->shape() != (list[0].*value)()->shape()) return std::nullopt;
  }
  Dims dims = {static_cast<int64_t>(list.size())};
  if (!list.empty()) {
    const absl::Span<const int64_t> inner = (list[0].*value)()->shape().dims();
    dims.insert(dims.end(), inner.begin(), inner.end());
  }
  absl::StatusOr<Shape> shape = Shape::Create(dims);
  if (!shape.ok()) return std::nullopt;
  return *std::move(shape);
}

// Returns a tensor with the values of `list`, converted to T.
template <class T>
Tensor Stack(const std::vector<Operand>& list, const Shape& shape,
             OperandValue value) {
  std::vector<T> values;
  for (const Operand& operand : list) {
    const Tensor& tensor = *(operand.*value)();
    if constexpr (std::is_same_v<T, double>) {
      if (tensor.dtype() == DType::kInt64) {
        const auto integers = tensor.data<int64_t>();
        values.insert(values.end(), integers.begin(), integers.end());
        continue;
      }
    }
    values.insert(values.end(), tensor.data<T>().begin(),
                  tensor.data<T>().end());
  }
  Tensor stacked = Tensor::Filled<T>(shape, T());
  std::copy(values.begin(), values.end(), stacked.mutable_data<T>().begin());
  return stacked;
}

// Returns a list of numbers as one tensor. Returns nothing if the list has
// other elements, if shapes differ, or if numbers are mixed with bools.
std::optional<Tensor> StackNumbers(const std::vector<Operand>& list) {
  const std::optional<Shape> shape = StackedShape(list, &Operand::number);
  if (!shape.has_value()) return std::nullopt;
  const auto count = [&](DType dtype) {
    return static_cast<size_t>(
        std::count_if(list.begin(), list.end(), [&](const Operand& operand) {
          return operand.number()->dtype() == dtype;
        }));
  };
  const size_t bools = count(DType::kBool);
  if (bools != 0 && bools != list.size()) return std::nullopt;
  if (bools != 0) return Stack<bool>(list, *shape, &Operand::number);
  return count(DType::kDouble) == 0
             ? Stack<int64_t>(list, *shape, &Operand::number)
             : Stack<double>(list, *shape, &Operand::number);
}

// Returns a list of strings as one tensor. Returns nothing if the list has
// other elements or if shapes differ.
std::optional<Tensor> StackStrings(const std::vector<Operand>& list) {
  const std::optional<Shape> shape = StackedShape(list, &Operand::tensor);
  if (!shape.has_value()) return std::nullopt;
  for (const Operand& operand : list) {
    if (operand.tensor()->dtype() != DType::kString) return std::nullopt;
  }
  return Stack<std::string>(list, *shape, &Operand::tensor);
}

Output Binary(absl::string_view op, absl::string_view name, Operand a,
              Operand b) {
  const SourceLocation location =
      a.builder() != nullptr ? a.location() : b.location();
  return AddOp({.op = op,
                .inputs = {std::move(a), std::move(b)},
                .name = std::string(name),
                .location = location})
      .output(0);
}

}  // namespace

Operand::Operand(const Variable& variable, SourceLocation location)
    : Operand(variable.value(), location) {}

Operand::Operand(std::vector<Operand> list, SourceLocation location)
    : location_(location) {
  number_ = StackNumbers(list);
  if (!number_.has_value()) tensor_ = StackStrings(list);
  if (!number_.has_value() && !tensor_.has_value()) list_ = std::move(list);
}

void Operand::VisitOutputs(absl::FunctionRef<void(const Output&)> visit) const {
  if (is_output()) visit(output_);
  for (const Operand& operand : list_) operand.VisitOutputs(visit);
}

GraphBuilder* Operand::builder() const {
  GraphBuilder* first = nullptr;
  VisitOutputs([&](const Output& output) {
    if (first == nullptr) first = output.builder();
  });
  return first;
}

Output operator+(Operand a, Operand b) {
  return Binary("AddV2", "add", std::move(a), std::move(b));
}
Output operator-(Operand a, Operand b) {
  return Binary("Sub", "sub", std::move(a), std::move(b));
}
Output operator*(Operand a, Operand b) {
  return Binary("Mul", "mul", std::move(a), std::move(b));
}
Output operator/(Operand a, Operand b) {
  return Binary("RealDiv", "truediv", std::move(a), std::move(b));
}
Output operator-(Operand a) {
  const SourceLocation location = a.location();
  return AddOp({.op = "Neg", .inputs = {std::move(a)}, .location = location})
      .output(0);
}

}  // namespace leat
