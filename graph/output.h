// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Output, Operation, Operand: handles to what a GraphBuilder has built, the
// values that a user's program passes around. Cheap to copy; borrowed from the
// builder, which must outlive them. A default-constructed handle, or one that
// comes after an error, may be passed on: the error stays with the builder.
#ifndef LEAT_GRAPH_OUTPUT_H_
#define LEAT_GRAPH_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "leat/core/source_location.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"

namespace leat {

class GraphBuilder;
class Output;

// A node.
class Operation {
 public:
  Operation() = default;
  Operation(GraphBuilder* builder, NodeId id) : builder_(builder), id_(id) {}

  GraphBuilder* builder() const { return builder_; }
  NodeId id() const { return id_; }
  bool IsValid() const { return builder_ != nullptr && id_ != kNoNode; }

  // These give empty or invalid values for an invalid operation.
  std::string name() const;
  std::string op() const;
  int num_inputs() const;
  int num_outputs() const;
  Output input(int i) const;
  Output output(int i) const;
  // An error sticks to the builder and gives T{} when the attr is absent.
  template <class T>
  T attr(absl::string_view name,
         SourceLocation location = SourceLocation::Current()) const;

  friend bool operator==(const Operation&, const Operation&) = default;

 private:
  GraphBuilder* builder_ = nullptr;
  NodeId id_ = kNoNode;
};

// One output of a node.
class Output {
 public:
  Output() = default;
  Output(Operation operation, int index)
      : operation_(operation), index_(index) {}

  const Operation& operation() const { return operation_; }
  GraphBuilder* builder() const { return operation_.builder(); }
  int index() const { return index_; }
  bool IsValid() const { return operation_.IsValid(); }
  Endpoint endpoint() const { return {operation_.id(), index_}; }

  std::string name() const;  // "scope/MatMul:0"
  DType dtype() const;       // of the value: never a reference type
  bool is_ref() const;
  PartialShape shape() const;  // as inferred so far

  friend bool operator==(const Output&, const Output&) = default;

 private:
  Operation operation_;
  int index_ = 0;
};

// An argument of an op function: an Output, or a number or tensor that becomes
// a Const of its sibling's dtype (float and int32 when nothing decides).
class Operand {
 public:
  Operand(Output output,  // NOLINT: the conversion is the purpose
          SourceLocation location = SourceLocation::Current())
      : output_(output), location_(location) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T value,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : number_(Number(value)), location_(location) {}
  Operand(Tensor value,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : tensor_(std::move(value)), location_(location) {}

  const Output& output() const { return output_; }
  // Set for a constant without a dtype of its own: bool, int64, double.
  const std::optional<Tensor>& number() const { return number_; }
  const std::optional<Tensor>& tensor() const { return tensor_; }
  SourceLocation location() const { return location_; }

 private:
  template <class T>
  static Tensor Number(T value) {
    if constexpr (std::is_same_v<T, bool>) return Tensor::Scalar<bool>(value);
    if constexpr (std::is_floating_point_v<T>) {
      return Tensor::Scalar<double>(value);
    }
    return Tensor::Scalar<int64_t>(static_cast<int64_t>(value));
  }

  Output output_;
  std::optional<Tensor> number_;
  std::optional<Tensor> tensor_;
  SourceLocation location_;
};

Output operator+(Operand a, Operand b);
Output operator-(Operand a, Operand b);
Output operator*(Operand a, Operand b);
Output operator/(Operand a, Operand b);
Output operator-(Operand a);

}  // namespace leat

#endif  // LEAT_GRAPH_OUTPUT_H_
