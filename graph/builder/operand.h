// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Operand and OperandList are the arguments of op functions (ops.h): an op
// function takes an Operand for one tensor, and an OperandList for a list of
// tensors. Many C++ values convert to them:
//
//   op::Add(x, 1);                    // a number
//   op::MatMul(x, w);                 // a Variable stands for its value
//   op::Transpose(x, {1, 0, 2});      // a list of numbers is one tensor
//   op::Pad(x, {{1, 1}, {0, 0}});     // a list of lists is one tensor, too
//   op::Reshape(x, {batch, -1});      // a list with Outputs is one tensor, too
//   op::ConcatV2({x, h}, 1);          // a list of two tensors
//   op::ConcatV2({{batch}, {3}}, 0);  // also a list of two tensors, in braces
//
// A number or a list of numbers becomes a Const. A list with Outputs in it
// becomes a Pack. The Const or Pack is named after the node and the argument,
// such as "Reshape/shape". The open name and device scopes apply to it. The
// dtype of numbers follows from these rules. The first rule that applies
// decides:
//
// - The op specifies the dtype of the argument, as Switch does for `pred`.
// - The argument's dtype is an attr, such as T. An Output or a tensor decides
//   this attr if it is in the same list, or in an argument with the same attr.
// - The attr has a default dtype that can hold the numbers. Most arguments that
//   are axes, shapes or permutations have the default int32.
// - Integers become int32, or float where the op does not take int32. If there
//   is a fraction among the numbers that share the attr, they become float.
//   True and false become bool.
//
// Numbers that do not fit the dtype are an error that names the argument.
#ifndef LEAT_GRAPH_BUILDER_OPERAND_H_
#define LEAT_GRAPH_BUILDER_OPERAND_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/source_location.h"
#include "leat/core/tensor.h"
#include "leat/graph/builder/output.h"

namespace leat {

class Variable;  // builder.h

namespace internal {

// Is true for the C++ types of numbers: bool, integers and floating-point
// types.
template <class T>
concept Arithmetic = std::is_arithmetic_v<T>;

// Is true for C++ types that become string tensors.
template <class T>
concept Text = std::convertible_to<const T&, absl::string_view> &&
    !std::same_as<T, std::nullptr_t>;

// Is true for containers whose numbers are contiguous in memory, such as Dims
// or std::vector<int>.
template <class T>
concept ArithmeticArray =
    !Text<T> && Arithmetic<typename T::value_type> &&
    std::convertible_to<const T&, absl::Span<const typename T::value_type>>;

// Is true for containers whose Outputs are contiguous in memory.
template <class T>
concept OutputArray = std::convertible_to<const T&, absl::Span<const Output>>;

// Returns a tensor of the numbers. Its dtype is bool if T is bool. It is int64
// if T is an integer type and all numbers fit int64. Otherwise it is double.
template <Arithmetic T>
Tensor NumberTensor(const Shape& shape, absl::Span<const T> numbers);

}  // namespace internal

// An Operand is one tensor that an op takes: an Output, a variable, a tensor, a
// string, a number, or a list of these. A tensor becomes a Const of its own
// dtype. The top of this file describes what numbers and lists become.
//
// Each constructor records the place in the program that calls the constructor,
// for error messages. Operand is a value type.
class Operand {
 public:
  Operand(Output output,  // NOLINT: the conversion is the purpose
          SourceLocation location = SourceLocation::Current())
      : output_(output), location_(location) {}
  // Stands for the value of the variable.
  Operand(const Variable& variable,  // NOLINT
          SourceLocation location = SourceLocation::Current());
  template <internal::Arithmetic T>
  Operand(T value,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : number_(
            internal::NumberTensor<T>(Shape{}, absl::MakeConstSpan(&value, 1))),
        location_(location) {}
  Operand(Tensor value,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : tensor_(std::move(value)), location_(location) {}
  template <internal::Text T>
  Operand(const T& text,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : tensor_(
            Tensor::Scalar<std::string>(std::string(absl::string_view(text)))),
        location_(location) {}
  // Makes a vector of the numbers in a container.
  template <internal::ArithmeticArray T>
  Operand(const T& numbers,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : number_(internal::NumberTensor<typename T::value_type>(
            Shape{static_cast<int64_t>(numbers.size())}, numbers)),
        location_(location) {}
  // Makes a tensor that stacks the elements of the list, which must have the
  // same shape, along a new first dimension.
  Operand(std::initializer_list<Operand> list,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : Operand(std::vector<Operand>(list), location) {}
  explicit Operand(std::vector<Operand> list,
                   SourceLocation location = SourceLocation::Current());

  // Only one of output(), number(), tensor() and list() is set. output()
  // returns the Output, or an invalid Output if the operand is something else.
  const Output& output() const { return output_; }
  // Returns the number, or the tensor of the numbers in a list, as a tensor of
  // dtype bool, int64 or double. The Const that the builder makes of this
  // tensor may have another dtype.
  const std::optional<Tensor>& number() const { return number_; }
  // Returns the tensor. A string or a list of strings is a tensor, too.
  const std::optional<Tensor>& tensor() const { return tensor_; }
  // Returns the elements of a list that could not become one tensor. Such a
  // list contains Outputs or tensors other than strings, or its elements differ
  // in shape or kind (numbers, bools and strings). Returns an empty span for
  // any other operand.
  absl::Span<const Operand> list() const { return list_; }

  // Returns true if the operand is an Output, and not a number, a tensor or a
  // list.
  bool is_output() const {
    return !number_.has_value() && !tensor_.has_value() && list_.empty();
  }
  // Calls `visit` with the Output, or with every Output in the list.
  void VisitOutputs(absl::FunctionRef<void(const Output&)> visit) const;
  // Returns the builder of the first Output that has one, or null.
  GraphBuilder* builder() const;
  // Returns the place in the program where the operand was made.
  SourceLocation location() const { return location_; }

 private:
  Output output_;
  std::optional<Tensor> number_;
  std::optional<Tensor> tensor_;
  std::vector<Operand> list_;
  SourceLocation location_;
};

// An OperandList is the list of tensors that an op takes as one argument, such
// as the tensors that ConcatV2 joins. A program passes a list in braces or a
// container of Outputs. OperandList is a value type.
class OperandList {
 public:
  OperandList(std::initializer_list<Operand> list)  // NOLINT
      : operands_(list) {}
  template <internal::OutputArray T>
  OperandList(const T& outputs) {  // NOLINT
    const absl::Span<const Output> span = outputs;
    operands_.assign(span.begin(), span.end());
  }
  explicit OperandList(std::vector<Operand> operands)
      : operands_(std::move(operands)) {}

  size_t size() const { return operands_.size(); }
  const std::vector<Operand>& operands() const { return operands_; }

 private:
  std::vector<Operand> operands_;
};

// Add the nodes AddV2, Sub, Mul, RealDiv and Neg, with the names that
// TensorFlow's Python gives them: "add", "sub", "mul", "truediv" and "Neg". One
// of the operands must be an Output. C++ does not allow braces beside an
// operator, so write x + Operand({1, 2}).
Output operator+(Operand a, Operand b);
Output operator-(Operand a, Operand b);
Output operator*(Operand a, Operand b);
Output operator/(Operand a, Operand b);
Output operator-(Operand a);

// ---------------------------------------------------------------------------
// The rest of this file is implementation.

template <internal::Arithmetic T>
Tensor internal::NumberTensor(const Shape& shape, absl::Span<const T> numbers) {
  if constexpr (std::is_same_v<T, bool>) {
    return Tensor::FromSpan<bool>(shape, numbers);
  } else {
    // An unsigned number beyond int64 becomes a double, because it would be
    // negative as an int64. ConvertNumbers does not convert a double of this
    // size to an integer type.
    const auto fits = [](T number) {
      return std::is_integral_v<T> &&
             (std::is_signed_v<T> || static_cast<int64_t>(number) >= 0);
    };
    bool all_fit = true;
    for (const T number : numbers) all_fit = all_fit && fits(number);
    if (std::is_integral_v<T> && all_fit) {
      const std::vector<int64_t> values(numbers.begin(), numbers.end());
      return Tensor::FromSpan<int64_t>(shape, values);
    }
    const std::vector<double> values(numbers.begin(), numbers.end());
    return Tensor::FromSpan<double>(shape, values);
  }
}

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_OPERAND_H_
